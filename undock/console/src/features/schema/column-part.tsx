import { Link } from '@tanstack/react-router'
import { ListPlus, Pencil, Plus, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { Button, IconButton } from '../../components/button.tsx'
import type { Column, RelationDetail } from '../catalog.ts'
import { ColumnDialog } from './column-dialog.tsx'
import { DefinitionPart } from './definition-part.tsx'
import { columnDrop, indexChange, type SqlChange } from './table-changes.ts'

type ColumnPartProps = { relation: RelationDetail; isTable: boolean; onChange: (change: SqlChange) => void }

/** The columns of a table or view; those of a table can be added, changed, indexed and dropped. */
export function ColumnPart({ relation, isTable, onChange }: ColumnPartProps) {
  const [editing, setEditing] = useState<{ column: Column | undefined } | null>(null)
  return (
    <DefinitionPart
      title="Columns"
      actions={
        isTable ? (
          <Button onClick={() => setEditing({ column: undefined })}>
            <Plus aria-hidden />
            Add a column
          </Button>
        ) : null
      }
    >
      <table className="w-full text-left text-[13px]">
        <thead className="text-ink-faint text-xs">
          <tr>
            {['Name', 'Type', 'Default', 'Notes'].map((name) => (
              <th key={name} className="px-3 py-1.5 font-medium">
                {name}
              </th>
            ))}
            <th className="px-3 py-1.5">
              <span className="sr-only">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody className="divide-y border-t">
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
                      label={`Add an index on ${column.name}`}
                      onClick={() => onChange(indexChange(relation, column.name))}
                    >
                      <ListPlus aria-hidden />
                    </IconButton>
                    <IconButton label={`Change the column ${column.name}`} onClick={() => setEditing({ column })}>
                      <Pencil aria-hidden />
                    </IconButton>
                    <IconButton
                      label={`Drop the column ${column.name}`}
                      onClick={() => onChange(columnDrop(relation, column.name))}
                    >
                      <Trash2 aria-hidden />
                    </IconButton>
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
