import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Input } from '../../components/field.tsx'
import { Panel } from '../../components/page.tsx'
import { Failure, Loading } from '../../components/states.tsx'
import { clockQuery, setClock } from './queries.ts'
import { clockText } from './simulated.ts'

const STEPS = [
  ['1 minute', '1m'],
  ['1 hour', '1h'],
  ['1 day', '24h'],
  ['30 days', '720h'],
] as const

/** The services' clock. */
export function ClockPanel() {
  const queryClient = useQueryClient()
  const { data: clock, error, refetch } = useQuery(clockQuery)
  const [by, setBy] = useState('')
  const setting = useMutation({ mutationFn: (wanted: string | undefined) => setClock(queryClient, wanted) })
  return (
    <Panel title="Clock">
      <div className="grid gap-3 p-3 text-[13px]">
        {clock ? (
          <p>
            <Now offset={clock.offset} />
            <span className="ml-3 text-ink-soft">{clockText(clock) ?? "It is the machine's own time."}</span>
          </p>
        ) : error ? (
          <Failure error={error} onRetry={() => void refetch()} />
        ) : (
          <Loading />
        )}
        <p className="text-ink-soft">
          Tokens, one-time codes, signed links, limits and cron jobs go by it. In SQL, now() stays the machine's time.
        </p>
        <form
          className="flex flex-wrap items-center gap-2"
          onSubmit={(event) => {
            event.preventDefault()
            setting.mutate(by.trim(), { onSuccess: () => setBy('') })
          }}
        >
          {STEPS.map(([name, duration]) => (
            <Button key={name} disabled={setting.isPending} onClick={() => setting.mutate(duration)}>
              + {name}
            </Button>
          ))}
          <Input
            aria-label="Set forward by"
            placeholder="1h30m"
            className="w-28!"
            value={by}
            onChange={({ target }) => setBy(target.value)}
          />
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
        </form>
        {setting.error ? <Failure error={setting.error} /> : null}
      </div>
    </Panel>
  )
}

const times = new Intl.DateTimeFormat('en', { dateStyle: 'full', timeStyle: 'medium' })

/** The running time. */
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
