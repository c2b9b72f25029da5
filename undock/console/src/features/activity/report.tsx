import { useMutation, useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import clsx from 'clsx'
import { Database } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Confirm } from '../../components/confirm.tsx'
import { CopyButton } from '../../components/copy-button.tsx'
import { SearchFilter } from '../../components/filters.tsx'
import { Page } from '../../components/page.tsx'
import { Empty, Failure, Pending } from '../../components/states.tsx'
import { tellDone, tellFailure } from '../../components/toast.tsx'
import { refresh } from '../../lib/api.ts'
import { age, bytes, count, duration } from '../../lib/format.ts'
import { qualified } from '../../lib/sql.ts'
import { useTextFilter } from '../../lib/state.ts'
import { ApplyDialog } from '../migrations/apply-dialog.tsx'
import { NotEnabled } from '../objects/not-enabled.tsx'
import type { SqlChange } from '../schema/table-changes.ts'
import { type FigureColumn, FigureTable, StatementText } from './figure-table.tsx'
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

/** A searchable list with its loading, empty and error states. */
function Report<Row>({ title, query, textOf, actions, none, children }: ReportProps<Row>) {
  const { text } = route.useSearch()
  const { data, error, refetch } = query
  const isFound = useTextFilter(text)
  const matches = data?.filter((row) => isFound(textOf(row)))
  return (
    <Page
      title={title}
      subtitle={matches ? count(matches.length) : null}
      actions={
        <>
          <SearchFilter label={`Search ${title.toLowerCase()}`} placeholder="Search" className="max-w-56" />
          {actions}
        </>
      }
    >
      {error && matches ? <Failure error={error} onRetry={refetch} /> : null}
      {matches === undefined ? (
        <Pending error={error} onRetry={refetch} />
      ) : matches.length === 0 ? (
        <Empty icon={Database} title={text ? 'No matches' : none} />
      ) : (
        children(matches)
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

const ageOrNever = (time: string | null): string => (time ? age(time) : 'never')

/** A column of formatted numbers or times. */
const figure = <Key extends string, Value extends number | string | null>(
  name: string,
  key: Key,
  show: (value: Value) => string,
): FigureColumn<Readonly<Record<Key, Value>>> => ({
  name,
  isNumber: true,
  value: (row) => row[key],
  show: (row) => show(row[key]),
})

/** The size of indexes, and which are unnecessary. */
export function IndexReport() {
  const maintenance = useMaintenance()
  const [dropped, setDropped] = useState<IndexFigures | null>(null)
  return (
    <Report
      title="Indexes"
      query={useQuery(indexesQuery)}
      textOf={({ schema, name, table, fault }) => `${schema}.${name} ${table} ${fault ?? ''}`}
      none="No indexes yet"
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
              figure('Size', 'size', bytes),
              figure('Reads', 'scans', count),
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
                  aria-label={`Rebuild ${row.schema}.${row.name}`}
                  onClick={() => maintenance.mutate({ verb: 'reindex index concurrently', of: row })}
                >
                  Rebuild
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

/** Highlights a table if rewriting it would free this many bytes and this share of it. */
const MUCH_WASTED = { bytes: 1024 * 1024, part: 0.3 }

const isBloated = ({ wasted, total, indexes }: TableFigures): boolean =>
  Number(wasted) > MUCH_WASTED.bytes && Number(wasted) > MUCH_WASTED.part * (total - indexes)

/** The size of tables, how they're read, and when they were vacuumed and analyzed. */
export function TableReport() {
  const maintenance = useMaintenance()
  return (
    <Report
      title="Tables"
      query={useQuery(tablesQuery)}
      textOf={({ schema, name }) => `${schema}.${name}`}
      none="No tables yet"
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
            figure('Size', 'total', bytes),
            figure('Indexes', 'indexes', bytes),
            figure('Rows', 'rows', count),
            figure('Dead rows', 'dead', count),
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
            figure('Read whole', 'scans', count),
            figure('By index', 'indexScans', count),
            figure('In memory', 'hit', percent),
            figure('Vacuumed', 'vacuumed', ageOrNever),
            figure('Analyzed', 'analyzed', ageOrNever),
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

/** How often each statement ran, and how long it took. */
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
      none="No statements yet"
      actions={<Button onClick={() => setIsReset(true)}>Reset the statistics</Button>}
    >
      {(rows) => (
        <>
          <FigureTable
            label="Statements"
            rows={rows}
            rowKey={({ id }) => id}
            columns={[
              { name: 'Statement', value: (row) => row.query, show: (row) => <StatementText text={row.query} /> },
              { name: 'Role', value: ({ role }) => role, className: 'text-ink-soft' },
              figure('Calls', 'calls', count),
              {
                name: 'Total time',
                isNumber: true,
                value: ({ total }) => total,
                show: ({ total, share }) => `${duration(total)} · ${Math.round(100 * share)} %`,
              },
              figure('Mean', 'mean', duration),
              figure('Longest', 'max', duration),
              figure('Rows', 'rows', count),
              figure('In memory', 'hit', percent),
            ]}
            actions={({ query: text }) => <CopyButton text={text} label="Copy the statement" />}
          />
          {isReset && data ? (
            <Confirm
              title="Reset the statistics"
              action="Reset"
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
