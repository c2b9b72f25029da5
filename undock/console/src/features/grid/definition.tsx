import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { RelationDetail } from '../catalog.ts'

/** Columns, keys, indexes, triggers and policies of a table. */
export function Definition({ relation }: { relation: RelationDetail }) {
  const { columns, foreignKeys, constraints, indexes, triggers, policies, definition, rowSecurity, kind } = relation
  return (
    <div className="mx-auto grid max-w-5xl gap-6 p-4">
      <Part title="Columns">
        <table className="w-full text-left text-[13px]">
          <thead className="text-ink-faint text-xs">
            <tr>
              <th className="px-3 py-1.5 font-medium">Name</th>
              <th className="px-3 py-1.5 font-medium">Type</th>
              <th className="px-3 py-1.5 font-medium">Default</th>
              <th className="px-3 py-1.5 font-medium">Notes</th>
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
                </tr>
              )
            })}
          </tbody>
        </table>
      </Part>
      {definition === null ? null : <Code title="Definition of the view" lines={[definition]} />}
      {kind === 'r' || kind === 'p' ? (
        <Part title="Policies">
          <p className="px-3 py-2 text-[13px] text-ink-soft">
            {rowSecurity
              ? policies.length === 0
                ? 'Row security is on and there is no policy: through the API nobody sees or changes a row.'
                : 'Row security is on. A row is allowed when one of these policies is true.'
              : 'Row security is off: whoever has a privilege on the table has it on all rows.'}
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
    </div>
  )
}

const Part = ({ title, children }: { title: string; children: ReactNode }) => (
  <section>
    <h2 className="mb-2 font-semibold">{title}</h2>
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
