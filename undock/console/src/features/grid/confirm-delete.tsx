import { FormDialog } from '../../components/form-dialog.tsx'
import { counted } from '../../lib/format.ts'
import type { RelationDetail } from '../catalog.ts'

type ConfirmDeleteProps = {
  relation: RelationDetail
  count: number
  error: unknown
  isPending: boolean
  onConfirm: () => void
  onClose: () => void
}

export function ConfirmDelete({ relation, count, error, isPending, onConfirm, onClose }: ConfirmDeleteProps) {
  return (
    <FormDialog
      title={`Delete ${counted(count, 'row')}?`}
      action="Delete"
      look="danger"
      isPending={isPending}
      error={error}
      onSubmit={onConfirm}
      onClose={onClose}
    >
      <p>
        {counted(count, 'row')} of {relation.schema}.{relation.name} will be gone, with what foreign keys delete along
        with them.
      </p>
    </FormDialog>
  )
}
