import { useMutation, useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { Button } from '../components/button.tsx'
import { Checkbox, Form, Input, Select } from '../components/field.tsx'
import { Page, Panel, TableHead } from '../components/page.tsx'
import { Failure, Pending } from '../components/states.tsx'
import { tellDone } from '../components/toast.tsx'
import {
  clockQuery,
  type FaultChange,
  type FaultState,
  faultsQuery,
  setClock,
  setFault,
} from '../features/time-and-faults/queries.ts'
import { clockText } from '../features/time-and-faults/simulated.ts'
import { projectQuery } from '../lib/api.ts'

/** Sets the clock forward, and simulates failures. */
export function TimeAndFaults() {
  return (
    <Page title="Time and faults" subtitle="How an app behaves later, and when something fails">
      <div className="mx-auto grid max-w-4xl gap-6 p-4">
        <ClockPanel />
        <FaultPanels />
      </div>
    </Page>
  )
}

const STEPS = [
  ['1 minute', '1m'],
  ['1 hour', '1h'],
  ['1 day', '24h'],
  ['30 days', '720h'],
] as const

/** The services' clock. */
function ClockPanel() {
  const { data: clock, error, refetch } = useQuery(clockQuery)
  const [by, setBy] = useState('')
  const setting = useMutation({ mutationFn: (wanted: string | undefined) => setClock(wanted) })
  return (
    <Panel title="Clock">
      <div className="grid gap-3 p-3 text-[13px]">
        {clock ? (
          <p>
            <Now offset={clock.offset} />
            <span className="ml-3 text-ink-soft">{clockText(clock) ?? "It is the machine's own time."}</span>
          </p>
        ) : (
          <Pending error={error} onRetry={refetch} />
        )}
        <p className="text-ink-soft">
          Tokens, one-time codes, signed links, limits and cron jobs use it. In SQL, now() stays the machine's time.
        </p>
        <Form
          className="flex flex-wrap items-center gap-2"
          onSubmit={() => setting.mutate(by.trim(), { onSuccess: () => setBy('') })}
        >
          {STEPS.map(([name, duration]) => (
            <Button key={name} disabled={setting.isPending} onClick={() => setting.mutate(duration)}>
              + {name}
            </Button>
          ))}
          <Input aria-label="Set forward by" placeholder="1h30m" className="w-28!" value={by} onValue={setBy} />
          <Button type="submit" disabled={setting.isPending || by.trim() === ''}>
            Set forward
          </Button>
          <Button
            look="primary"
            className="ml-auto"
            disabled={setting.isPending || clock === undefined || clock.offset === 0}
            onClick={() => setting.mutate(undefined)}
          >
            Back to the real time
          </Button>
        </Form>
        <Failure error={setting.error} />
      </div>
    </Panel>
  )
}

const times = new Intl.DateTimeFormat('en', { dateStyle: 'full', timeStyle: 'medium' })

/** The current simulated time. */
function Now({ offset }: { offset: number }) {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000)
    return () => clearInterval(timer)
  }, [])
  const time = new Date(now + offset)
  return (
    <time dateTime={time.toISOString()} className="font-medium text-[15px] tabular-nums">
      {times.format(time)}
    </time>
  )
}

/** Simulates lost connections and failing services. */
function FaultPanels() {
  const { data: project } = useQuery(projectQuery)
  const { data: faults, error, refetch } = useQuery(faultsQuery)
  const change = useMutation({ mutationFn: (wanted: FaultChange) => setFault(wanted) })
  // Until the query's new data arrives, the check box would flip back.
  const [wantsOffline, setWantsOffline] = useState<boolean | null>(null)
  if (!faults || !project) return <Pending error={faults ? null : error} onRetry={refetch} />
  const services = project.services.filter((name): name is FaultyService => name !== 'mcp')
  return (
    <>
      <Failure error={change.error} />
      <Panel title="Connections">
        <div className="flex flex-wrap items-center gap-4 p-3 text-[13px]">
          <Checkbox
            label="Offline: all connections to the API fail"
            checked={wantsOffline ?? faults.isOffline}
            onChecked={(isChecked) => {
              setWantsOffline(isChecked)
              change.mutate({ do: isChecked ? 'go-offline' : 'go-online' }, { onSettled: () => setWantsOffline(null) })
            }}
          />
          <Button
            className="ml-auto"
            onClick={() =>
              change.mutate(
                { do: 'drop-sockets' },
                { onSuccess: () => tellDone('All connections to the API were ended. Apps can reconnect.') },
              )
            }
          >
            End all connections once
          </Button>
        </div>
      </Panel>
      <Panel title="Services">
        <table className="w-full text-[13px]">
          <TableHead columns={['Service', 'Response delay', 'Fails']} />
          <tbody>
            {services.map((name) => (
              <ServiceRow key={name} name={name} faults={faults} change={change.mutate} />
            ))}
          </tbody>
        </table>
      </Panel>
      <p className="text-ink-faint text-xs">
        Calls of the console itself are not affected. Failures and delays of Realtime are those of its HTTP calls; end
        all connections to test its sockets.
      </p>
    </>
  )
}

type FaultyService = Extract<FaultChange, { service: unknown }>['service']

type ServiceRowProps = { name: FaultyService; faults: FaultState; change: (change: FaultChange) => void }

const STATUSES = [400, 401, 403, 404, 429, 500, 502, 503, 504]
const TIMES = [1, 2, 3, 5, 10]

function ServiceRow({ name, faults, change }: ServiceRowProps) {
  const delay = faults.delays[name]
  const failure = faults.failures[name]
  const fail = (status: number, times: number | null) =>
    change({ do: 'fail', service: name, status, ...(times === null ? {} : { times }) })
  return (
    <tr className="border-b">
      <th scope="row" className="px-3 py-1.5 text-left font-medium">
        {name}
      </th>
      <td className="px-3 py-1.5">
        <span className="flex items-center gap-2">
          <Input
            // The delay was changed elsewhere.
            key={delay}
            type="number"
            min={0}
            max={600_000}
            aria-label={`Delay of ${name} in milliseconds`}
            className="w-24!"
            placeholder="0"
            defaultValue={delay}
            onKeyDown={(event) => {
              if (event.key === 'Enter') event.currentTarget.blur()
            }}
            onBlur={({ target }) => {
              const milliseconds = Math.round(Number(target.value))
              if (milliseconds !== (delay ?? 0)) change({ do: 'delay', service: name, milliseconds })
            }}
          />
          ms
        </span>
      </td>
      <td className="px-3 py-1.5">
        <span className="flex items-center gap-2">
          <Select
            aria-label={`Failure of ${name}`}
            className="w-32!"
            value={failure?.status ?? ''}
            onValue={(value) => {
              if (value === '') change({ do: 'stop-failing', service: name })
              else fail(Number(value), failure?.times ?? null)
            }}
            none="no"
            options={[...new Set([...STATUSES, ...(failure ? [failure.status] : [])])].map((status) => [
              status,
              `with ${status}`,
            ])}
          />
          {failure ? (
            <Select
              aria-label={`Requests to ${name} that fail`}
              className="w-40!"
              value={failure.times ?? ''}
              onValue={(value) => fail(failure.status, value === '' ? null : Number(value))}
              none="each request"
              options={[...new Set([...TIMES, ...(failure.times === null ? [] : [failure.times])])]
                .sort((a, b) => a - b)
                .map((times) => [times, times === 1 ? 'the next request' : `the next ${times} requests`])}
            />
          ) : null}
        </span>
      </td>
    </tr>
  )
}
