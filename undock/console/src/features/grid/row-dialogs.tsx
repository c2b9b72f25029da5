import { BulkEdit } from './bulk-edit.tsx'
import { keyOf } from './changes.ts'
import { ConfirmDelete } from './confirm-delete.tsx'
import { RowForm } from './row-form.tsx'
import type { Row, RowRequest } from './row-source.ts'
import { useRowChanges } from './use-row-changes.ts'

export type RowTask = 'insert' | 'edit' | 'delete'

type RowDialogsProps = {
  task: RowTask
  request: RowRequest
  /** The marked rows. */
  chosen: readonly Row[]
  onClose: () => void
  onDeleted: () => void
}

/** Inserts a row, or changes or deletes those that are marked. */
export function RowDialogs({ task, request, chosen, onClose, onDeleted }: RowDialogsProps) {
  const { relation, as } = request
  const { setColumn, remove } = useRowChanges(request)
  if (task === 'insert') return <RowForm relation={relation} as={as} onClose={onClose} />
  if (task === 'delete')
    return (
      <ConfirmDelete
        relation={relation}
        count={chosen.length}
        error={remove.error}
        isPending={remove.isPending}
        onConfirm={() => remove.mutate(chosen, { onSuccess: onDeleted })}
        onClose={onClose}
      />
    )
  return (
    <BulkEdit
      relation={relation}
      count={chosen.length}
      as={as}
      error={setColumn.error}
      isPending={setColumn.isPending}
      onSave={(column, value) => {
        const index = relation.columns.indexOf(column)
        const rows = chosen.map(({ cells }) => ({
          key: keyOf(relation, cells),
          before: cells[index] ?? null,
          value,
        }))
        setColumn.mutate({ column, rows }, { onSuccess: onClose })
      }}
      onClose={onClose}
    />
  )
}
