import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import clsx from 'clsx'
import { Workflow } from 'lucide-react'
import { useMemo } from 'react'
import { SearchInput, Select } from '../components/field.tsx'
import { TextLink } from '../components/link.tsx'
import { Page } from '../components/page.tsx'
import { SplitPane } from '../components/split-pane.tsx'
import { Empty, Pending } from '../components/states.tsx'
import { DETAILS, type Detail, tableId } from '../features/diagram/layout.ts'
import { type DiagramTable, diagramQuery } from '../features/diagram/queries.ts'
import { SchemaDiagram } from '../features/diagram/schema-diagram.tsx'
import { counted } from '../lib/format.ts'
import { useSearchChange, useTextFilter } from '../lib/state.ts'

const route = getRouteApi('/schema/')

/** Levels of detail, and the number of tables from which each is the default. */
const DETAIL_NAMES: Readonly<Record<Detail, string>> = { names: 'Names', keys: 'Keys', columns: 'All columns' }
const detailOf = (tables: number): Detail => (tables > 40 ? 'names' : tables > 15 ? 'keys' : 'columns')

export function DiagramScreen() {
  const { schema = 'public', text = '', table, detail } = route.useSearch()
  const isFound = useTextFilter(text)
  const { data, error, refetch } = useQuery(diagramQuery(schema))
  const found = useMemo(
    () => data?.tables.filter(({ name, columns }) => isFound(name) || columns.some((one) => isFound(one.name))) ?? [],
    [data, isFound],
  )
  const marked = useMemo(
    () => (table !== undefined ? new Set([table]) : text.trim() === '' ? null : new Set(found.map(tableId))),
    [table, text, found],
  )
  const shownDetail = detail ?? detailOf(data?.tables.length ?? 0)
  const update = useSearchChange()
  return (
    <Page
      title="Diagram"
      subtitle={data ? counted(data.tables.length, 'table') : null}
      actions={
        <>
          <SearchInput
            label="Find tables and columns"
            placeholder="A table or column"
            className="max-w-56"
            value={text}
            onValue={(value) => update({ text: value || undefined, table: undefined })}
          />
          <Select
            aria-label="Shown for each table"
            className="w-auto!"
            value={shownDetail}
            onValue={(detail) => update({ detail })}
            options={DETAILS.map((one) => [one, DETAIL_NAMES[one]])}
          />
          <Select
            aria-label="Schema"
            className="max-w-44"
            value={schema}
            onValue={(value) => update({ schema: value === 'public' ? undefined : value, table: undefined })}
            options={[
              ['*', 'All schemas'],
              ...[...new Set(['public', ...(schema === '*' ? [] : [schema]), ...(data?.schemas ?? [])])].sort(),
            ]}
          />
        </>
      }
    >
      {data === undefined ? (
        <Pending error={error} onRetry={refetch} />
      ) : data.tables.length === 0 ? (
        <Empty icon={Workflow} title={`The schema ${schema} has no tables`}>
          Tables and the foreign keys between them are drawn here. <TextLink to="/tables">Create a table</TextLink>
        </Empty>
      ) : (
        <SplitPane
          label="Tables"
          className="w-48"
          side={<TableList tables={found} current={table} onShow={(id) => update({ table: id })} />}
        >
          <SchemaDiagram key={schema} diagram={data} detail={shownDetail} found={marked} />
        </SplitPane>
      )}
    </Page>
  )
}

/** Natural order: `t2` comes before `t10`. */
const byName = new Intl.Collator('en', { numeric: true })

type TableListProps = {
  tables: readonly DiagramTable[]
  /** The open table's id. */
  current: string | undefined
  onShow: (id: string) => void
}

/** The names of a diagram's tables, linked to their boxes. */
function TableList({ tables, current, onShow }: TableListProps) {
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
