import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import clsx from 'clsx'
import { SearchX } from 'lucide-react'
import { CopyButton, TextBlock } from '../components/copy-button.tsx'
import { Page } from '../components/page.tsx'
import { Empty, Failure } from '../components/states.tsx'
import { CallForm } from '../features/functions/call-form.tsx'
import { type FunctionLine, type FunctionState, functionsQuery, linesQuery } from '../features/functions/functions.ts'
import { projectQuery } from '../lib/api.ts'
import { time } from '../lib/format.ts'

const route = getRouteApi('/functions/$name')

const WORKERS: Readonly<Record<FunctionState['worker'], string>> = {
  none: 'No worker yet: the first call starts one.',
  booting: 'Its worker is booting.',
  ready: 'Its worker is running.',
  ended: 'Its worker has ended; the next call starts another.',
}

export function FunctionScreen() {
  const { name } = route.useParams()
  const { data } = useQuery(functionsQuery)
  const { data: project } = useQuery(projectQuery)
  const one = data?.find((known) => known.name === name)
  if (!one)
    return (
      <Empty icon={SearchX} title={`There is no function ${name}`}>
        Its folder below supabase/functions may have been renamed or deleted.
      </Empty>
    )
  const url = `${project?.urls.api ?? ''}/functions/v1/${name}`
  return (
    <Page title={name} subtitle={WORKERS[one.worker]}>
      <div className="mx-auto grid max-w-5xl gap-6 p-4">
        <dl className="divide-y rounded-lg border bg-raised text-[13px]">
          <Value name="URL" value={url} />
          <Value name="Code" value={one.entrypoint} />
          <div className="flex px-3 py-1.5">
            <dt className="w-28 shrink-0 text-ink-soft">verify_jwt</dt>
            <dd>{one.verifyJwt ? 'on: callers need a key or a token of the project' : 'off: anyone can call it'}</dd>
          </div>
        </dl>
        {one.fault === null ? null : (
          <section aria-label="Why it cannot boot" className="grid gap-1">
            <h2 className="font-semibold text-danger">It cannot boot</h2>
            <Trace text={one.fault} />
          </section>
        )}
        {one.lastError === null || one.lastError.text === one.fault ? null : (
          <section aria-label="Last error" className="grid gap-1">
            <h2 className="font-semibold">
              Last error <span className="font-normal text-ink-faint text-xs">{time(one.lastError.time)}</span>
            </h2>
            {one.lastError.place ? (
              <p className="flex items-center gap-1 font-mono text-xs">
                {placeText(one.lastError.place)}
                <CopyButton text={placeText(one.lastError.place)} label="Copy the place of the error" />
              </p>
            ) : null}
            <Trace text={one.lastError.text} />
          </section>
        )}
        <CallForm key={name} name={name} verifyJwt={one.verifyJwt} />
        <Lines name={name} />
      </div>
    </Page>
  )
}

const placeText = ({ file, line, column }: { file: string; line: number; column: number }): string =>
  `${file}:${line}:${column}`

const Trace = ({ text }: { text: string }) => (
  <TextBlock label="Stack trace" text={text} className="max-h-60 rounded-md border border-danger/30 bg-danger-soft" />
)

const Value = ({ name, value }: { name: string; value: string }) => (
  <div className="flex items-center px-3 py-0.5">
    <dt className="w-28 shrink-0 text-ink-soft">{name}</dt>
    <dd className="flex min-w-0 flex-1 items-center gap-1">
      <code className="min-w-0 flex-1 truncate font-mono text-xs" title={value}>
        {value}
      </code>
      <CopyButton text={value} label={`Copy ${name}`} />
    </dd>
  </div>
)

const TONES: Readonly<Record<FunctionLine['level'], string>> = {
  debug: 'text-ink-faint',
  info: 'text-ink',
  warn: 'text-warn',
  error: 'text-danger',
}

/** A function's log, newest line first. */
function Lines({ name }: { name: string }) {
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
