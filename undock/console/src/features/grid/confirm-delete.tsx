import { Button } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Failure } from '../../components/states.tsx'
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
    <Dialog
      title={`Delete ${counted(count, 'row')}?`}
      onClose={onClose}
      onSubmit={onConfirm}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="danger" disabled={isPending}>
            Delete
          </Button>
        </>
      }
    >
      <p>
        {counted(count, 'row')} of {relation.schema}.{relation.name} will be gone, with what foreign keys delete along
        with them.
      </p>
      {error ? <Failure error={error} /> : null}
    </Dialog>
  )
}
