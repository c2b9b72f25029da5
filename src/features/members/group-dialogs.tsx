import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { LabelledCheckbox } from '../../components/checkbox.tsx'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { TextField } from '../../components/field.tsx'
import { Form, FormActions } from '../../components/form.tsx'
import { Input } from '../../components/input.tsx'
import { roleLabel } from '../../domain/roles.ts'
import { t } from '../../lib/i18n/i18n.ts'
import { deleteGroup, saveGroup } from './mutations.ts'
import type { Group, Member } from './queries.ts'

type GroupDialogProps = {
  library: string
  /** Undefined for a new one. */
  group: Group | undefined
  members: readonly Member[]
  onClose: () => void
}

const MANY = 8

/** A group's name, description and members. Mounted only while open. */
export function GroupDialog({ library, group, members, onClose }: GroupDialogProps) {
  const [name, setName] = useState(group?.name ?? '')
  const [description, setDescription] = useState(group?.description ?? '')
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set(group?.people))
  const [sought, setSought] = useState('')
  const saving = useMutation({ ...saveGroup, onSuccess: onClose })
  const before = new Set(group?.people)
  const submit = () => {
    const added = [...chosen].filter((person) => !before.has(person))
    const removed = [...before].filter((person) => !chosen.has(person))
    saving.mutate({ library, id: group?.id, name: name.trim(), description: description.trim(), added, removed })
  }
  const choose = (person: string, isIn: boolean) =>
    setChosen(isIn ? new Set([...chosen, person]) : new Set([...chosen].filter((one) => one !== person)))
  const listed = members.filter(({ profile }) => profile.display_name.toLowerCase().includes(sought.toLowerCase()))
  return (
    <Dialog open onOpenChange={onClose} title={group ? t('Edit “{name}”', { name: group.name }) : t('New group')}>
      <Form onSubmit={submit} error={saving.error}>
        <TextField label={t('Name')} required column="groups.name" pattern=".*\S.*" value={name} onValue={setName} />
        <TextField label={t('Description')} column="groups.description" value={description} onValue={setDescription} />
        <fieldset className="grid gap-2">
          <legend className="mb-1.5 font-medium text-ink text-sm">{t('Members')}</legend>
          {members.length > MANY ? (
            <Input
              type="search"
              aria-label={t('Find a member')}
              placeholder={t('Find a member')}
              value={sought}
              onChange={(event) => setSought(event.target.value)}
              className="h-9"
            />
          ) : null}
          <ul className="max-h-60 divide-y divide-line overflow-y-auto rounded-lg border border-line">
            {listed.map(({ user_id, role, profile }) => (
              <li key={user_id}>
                <LabelledCheckbox
                  className="cursor-pointer px-3 py-2 hover:bg-hover"
                  checked={chosen.has(user_id)}
                  onChange={(checked) => choose(user_id, checked)}
                >
                  <span dir="auto" className="min-w-0 flex-1 truncate">
                    {profile.display_name}
                  </span>
                  <span className="text-ink-faint text-xs">{roleLabel(role)}</span>
                </LabelledCheckbox>
              </li>
            ))}
          </ul>
          {listed.length === 0 ? <p className="text-ink-soft text-sm">{t('No one has this name.')}</p> : null}
        </fieldset>
        <FormActions action={group ? t('Save') : t('Create')} busy={saving.isPending} onCancel={onClose} />
      </Form>
    </Dialog>
  )
}

/** Confirms deleting a group. Mounted only while open. */
export function DeleteGroupDialog({ library, group, onClose }: { library: string; group: Group; onClose: () => void }) {
  const deletion = useMutation({ ...deleteGroup, onSuccess: onClose })
  return (
    <ConfirmDialog
      title={t('Delete the group “{name}”?', { name: group.name })}
      action={t('Delete the group')}
      busy={deletion.isPending}
      error={deletion.error}
      onConfirm={() => deletion.mutate({ library, group: group.id })}
      onClose={onClose}
    >
      {t('Members who could open collections only through this group lose access immediately.')}
    </ConfirmDialog>
  )
}
