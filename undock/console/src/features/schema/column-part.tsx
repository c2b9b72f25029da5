import { Link } from '@tanstack/react-router'
import { ListPlus, Pencil, Plus, Trash2 } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { Button, IconButton } from '../../components/button.tsx'
import { FormDialog } from '../../components/form-dialog.tsx'
import { Panel, TableHead } from '../../components/page.tsx'
import type { Column, RelationDetail } from '../catalog.ts'
import { ColumnFields } from './column-fields.tsx'
import { columnChange, columnDrop, indexChange, type SqlChange } from './table-changes.ts'
import { draftOf, EMPTY_COLUMN } from './table-sql.ts'

type ColumnPartProps = { relation: RelationDetail; isTable: boolean; onChange: (change: SqlChange) => void }

/** The columns of a table or view; a table's can be added, changed, indexed and dropped. */
export function ColumnPart({ relation, isTable, onChange }: ColumnPartProps) {
  const [editing, setEditing] = useState<{ column: Column | undefined } | null>(null)
  return (
    <DefinitionPart
      title="Columns"
      actions={
        isTable ? (
          <Button icon={Plus} onClick={() => setEditing({ column: undefined })}>
            Add a column
          </Button>
        ) : null
      }
    >
      <table className="w-full text-left text-[13px]">
        <TableHead columns={['Name', 'Type', 'Default', 'Notes']} hasActions />
        <tbody className="divide-y">
          {relation.columns.map((column) => (
            <tr key={column.name}>
              <td className="px-3 py-1.5 font-medium">{column.name}</td>
              <td className="px-3 py-1.5 font-mono text-xs">{column.type}</td>
              <td className="px-3 py-1.5 font-mono text-ink-soft text-xs">{column.default}</td>
              <td className="px-3 py-1.5 text-ink-soft">
                <Notes relation={relation} column={column} />
              </td>
              <td className="whitespace-nowrap px-1 text-right">
                {isTable ? (
                  <>
                    <IconButton
                      icon={ListPlus}
                      label={`Add an index on ${column.name}`}
                      onClick={() => onChange(indexChange(relation, column.name))}
                    />
                    <IconButton
                      icon={Pencil}
                      label={`Change the column ${column.name}`}
                      onClick={() => setEditing({ column })}
                    />
                    <IconButton
                      icon={Trash2}
                      label={`Drop the column ${column.name}`}
                      onClick={() => onChange(columnDrop(relation, column.name))}
                    />
                  </>
                ) : null}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {editing ? (
        <ColumnDialog
          relation={relation}
          column={editing.column}
          onClose={() => setEditing(null)}
          onSql={(change) => {
            setEditing(null)
            onChange(change)
          }}
        />
      ) : null}
    </DefinitionPart>
  )
}

function Notes({ relation, column }: { relation: RelationDetail; column: Column }) {
  const reference = relation.foreignKeys.find((key) => key.columns.length === 1 && key.columns[0] === column.name)
  const notes = [
    column.isKey ? 'primary key' : '',
    !column.isNullable && !column.isKey ? 'not null' : '',
    column.identity ? 'identity' : '',
    column.isGenerated ? 'generated' : '',
    column.comment ?? '',
  ]
  return (
    <>
      {notes.filter(Boolean).join(', ')}
      {reference ? (
        <Link
          to="/tables/$schema/$name"
          params={{ schema: reference.schema, name: reference.table }}
          className="ml-1 text-accent hover:underline"
        >
          → {reference.schema}.{reference.table}
        </Link>
      ) : null}
    </>
  )
}

type ColumnDialogProps = {
  relation: RelationDetail
  /** Undefined to add one. */
  column: Column | undefined
  onSql: (change: SqlChange) => void
  onClose: () => void
}

/** Adds or changes a column. */
function ColumnDialog({ relation, column, onSql, onClose }: ColumnDialogProps) {
  const [draft, setDraft] = useState(column ? draftOf(column, relation) : EMPTY_COLUMN)
  const change = columnChange(relation, column, draft)
  return (
    <FormDialog
      title={column ? `Change the column ${column.name}` : `Add a column to ${relation.name}`}
      action="Show the SQL"
      wide
      isReady={change.sql !== ''}
      mutation={{ mutate: () => onSql(change) }}
      onClose={onClose}
    >
      <ColumnFields draft={draft} onChange={setDraft} isExisting={column !== undefined} />
    </FormDialog>
  )
}

/** A titled section for one kind of a table's objects, with actions. */
export const DefinitionPart = ({ children, ...panel }: { title: string; actions?: ReactNode; children: ReactNode }) => (
  <Panel {...panel}>
    <div className="overflow-auto">{children}</div>
  </Panel>
)
