import { useMutation, useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import clsx from 'clsx'
import { Database } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Confirm } from '../../components/confirm.tsx'
import { CopyButton } from '../../components/copy-button.tsx'
import { SearchInput } from '../../components/field.tsx'
import { Page } from '../../components/page.tsx'
import { Empty, Failure, Pending } from '../../components/states.tsx'
import { tellDone, tellFailure } from '../../components/toast.tsx'
import { refresh } from '../../lib/api.ts'
import { age, bytes, count, duration } from '../../lib/format.ts'
import { qualified } from '../../lib/sql.ts'
import { ApplyDialog } from '../migrations/apply-dialog.tsx'
import { NotEnabled } from '../objects/not-enabled.tsx'
import type { SqlChange } from '../schema/table-changes.ts'
import { FigureTable, StatementText } from './figure-table.tsx'
import {
  activityKey,
  type IndexFigures,
  indexesQuery,
  maintain,
  resetStatements,
  statementsQuery,
  type TableFigures,
  tablesQuery,
} from './queries.ts'

const route = getRouteApi('/database')

type ReportProps<Row> = {
  title: string
  query: { readonly data: readonly Row[] | undefined; readonly error: Error | null; readonly refetch: () => unknown }
  /** The searchable text of a row. */
  textOf: (row: Row) => string
  actions?: ReactNode
  none: string
  children: (rows: readonly Row[]) => ReactNode
}

/** A list with a search, in each of its states. */
function Report<Row>({ title, query, textOf, actions, none, children }: ReportProps<Row>) {
  const { text = '' } = route.useSearch()
  const navigate = route.useNavigate()
  const { data, error, refetch } = query
  const wanted = text.trim().toLowerCase()
  const shown = data?.filter((row) => textOf(row).toLowerCase().includes(wanted))
  return (
    <Page
      title={title}
      subtitle={shown ? count(shown.length) : null}
      actions={
        <>
          <SearchInput
            label={`Search ${title.toLowerCase()}`}
            placeholder="Search"
            className="max-w-56"
            value={text}
            onValue={(value) =>
              void navigate({ search: (before) => ({ ...before, text: value || undefined }), replace: true })
            }
          />
          {actions}
        </>
      }
    >
      {error && shown ? <Failure error={error} onRetry={refetch} /> : null}
      {shown === undefined ? (
        <Pending error={error} onRetry={refetch} />
      ) : shown.length === 0 ? (
        <Empty icon={Database} title={wanted ? 'None has this text' : none} />
      ) : (
        children(shown)
      )}
    </Page>
  )
}

/** Runs maintenance and reports the result. */
function useMaintenance() {
  return useMutation({
    mutationFn: ({ verb, of }: { verb: Parameters<typeof maintain>[0]; of: { schema: string; name: string } }) =>
      maintain(verb, of),
    onSuccess: async (_, { verb, of }) => {
      await refresh(activityKey)
      tellDone(`${verb.split(' ')[0]} of ${of.schema}.${of.name} is done.`)
    },
    onError: tellFailure,
  })
}

/** A share from 0 to 1. */
const percent = (part: number | null): string => (part === null ? '–' : `${Math.round(100 * part)} %`)

/** What indexes take, and which are not needed. */
export function IndexReport() {
  const maintenance = useMaintenance()
  const [dropped, setDropped] = useState<IndexFigures | null>(null)
  return (
    <Report
      title="Indexes"
      query={useQuery(indexesQuery)}
      textOf={({ schema, name, table, fault }) => `${schema}.${name} ${table} ${fault ?? ''}`}
      none="There is no index yet"
    >
      {(rows) => (
        <>
          <FigureTable
            label="Indexes"
            rows={rows}
            rowKey={({ id }) => id}
            columns={[
              {
                name: 'Index',
                value: ({ schema, name }) => `${schema}.${name}`,
                show: ({ schema, name, definition }) => (
                  <>
                    <p className="whitespace-nowrap font-medium">
                      {schema}.{name}
                    </p>
                    <StatementText text={definition} />
                  </>
                ),
              },
              { name: 'Size', isNumber: true, value: ({ size }) => size, show: ({ size }) => bytes(size) },
              { name: 'Reads', isNumber: true, value: ({ scans }) => scans, show: ({ scans }) => count(scans) },
              {
                name: 'Remark',
                value: ({ fault }) => fault,
                show: ({ fault }) => <span className="text-warn">{fault}</span>,
              },
            ]}
            actions={(row) => (
              <>
                <Button
                  disabled={maintenance.isPending}
                  aria-label={`Build again: ${row.schema}.${row.name}`}
                  onClick={() => maintenance.mutate({ verb: 'reindex index concurrently', of: row })}
                >
                  Build again
                </Button>
                {row.isKept ? null : (
                  <Button look="danger" aria-label={`Drop ${row.schema}.${row.name}`} onClick={() => setDropped(row)}>
                    Drop
                  </Button>
                )}
              </>
            )}
          />
          {dropped ? (
            <ApplyDialog
              title={`Drop ${dropped.name}`}
              sql={`drop index ${qualified(dropped.schema, dropped.name)};`}
              name={`drop_${dropped.name}`}
              onClose={() => setDropped(null)}
            />
          ) : null}
        </>
      )}
    </Report>
  )
}

/** Bytes and the part of a table that are pointed out when a rewrite would free them. */
const MUCH_WASTED = { bytes: 1024 * 1024, part: 0.3 }

