import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import type { Column, RelationDetail } from '../catalog.ts'
import { ColumnFields } from './column-fields.tsx'
import { addColumnSql, alterColumnSql, draftOf, EMPTY_COLUMN } from './table-sql.ts'

type ColumnDialogProps = {
  relation: RelationDetail
  /** Undefined adds one. */
  column: Column | undefined
  onSql: (change: { title: string; sql: string; name: string }) => void
  onClose: () => void
}

/** Adds or changes a column. */
export function ColumnDialog({ relation, column, onSql, onClose }: ColumnDialogProps) {
  const before = column ? draftOf(column, relation) : EMPTY_COLUMN
  const [draft, setDraft] = useState(before)
  const sql = column ? alterColumnSql(relation, before, draft) : addColumnSql(relation, draft)
  return (
    <Dialog
      title={column ? `Change the column ${column.name}` : `Add a column to ${relation.name}`}
      wide
      onClose={onClose}
      onSubmit={() =>
        onSql(
          column
            ? { title: `Change ${relation.name}.${column.name}`, sql, name: `change_${relation.name}_${column.name}` }
            : { title: `Add ${draft.name} to ${relation.name}`, sql, name: `add_${relation.name}_${draft.name}` },
        )
      }
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" disabled={sql === ''}>
            Show the SQL
          </Button>
        </>
      }
    >
      <ColumnFields draft={draft} onChange={setDraft} isExisting={column !== undefined} />
    </Dialog>
  )
}
