import { Link, useNavigate } from '@tanstack/react-router'
import { ListPlus, Pencil, Plus, Shield, Trash2 } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { Button, IconButton } from '../../components/button.tsx'
import type { Column, RelationDetail } from '../catalog.ts'
import { ApplyDialog } from '../migrations/apply-dialog.tsx'
import { ColumnDialog } from './column-dialog.tsx'
import { createIndexSql, dropColumnSql, dropTableSql, rowSecuritySql } from './table-sql.ts'

type SqlChange = { title: string; sql: string; name: string; isDropping?: boolean }

/** Columns, keys, indexes, triggers and policies of a table. What changes them becomes a migration. */
export function Definition({ relation }: { relation: RelationDetail }) {
  const navigate = useNavigate()
  const [change, setChange] = useState<SqlChange | null>(null)
  const [editing, setEditing] = useState<{ column: Column | undefined } | null>(null)
  const isTable = relation.kind === 'r' || relation.kind === 'p'
  const { columns, foreignKeys, constraints, indexes, triggers, policies, definition, rowSecurity } = relation
  return (
    <div className="mx-auto grid max-w-5xl gap-6 p-4">
      <Part
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
              <th className="px-3 py-1.5 font-medium">Name</th>
              <th className="px-3 py-1.5 font-medium">Type</th>
              <th className="px-3 py-1.5 font-medium">Default</th>
              <th className="px-3 py-1.5 font-medium">Notes</th>
              <th className="px-3 py-1.5">
                <span className="sr-only">Actions</span>
              </th>
            </tr>
          </thead>
          <tbody className="divide-y border-t">
            {columns.map((column) => {
              const reference = foreignKeys.find((key) => key.columns.length === 1 && key.columns[0] === column.name)
              return (
                <tr key={column.name}>
                  <td className="px-3 py-1.5 font-medium">{column.name}</td>
                  <td className="px-3 py-1.5 font-mono text-xs">{column.type}</td>
                  <td className="px-3 py-1.5 font-mono text-ink-soft text-xs">{column.default}</td>
                  <td className="px-3 py-1.5 text-ink-soft">
                    {[
                      column.isKey ? 'primary key' : '',
                      !column.isNullable && !column.isKey ? 'not null' : '',
                      column.identity ? 'identity' : '',
                      column.isGenerated ? 'generated' : '',
                      column.comment ?? '',
                    ]
                      .filter(Boolean)
                      .join(', ')}
                    {reference ? (
                      <Link
                        to="/tables/$schema/$name"
                        params={{ schema: reference.schema, name: reference.table }}
                        className="ml-1 text-accent hover:underline"
                      >
                        → {reference.schema}.{reference.table}
                      </Link>
                    ) : null}
                  </td>
                  <td className="whitespace-nowrap px-1 text-right">
                    {isTable ? (
                      <>
                        <IconButton
                          label={`Add an index on ${column.name}`}
                          onClick={() =>
                            setChange({
                              title: `Add an index on ${column.name}`,
                              sql: createIndexSql(relation, column.name),
                              name: `index_${relation.name}_${column.name}`,
                            })
                          }
                        >
                          <ListPlus aria-hidden />
                        </IconButton>
                        <IconButton label={`Change the column ${column.name}`} onClick={() => setEditing({ column })}>
                          <Pencil aria-hidden />
                        </IconButton>
                        <IconButton
                          label={`Drop the column ${column.name}`}
                          onClick={() =>
                            setChange({
                              title: `Drop ${column.name}, with all of its values`,
                              sql: dropColumnSql(relation, column.name),
                              name: `drop_${relation.name}_${column.name}`,
                            })
                          }
                        >
                          <Trash2 aria-hidden />
                        </IconButton>
                      </>
                    ) : null}
                  </td>
                </tr>
              )
            })}
          </tbody>
        </table>
      </Part>
      {definition === null ? null : <Code title="Definition of the view" lines={[definition]} />}
      {isTable ? (
        <Part
          title="Policies"
          actions={
            <Button
              onClick={() =>
                setChange({
                  title: rowSecurity
                    ? `Turn row security of ${relation.name} off`
                    : `Turn row security of ${relation.name} on`,
                  sql: rowSecuritySql(relation),
                  name: `row_security_${relation.name}`,
                })
              }
            >
              <Shield aria-hidden />
              {rowSecurity ? 'Turn row security off' : 'Turn row security on'}
            </Button>
          }
        >
          <p className="px-3 py-2 text-[13px] text-ink-soft">
            {rowSecurity
              ? policies.length === 0
                ? 'Row security is on and there is no policy: through the API nobody sees or changes a row.'
                : 'Row security is on. A row is allowed when one of these policies is true.'
              : 'Row security is off: whoever has a privilege on the table has it on all rows.'}{' '}
            <Link
              to="/policies/$schema/$name"
              params={{ schema: relation.schema, name: relation.name }}
              className="text-accent underline"
            >
              Change the policies
            </Link>
          </p>
          {policies.map(({ name, command, roles, isPermissive, using, check }) => (
            <div key={name} className="grid gap-1 border-t px-3 py-2 text-[13px]">
              <p>
                <span className="font-medium">{name}</span>
                <span className="ml-2 text-ink-faint text-xs">
                  {command.toLowerCase()} for {roles.join(', ')}
                  {isPermissive ? '' : ', restrictive'}
                </span>
              </p>
              {using === null ? null : <pre className="overflow-auto font-mono text-xs">using {using}</pre>}
              {check === null ? null : <pre className="overflow-auto font-mono text-xs">with check {check}</pre>}
            </div>
          ))}
        </Part>
      ) : null}
      <Code title="Constraints" lines={constraints.map((one) => `${one.name}: ${one.definition}`)} />
      <Code title="Indexes" lines={indexes.map((one) => one.definition)} />
      <Code title="Triggers" lines={triggers.map((one) => one.definition)} />
      <div>
        <Button
          look="danger"
          onClick={() =>
            setChange({
              title: `Drop ${relation.name}, with all of its rows`,
              sql: dropTableSql(relation),
              name: `drop_${relation.name}`,
              isDropping: true,
            })
          }
        >
          <Trash2 aria-hidden />
          Drop {relation.name}
        </Button>
      </div>
      {editing ? (
        <ColumnDialog
          relation={relation}
          column={editing.column}
          onClose={() => setEditing(null)}
          onSql={(next) => {
            setEditing(null)
            setChange(next)
          }}
        />
      ) : null}
      {change ? (
        <ApplyDialog
          {...change}
          onClose={() => setChange(null)}
          onApplied={() => {
            setChange(null)
            if (change.isDropping) void navigate({ to: '/tables' })
          }}
        />
      ) : null}
    </div>
  )
}

const Part = ({ title, actions, children }: { title: string; actions?: ReactNode; children: ReactNode }) => (
  <section>
    <div className="mb-2 flex min-h-8 items-center justify-between">
      <h2 className="font-semibold">{title}</h2>
      {actions}
    </div>
    <div className="overflow-auto rounded-lg border bg-raised">{children}</div>
  </section>
)

function Code({ title, lines }: { title: string; lines: readonly string[] }) {
  if (lines.length === 0) return null
  return (
    <Part title={title}>
      <pre className="whitespace-pre-wrap p-3 font-mono text-xs">{lines.join('\n')}</pre>
    </Part>
  )
}