const isBloated = ({ wasted, total, indexes }: TableFigures): boolean =>
  Number(wasted) > MUCH_WASTED.bytes && Number(wasted) > MUCH_WASTED.part * (total - indexes)

/** What tables take, how they are read, and when they were looked after. */
export function TableReport() {
  const maintenance = useMaintenance()
  return (
    <Report
      title="Tables"
      query={useQuery(tablesQuery)}
      textOf={({ schema, name }) => `${schema}.${name}`}
      none="There is no table yet"
    >
      {(rows) => (
        <FigureTable
          label="Tables"
          rows={rows}
          rowKey={({ id }) => id}
          columns={[
            {
              name: 'Table',
              value: ({ schema, name }) => `${schema}.${name}`,
              show: ({ schema, name }) => (
                <Link
                  to="/tables/$schema/$name"
                  params={{ schema, name }}
                  className="whitespace-nowrap font-medium hover:underline"
                >
                  {schema}.{name}
                </Link>
              ),
            },
            { name: 'Size', isNumber: true, value: ({ total }) => total, show: ({ total }) => bytes(total) },
            { name: 'Indexes', isNumber: true, value: ({ indexes }) => indexes, show: (row) => bytes(row.indexes) },
            { name: 'Rows', isNumber: true, value: (row) => row.rows, show: (row) => count(row.rows) },
            { name: 'Dead rows', isNumber: true, value: ({ dead }) => dead, show: ({ dead }) => count(dead) },
            {
              name: 'Bloat, about',
              isNumber: true,
              value: ({ wasted }) => wasted,
              show: (row) => (
                <span className={clsx(isBloated(row) && 'font-medium text-warn')}>
                  {row.wasted === null ? '–' : bytes(row.wasted)}
                </span>
              ),
            },
            { name: 'Read whole', isNumber: true, value: ({ scans }) => scans, show: ({ scans }) => count(scans) },
            { name: 'By index', isNumber: true, value: (row) => row.indexScans, show: (row) => count(row.indexScans) },
            { name: 'In memory', isNumber: true, value: ({ hit }) => hit, show: ({ hit }) => percent(hit) },
            {
              name: 'Vacuumed',
              isNumber: true,
              value: ({ vacuumed }) => vacuumed,
              show: ({ vacuumed }) => (vacuumed ? age(vacuumed) : 'never'),
            },
            {
              name: 'Analyzed',
              isNumber: true,
              value: ({ analyzed }) => analyzed,
              show: ({ analyzed }) => (analyzed ? age(analyzed) : 'never'),
            },
          ]}
          actions={(row) =>
            (['vacuum', 'analyze'] as const).map((verb) => (
              <Button
                key={verb}
                disabled={maintenance.isPending}
                aria-label={`${verb === 'vacuum' ? 'Vacuum' : 'Analyze'} ${row.schema}.${row.name}`}
                onClick={() => maintenance.mutate({ verb, of: row })}
              >
                {verb === 'vacuum' ? 'Vacuum' : 'Analyze'}
              </Button>
            ))
          }
        />
      )}
    </Report>
  )
}

/** How often each statement has run, and how long it took. */
export function StatementReport() {
  const query = useQuery(statementsQuery)
  const [change, setChange] = useState<SqlChange | null>(null)
  const [isReset, setIsReset] = useState(false)
  const { data } = query
  if (data === null)
    return (
      <Page title="Statements">
        <NotEnabled
          extension="pg_stat_statements"
          about="It counts how often each statement runs and how long it takes."
          onEnable={setChange}
        />
        {change ? <ApplyDialog {...change} onClose={() => setChange(null)} /> : null}
      </Page>
    )
  return (
    <Report
      title="Statements"
      query={{ ...query, data: data?.rows }}
      textOf={({ query: text, role }) => `${text} ${role}`}
      none="No statement has run since the counts began"
      actions={<Button onClick={() => setIsReset(true)}>Count again from 0</Button>}
    >
      {(rows) => (
        <>
          <FigureTable
            label="Statements"
            rows={rows}
            rowKey={({ id }) => id}
            columns={[
              {
                name: 'Statement',
                value: ({ query: text }) => text,
                show: (row) => <StatementText text={row.query} />,
              },
              { name: 'Role', value: ({ role }) => role, className: 'text-ink-soft' },
              { name: 'Calls', isNumber: true, value: ({ calls }) => calls, show: ({ calls }) => count(calls) },
              {
                name: 'Time in all',
                isNumber: true,
                value: ({ total }) => total,
                show: ({ total, share }) => `${duration(total)} · ${Math.round(100 * share)} %`,
              },
              { name: 'Mean', isNumber: true, value: ({ mean }) => mean, show: ({ mean }) => duration(mean) },
              { name: 'Longest', isNumber: true, value: ({ max }) => max, show: ({ max }) => duration(max) },
              { name: 'Rows', isNumber: true, value: (row) => row.rows, show: (row) => count(row.rows) },
              { name: 'In memory', isNumber: true, value: ({ hit }) => hit, show: ({ hit }) => percent(hit) },
            ]}
            actions={({ query: text }) => <CopyButton text={text} label="Copy the statement" />}
          />
          {isReset && data ? (
            <Confirm
              title="Count again from 0"
              action="Count again"
              run={async () => {
                await resetStatements(data.schema)
                await refresh(activityKey)
              }}
              onClose={() => setIsReset(false)}
            >
              The figures of all statements are lost; the statements and the data stay.
            </Confirm>
          ) : null}
        </>
      )}
    </Report>
  )
}
