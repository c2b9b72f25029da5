import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import clsx from 'clsx'
import { Button } from '../../components/button.tsx'
import { Failure } from '../../components/states.tsx'
import { readJson, write } from '../../lib/api.ts'
import { duration, time } from '../../lib/format.ts'
import { catalogKey } from '../catalog.ts'
import type { DatabaseObject } from './sections.ts'

type Run = {
  readonly id: string
  readonly status: string
  readonly message: string | null
  readonly start: string | null
  /** Milliseconds. */
  readonly lasted: number | null
}

const RUNS = `
  select json_build_object('id', runid::text, 'status', status, 'message', return_message, 'start', start_time,
    'lasted', extract(epoch from end_time - start_time) * 1000)
  from cron.job_run_details where jobid = $1::bigint order by runid desc limit 50`

/** The last runs of a job, and the switch that pauses it. */
export function JobRuns({ job }: { job: DatabaseObject }) {
  const queryClient = useQueryClient()
  const isActive = job.facts.State === 'active'
  const runs = useQuery({
    queryKey: [...catalogKey, 'runs', job.id],
    queryFn: ({ signal }) => readJson<Run>(RUNS, [job.id], { signal }),
    refetchInterval: 5_000,
  })
  const toggle = useMutation({
    mutationFn: () =>
      write([
        { text: 'select cron.alter_job($1::bigint, active := $2::boolean)', values: [job.id, String(!isActive)] },
      ]),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: [...catalogKey, 'objects', 'cron'] }),
  })
  return (
    <>
      <div>
        <Button onClick={() => toggle.mutate()} disabled={toggle.isPending}>
          {isActive ? 'Pause the job' : 'Let the job run again'}
        </Button>
      </div>
      {toggle.error ? <Failure error={toggle.error} /> : null}
      {runs.error ? <Failure error={runs.error} /> : null}
      {runs.data?.length === 0 ? <p className="text-ink-soft">It has not run yet.</p> : null}
      {runs.data && runs.data.length > 0 ? (
        <ol aria-label="Runs" className="max-h-72 divide-y overflow-auto rounded-md border bg-raised">
          {runs.data.map((run) => (
            <li key={run.id} className="flex gap-3 px-3 py-1.5 text-xs">
              <span className="w-44 shrink-0 text-ink-soft">{time(run.start)}</span>
              <span className={clsx('w-20 shrink-0', run.status === 'failed' && 'font-medium text-danger')}>
                {run.status}
              </span>
              <span className="w-16 shrink-0 text-ink-soft">{run.lasted === null ? '' : duration(run.lasted)}</span>
              <span className="min-w-0 flex-1 break-words">{run.message}</span>
            </li>
          ))}
        </ol>
      ) : null}
    </>
  )
}
