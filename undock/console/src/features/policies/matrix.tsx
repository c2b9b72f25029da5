import { Link } from '@tanstack/react-router'
import clsx from 'clsx'
import { SecurityMark } from '../../components/page.tsx'
import { useRows } from '../../lib/use-rows.ts'
import { type Access, accessText, COMMANDS, type MatrixRow, ROLES, type Role } from './queries.ts'

const ROW_HEIGHT = 33

/** Tables by roles and commands; each cell links to its explanation. */
export function Matrix({ rows }: { rows: readonly MatrixRow[] }) {
  const { box, items, total } = useRows<HTMLElement>({ count: rows.length, height: ROW_HEIGHT, overscan: 10 })
  const before = items[0]?.start ?? 0
  const after = total - (items.at(-1)?.end ?? 0)
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
    <section ref={box} aria-label="Access by role" tabIndex={0} className="h-full overflow-auto">
      <table className="w-full min-w-3xl border-separate border-spacing-0 text-[13px]">
        <thead className="sticky top-0 z-1 bg-panel text-left">
          <tr>
            <th rowSpan={2} className="border-b px-4 font-medium">
              Table
            </th>
            {ROLES.map((role) => (
              <th key={role} colSpan={4} className="border-l px-2 py-1 font-medium">
                {role}
              </th>
            ))}
          </tr>
          <tr>
            {ROLES.map((role) =>
              COMMANDS.map((command) => (
                <th
                  key={`${role} ${command}`}
                  className={clsx(
                    'border-b px-2 pb-1 font-normal text-ink-faint text-xs',
                    command === 'select' && 'border-l',
                  )}
                >
                  {command}
                </th>
              )),
            )}
          </tr>
        </thead>
        <tbody>
          {before > 0 ? <tr aria-hidden style={{ height: before }} /> : null}
          {items.map(({ index }) => {
            const row = rows[index]
            return row ? <Row key={`${row.schema}.${row.name}`} row={row} /> : null
          })}
          {after > 0 ? <tr aria-hidden style={{ height: after }} /> : null}
        </tbody>
      </table>
    </section>
  )
}

function Row({ row }: { row: MatrixRow }) {
  const { schema, name, access } = row
  return (
    <tr className="h-[33px]">
      <th scope="row" className="max-w-64 border-b px-4 text-left font-normal">
        <Link
          to="/policies/$schema/$name"
          params={{ schema, name }}
          className="flex min-w-0 items-center gap-2 hover:underline"
        >
          <SecurityMark isView={row.isView} isOn={row.isRowSecurityEnabled} />
          <span className="min-w-0 truncate">
            <span className="text-ink-faint">{schema}.</span>
            {name}
          </span>
        </Link>
      </th>
      {ROLES.map((role) =>
        COMMANDS.map((command) => (
          <td key={`${role} ${command}`} className={clsx('border-b', command === 'select' && 'border-l')}>
            <Link
              to="/policies/explain"
              search={{ as: role, action: command, target: `${schema}.${name}` }}
              title={`${role}, ${command}: ${accessText(access[role][command]).sentence}`}
              className={clsx(
                'block px-2 py-1 text-xs hover:bg-panel hover:underline focus-visible:-outline-offset-2',
                toneOf(role, access[role][command].kind),
              )}
            >
              <span className="sr-only">
                {role} {command}:{' '}
              </span>
              {accessText(access[role][command]).word}
            </Link>
          </td>
        )),
      )}
    </tr>
  )
}

/** Highlights access without a policy. */
const toneOf = (role: Role, kind: Access['kind']): string => {
  if (kind === 'refused' || kind === 'nothing') return 'text-ink-faint'
  if (kind === 'policy') return 'text-accent'
  return role === 'service_role' ? 'text-ink-soft' : 'font-medium text-warn'
}
