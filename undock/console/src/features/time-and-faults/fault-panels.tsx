import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Checkbox, Input, Select } from '../../components/field.tsx'
import { Panel } from '../../components/page.tsx'
import { Failure, Loading } from '../../components/states.tsx'
import { tellDone } from '../../components/toast.tsx'
import { projectQuery } from '../project.ts'
import { type FaultChange, type FaultState, faultsQuery, setFault } from './queries.ts'

/** Lost connections and failing services, as an app would meet them. */
export function FaultPanels() {
  const queryClient = useQueryClient()
  const { data: project } = useQuery(projectQuery)
  const { data: faults, error, refetch } = useQuery(faultsQuery)
  const change = useMutation({ mutationFn: (wanted: FaultChange) => setFault(queryClient, wanted) })
  // The query tells React of its new data a moment later, in which the box would fall back.
  const [wantsOffline, setWantsOffline] = useState<boolean | null>(null)
  if (error && !faults) return <Failure error={error} onRetry={() => void refetch()} />
  if (!faults || !project) return <Loading />
  const services = project.services.filter((name): name is FaultyService => name !== 'mcp')
  return (
    <>
      {change.error ? <Failure error={change.error} /> : null}
      <Panel title="Connections">
        <div className="flex flex-wrap items-center gap-4 p-3 text-[13px]">
          <Checkbox
            label="Offline: no connection to the API comes through"
            checked={wantsOffline ?? faults.isOffline}
            onChange={({ target }) => {
              setWantsOffline(target.checked)
              change.mutate(
                { do: target.checked ? 'go-offline' : 'go-online' },
                { onSettled: () => setWantsOffline(null) },
              )
            }}
          />
          <Button
            className="ml-auto"
            onClick={() =>
              change.mutate(
                { do: 'drop-sockets' },
                { onSuccess: () => tellDone('All connections to the API were ended. Apps may connect again.') },
              )
            }
          >
            End all connections once
          </Button>
        </div>
      </Panel>
      <Panel title="Services">
        <table className="w-full text-[13px]">
          <thead>
            <tr className="border-b text-left text-ink-faint text-xs">
              <th scope="col" className="px-3 py-1.5 font-normal">
                Service
              </th>
              <th scope="col" className="px-3 py-1.5 font-normal">
                Answers later by
              </th>
              <th scope="col" className="px-3 py-1.5 font-normal">
                Fails
              </th>
            </tr>
          </thead>
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
            // Another delay was set elsewhere.
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
            onChange={({ target }) => {
              if (target.value === '') change({ do: 'stop-failing', service: name })
              else fail(Number(target.value), failure?.times ?? null)
            }}
          >
            <option value="">no</option>
            {[...new Set([...STATUSES, ...(failure ? [failure.status] : [])])].map((status) => (
              <option key={status} value={status}>
                with {status}
              </option>
            ))}
          </Select>
          {failure ? (
            <Select
              aria-label={`Requests to ${name} that fail`}
              className="w-40!"
              value={failure.times ?? ''}
              onChange={({ target }) => fail(failure.status, target.value === '' ? null : Number(target.value))}
            >
              <option value="">each request</option>
              {[...new Set([...TIMES, ...(failure.times === null ? [] : [failure.times])])]
                .sort((a, b) => a - b)
                .map((times) => (
                  <option key={times} value={times}>
                    {times === 1 ? 'the next request' : `the next ${times} requests`}
                  </option>
                ))}
            </Select>
          ) : null}
        </span>
      </td>
    </tr>
  )
}
