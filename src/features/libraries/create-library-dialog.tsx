import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { Dialog } from '../../components/dialog.tsx'
import { Field } from '../../components/field.tsx'
import { FormActions } from '../../components/form-actions.tsx'
import { Input, Textarea } from '../../components/input.tsx'
import { Notice } from '../../components/notice.tsx'
import { describeFailure } from '../../domain/failure.ts'
import { t } from '../../lib/i18n/i18n.ts'
import { createLibrary } from './mutations.ts'

type CreateLibraryDialogProps = {
  onClose: () => void
  onCreated: (library: string) => void
}

/** Mounted only while open. */
export function CreateLibraryDialog({ onClose, onCreated }: CreateLibraryDialogProps) {
  const [draft, setDraft] = useState({ name: '', description: '' })
  const creation = useMutation(createLibrary)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    creation.mutate(
      { name: draft.name.trim(), description: draft.description.trim() },
      {
        onSuccess: ({ id }) => {
          onClose()
          onCreated(id)
        },
      },
    )
  }
  const failure = creation.error ? describeFailure(creation.error) : undefined

  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={t('A new library')}
      description={t('A private space: only its members know it exists.')}
    >
      <form onSubmit={submit} className="grid gap-5">
        {failure ? (
          <Notice tone="error" title={failure.title}>
            {failure.advice}
          </Notice>
        ) : null}
        <Field label={t('Name')}>
          {(control) => (
            <Input
              {...control}
              required
              column="libraries.name"
              // Blank names are rejected by the database.
              pattern=".*\S.*"
              placeholder={t('Reading group, Matter 2217, Field notes…')}
              value={draft.name}
              onChange={(event) => setDraft({ ...draft, name: event.target.value })}
            />
          )}
        </Field>
        <Field label={t('What is it for?')} hint={t('Optional. Members see this.')}>
          {(control) => (
            <Textarea
              {...control}
              column="libraries.description"
              value={draft.description}
              onChange={(event) => setDraft({ ...draft, description: event.target.value })}
            />
          )}
        </Field>
        <FormActions action={t('Create library')} busy={creation.isPending} onCancel={onClose} />
      </form>
    </Dialog>
  )
}
