import { useQuery } from '@tanstack/react-query'
import clsx from 'clsx'
import { Failure } from '../../components/states.tsx'
import { type FunctionLine, linesQuery } from './functions.ts'

const TONES: Readonly<Record<FunctionLine['level'], string>> = {
  debug: 'text-ink-faint',
  info: 'text-ink',
  warn: 'text-warn',
  error: 'text-danger',
}

/** A function's log, newest line first. */
export function Lines({ name }: { name: string }) {
  const { data, error, refetch } = useQuery(linesQuery(name))
  return (
    <section aria-label="Log" className="grid gap-2">
      <h2 className="font-semibold">Log</h2>
      {error && !data ? <Failure error={error} onRetry={() => void refetch()} /> : null}
      {data?.length === 0 ? (
        <p className="text-ink-faint text-xs">The function has written nothing since the backend started.</p>
      ) : (
        <ol className="divide-y rounded-lg border bg-raised font-mono text-xs">
          {(data ?? []).toReversed().map(({ id, time, level, text }) => (
            <li key={id} className="flex gap-3 px-3 py-1 [content-visibility:auto]">
              <time dateTime={time} className="shrink-0 text-ink-faint">
                {time.slice(11, 23)}
              </time>
              <span className={clsx('w-10 shrink-0', TONES[level])}>{level}</span>
              <span className={clsx('min-w-0 whitespace-pre-wrap break-words', TONES[level])}>{text.trimEnd()}</span>
            </li>
          ))}
        </ol>
      )}
    </section>
  )
}
