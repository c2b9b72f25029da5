import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import type { Column, RelationDetail } from '../catalog.ts'
import { ColumnFields } from './column-fields.tsx'
import { columnChange, type SqlChange } from './table-changes.ts'
import { draftOf, EMPTY_COLUMN } from './table-sql.ts'

type ColumnDialogProps = {
  relation: RelationDetail
  /** Undefined adds one. */
  column: Column | undefined
  onSql: (change: SqlChange) => void
  onClose: () => void
}

/** Adds or changes a column. */
export function ColumnDialog({ relation, column, onSql, onClose }: ColumnDialogProps) {
  const [draft, setDraft] = useState(column ? draftOf(column, relation) : EMPTY_COLUMN)
  const change = columnChange(relation, column, draft)
  return (
    <Dialog
      title={column ? `Change the column ${column.name}` : `Add a column to ${relation.name}`}
      wide
      onClose={onClose}
      onSubmit={() => onSql(change)}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" disabled={change.sql === ''}>
            Show the SQL
          </Button>
        </>
      }
    >
      <ColumnFields draft={draft} onChange={setDraft} isExisting={column !== undefined} />
    </Dialog>
  )
}
