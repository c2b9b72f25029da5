import { useQuery } from '@tanstack/react-query'
import { lazy, type ReactNode, Suspense, useMemo, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Confirm } from '../../components/confirm.tsx'
import { Panel } from '../../components/page.tsx'
import { Failure, Loading, Pending } from '../../components/states.tsx'
import { refresh } from '../../lib/api.ts'
import { bytes, count, duration, time } from '../../lib/format.ts'
import { FigureTable } from './figure-table.tsx'
import { dropSlot, type ReplicationSlot, type ServerFigures, type ServerPoint, serverQuery } from './queries.ts'

const ChartPlot = lazy(() => import('../sql/chart-plot.tsx').then((it) => ({ default: it.ChartPlot })))

const share = (part: number | null): string => (part === null ? '–' : `${(100 * part).toFixed(1)} %`)

/** Transaction ids that PostgreSQL assigns before it refuses writes. */
const MAX_TRANSACTION_AGE = 2_147_483_647

/** Figures for the whole server: connections, memory, write-ahead log, replication slots. */
export function ServerFiguresPart() {
  const { data, error, refetch } = useQuery(serverQuery)
  const [dropped, setDropped] = useState<ReplicationSlot | null>(null)
  if (data === undefined) return <Pending error={error} onRetry={refetch} />
  const { figures, points } = data
  return (
    <div className="grid gap-6 p-4">
      <Failure error={error} />
      <dl className="flex flex-wrap gap-px overflow-hidden rounded-lg border bg-line">
        {factsOf(figures).map(([name, value, note]) => (
          <div key={name} className="grid flex-1 basis-44 content-start gap-0.5 bg-raised px-3 py-2">
            <dt className="text-ink-faint text-xs">{name}</dt>
            <dd className="font-medium tabular-nums">{value}</dd>
            {note ? <dd className="text-ink-faint text-xs">{note}</dd> : null}
          </div>
        ))}
      </dl>
      <Panel title="Size since this page was opened">
        <div className="flex h-56">
          {points.length > 1 ? (
            <Suspense fallback={<Loading />}>
              <SizePlot points={points} />
            </Suspense>
          ) : (
            <Loading label="Waiting for the second measurement" />
          )}
        </div>
      </Panel>
      <Panel title="Replication slots">
        {figures.slots.length === 0 ? (
          <p className="p-3 text-ink-soft">
            No slots. A slot keeps the write-ahead log for its consumer, such as a replica.
          </p>
        ) : (
          <FigureTable
            label="Replication slots"
            rows={figures.slots}
            rowKey={({ name }) => name}
            columns={[
              { name: 'Name', value: ({ name }) => name, className: 'font-medium break-all' },
              { name: 'Kind', value: ({ kind, plugin }) => [kind, plugin].filter(Boolean).join(', ') },
              { name: 'State', value: ({ isActive }) => (isActive ? 'active' : 'inactive') },
              {
                name: 'Keeps',
                isNumber: true,
                value: ({ retained }) => retained,
                show: ({ retained }) => (retained === null ? '–' : bytes(retained)),
              },
            ]}
            actions={(slot) =>
              slot.isActive ? null : (
                <Button look="danger" aria-label={`Drop slot ${slot.name}`} onClick={() => setDropped(slot)}>
                  Drop
                </Button>
              )
            }
          />
        )}
      </Panel>
      {dropped ? (
        <Confirm
          title={`Drop slot ${dropped.name}`}
          action="Drop"
          run={async () => {
            await dropSlot(dropped.name)
            await refresh(serverQuery.queryKey)
          }}
          onClose={() => setDropped(null)}
        >
          Its consumer has to start over with a copy of the database, because the log since its last read is no longer
          kept for it.
        </Confirm>
      ) : null}
    </div>
  )
}

const factsOf = (one: ServerFigures): readonly (readonly [string, ReactNode, string?])[] => [
  ['PostgreSQL', one.version, `since ${time(one.started)}`],
  ['Sessions', `${count(one.connections)} of ${count(one.limit)}`],
  ['Size of the database', bytes(one.size)],
  ['Pages found in memory', share(one.hit), 'of all pages read'],
  ['Transactions', count(one.commits), `${count(one.rollbacks)} rolled back`],
  ['Oldest open transaction', one.oldest === null ? 'none' : duration(one.oldest)],
  ['Deadlocks', count(one.deadlocks)],
  ['Temporary files', bytes(one.temporary), 'of sorts and joins that did not fit in memory'],
  ['Write-ahead log', bytes(one.wal ?? 0), `${bytes(one.walWritten)} written in total`],
  ['Age of the oldest row', `${count(one.age)} transactions`, `${share(one.age / MAX_TRANSACTION_AGE)} of the maximum`],
]

const MB = 1024 * 1024

function SizePlot({ points }: { points: readonly ServerPoint[] }) {
  const data = useMemo(
    () => ({
      x: points.map(({ at }) => at),
      labels: null,
      isTime: true,
      series: [
        { name: 'Database, MB', values: points.map(({ size }) => Math.round(size / MB)) },
        { name: 'Write-ahead log, MB', values: points.map(({ wal }) => Math.round(Number(wal) / MB)) },
      ],
    }),
    [points],
  )
  return <ChartPlot data={data} kind="line" x="Time" />
}
