import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { LabelledCheckbox } from '../../components/checkbox.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Form, FormActions } from '../../components/form.tsx'
import { Notice } from '../../components/notice.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { t } from '../../lib/i18n/i18n.ts'
import { requireApproval } from './mutations.ts'
import { approversOf } from './names.ts'
import { type Approval, approvalQuery } from './queries.ts'

type ApprovalDialogProps = {
  library: string
  collection: { id: string; name: string }
  isOwner: boolean
  onClose: () => void
}

/** Approvers of a collection's changes, editable by owners. Mounted only while open. */
export function ApprovalDialog({ library, collection, isOwner, onClose }: ApprovalDialogProps) {
  const { data: approval } = useQuery({ ...approvalQuery(library, collection.id), staleTime: 0 })
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={t('Approval in “{name}”', { name: collection.name })}
      description={t(
        'Until a change to a note or a new version of a file is approved, others see and find the previous one. New files are visible immediately; the text of a new note once it’s approved. Nested collections are included.',
      )}
    >
      {approval === undefined ? (
        <Skeleton className="h-32" />
      ) : isOwner ? (
        <ApprovalForm library={library} collection={collection.id} approval={approval} onClose={onClose} />
      ) : (
        <p className="text-sm">{t('Approvers: {names}', { names: approversOf(approval) })}</p>
      )}
    </Dialog>
  )
}

type ApprovalFormProps = { library: string; collection: string; approval: Approval; onClose: () => void }

function ApprovalForm({ library, collection, approval, onClose }: ApprovalFormProps) {
  const { own, is_required, people } = approval
  const [isOn, setOn] = useState(own !== null)
  // People who can no longer edit here can't be named again.
  const [chosen, setChosen] = useState(() => people.filter(({ id }) => own?.includes(id)).map(({ id }) => id))
  const saving = useMutation({ ...requireApproval, onSuccess: onClose })
  return (
    <Form error={saving.error} onSubmit={() => saving.mutate({ library, collection, approvers: isOn ? chosen : null })}>
      {is_required && own === null ? (
        <Notice tone="info">
          {t('A parent collection already requires approval by: {names}', { names: approversOf(approval) })}
        </Notice>
      ) : null}
      <LabelledCheckbox checked={isOn} onChange={setOn} className="font-medium">
        {t('Changes need approval')}
      </LabelledCheckbox>
      {isOn ? (
        <fieldset className="grid gap-2.5 ps-7">
          <legend className="mb-2 text-ink-soft text-sm">{t('By someone who can edit here')}</legend>
          <div className="grid max-h-60 gap-2.5 overflow-y-auto p-0.5">
            {people.map(({ id, name }) => (
              <LabelledCheckbox
                key={id}
                checked={chosen.includes(id)}
                onChange={(isChosen) =>
                  setChosen((before) => (isChosen ? [...before, id] : before.filter((one) => one !== id)))
                }
              >
                <bdi>{name}</bdi>
              </LabelledCheckbox>
            ))}
          </div>
          <p className="text-[0.8125rem] text-ink-faint">
            {t('Owners can always approve. They’re asked when no approver is left.')}
          </p>
        </fieldset>
      ) : null}
      <FormActions action={t('Save')} busy={saving.isPending} onCancel={onClose} />
    </Form>
  )
}
