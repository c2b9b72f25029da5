import clsx from 'clsx'
import { tableId } from './layout.ts'
import type { DiagramTable } from './queries.ts'

/** Numbers count as such: `t2` is before `t10`. */
const byName = new Intl.Collator('en', { numeric: true })

type TableListProps = {
  tables: readonly DiagramTable[]
  /** The id of the table that is shown. */
  current: string | undefined
  onShow: (id: string) => void
}

/** The names of the tables of a diagram; each leads to its box. */
export function TableList({ tables, current, onShow }: TableListProps) {
  const schemas = [...Map.groupBy(tables, ({ schema }) => schema)]
  return (
    <nav aria-label="Tables of the diagram" className="h-full overflow-auto p-2">
      {tables.length === 0 ? (
        <p className="px-2 py-1 text-ink-faint text-xs">No table has such a name or column.</p>
      ) : null}
      {schemas.map(([schema, own]) => (
        <section key={schema} aria-label={schema}>
          {schemas.length > 1 ? <h2 className="px-2 pt-2 pb-1 font-medium text-ink-faint text-xs">{schema}</h2> : null}
          <ul>
            {own
              .toSorted((a, b) => byName.compare(a.name, b.name))
              .map((table) => {
                const id = tableId(table)
                return (
                  <li key={id}>
                    <button
                      type="button"
                      aria-current={id === current ? 'true' : undefined}
                      title={table.name}
                      onClick={() => onShow(id)}
                      className={clsx(
                        'w-full truncate rounded-md px-2 py-1 text-left text-[13px] text-ink-soft hover:bg-panel hover:text-ink',
                        'aria-[current=true]:bg-accent-soft aria-[current=true]:text-ink',
                      )}
                    >
                      {table.name}
                    </button>
                  </li>
                )
              })}
          </ul>
        </section>
      ))}
    </nav>
  )
}
