import { useQuery } from '@tanstack/react-query'
import { Link, type LinkProps } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { CopyButton } from '../components/copy-button.tsx'
import { Page } from '../components/page.tsx'
import { Pending } from '../components/states.tsx'
import { advisorsQuery } from '../features/catalog.ts'
import { mailsQuery } from '../features/mail/mails.ts'
import { requestsQuery } from '../features/requests/queries.ts'
import { Guide } from '../features/start/guide.tsx'
import { type ProjectFacts, projectQuery } from '../lib/api.ts'
import { bytes, counted, time, timeOfDay } from '../lib/format.ts'

export function Overview() {
  const { data, error, refetch } = useQuery({ ...projectQuery, refetchInterval: 5_000 })
  return (
    <Page title="Overview" subtitle={data ? `since ${time(data.startedAt)}` : null}>
      {data ? <Facts project={data} /> : <Pending error={error} onRetry={refetch} />}
    </Page>
  )
}

function Facts({ project }: { project: ProjectFacts }) {
  const { urls, keys, memory, engine, services, schemas } = project
  return (
    <div className="mx-auto grid max-w-4xl grid-cols-1 gap-6 p-4">
      <Guide project={project} />
      <section className="grid gap-3 sm:grid-cols-3">
        <Figure
          name="Database engine"
          value={engine.title}
          detail={`because ${engine.reason}. ${engine.remedy ?? ''}`}
        />
        <Figure
          name="Memory"
          value={`${bytes(memory.total)}${memory.database === null ? '' : `, ${bytes(memory.database)} of it the database`}`}
        />
        <Figure name="Services" value={services.join(', ')} />
      </section>
      <Attention />
      <Section title="Addresses">
        <Value name="API" value={urls.api} />
        <Value name="Database" value={urls.database} />
        <Value name="Pooler" value={urls.pooler} />
        <Value name="Mail inbox" value={urls.mail} />
        <Value name="Exposed schemas" value={schemas.join(', ')} />
      </Section>
      <Section title="Keys">
        <Value name="Publishable" value={keys.publishable} hint="For apps: row security limits what it can do." />
        <Value name="Secret" value={keys.secret} hint="For servers: it bypasses row security." isSecret />
        <Value name="anon (legacy)" value={keys.anon} isSecret />
        <Value name="service_role (legacy)" value={keys.serviceRole} isSecret />
        <Value name="JWT secret" value={project.jwtSecret} isSecret />
      </Section>
      <Snippets project={project} />
    </div>
  )
}

const Figure = ({ name, value, detail }: { name: string; value: string; detail?: string }) => (
  <div className="rounded-lg border bg-raised p-3">
    <p className="text-ink-faint text-xs">{name}</p>
    <p className="mt-1 font-medium">{value}</p>
    {detail && <p className="wrap-anywhere mt-1 text-ink-faint text-sm">{detail}</p>}
  </div>
)

function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section>
      <h2 className="mb-2 font-semibold">{title}</h2>
      <dl className="divide-y rounded-lg border bg-raised">{children}</dl>
    </section>
  )
}

type ValueProps = { name: string; value: string | null; hint?: string; isSecret?: boolean }

function Value({ name, value, hint, isSecret = false }: ValueProps) {
  const [isShown, setIsShown] = useState(!isSecret)
  if (value === null) return null
  return (
    <div className="flex flex-wrap items-center gap-x-3 px-3 py-1.5">
      <dt className="w-40 shrink-0 text-ink-soft text-[13px]">{name}</dt>
      <dd className="flex min-w-0 flex-1 items-center gap-1">
        <code className="min-w-0 flex-1 truncate font-mono text-xs" title={isShown ? value : undefined}>
          {isShown ? value : '•'.repeat(24)}
        </code>
        {isSecret ? (
          <button type="button" className="px-1 text-accent text-xs" onClick={() => setIsShown(!isShown)}>
            {isShown ? 'Hide' : 'Show'}
            <span className="sr-only"> {name}</span>
          </button>
        ) : null}
        <CopyButton text={value} label={`Copy ${name}`} />
      </dd>
      {hint ? <dd className="basis-full text-ink-faint text-xs sm:pl-43">{hint}</dd> : null}
    </div>
  )
}

const FRAMEWORKS: readonly { readonly name: string; readonly snippet: (url: string, key: string) => string }[] = [
  {
    name: 'supabase-js',
    snippet: (url, key) =>
      `import { createClient } from '@supabase/supabase-js'\n\nconst supabase = createClient('${url}', '${key}')`,
  },
  { name: 'Vite', snippet: (url, key) => `VITE_SUPABASE_URL=${url}\nVITE_SUPABASE_PUBLISHABLE_KEY=${key}` },
  {
    name: 'Next.js',
    snippet: (url, key) => `NEXT_PUBLIC_SUPABASE_URL=${url}\nNEXT_PUBLIC_SUPABASE_PUBLISHABLE_KEY=${key}`,
  },
  {
    name: 'Expo',
    snippet: (url, key) => `EXPO_PUBLIC_SUPABASE_URL=${url}\nEXPO_PUBLIC_SUPABASE_PUBLISHABLE_KEY=${key}`,
  },
  { name: 'Flutter', snippet: (url, key) => `await Supabase.initialize(url: '${url}', anonKey: '${key}');` },
  {
    name: 'Python',
    snippet: (url, key) => `from supabase import create_client\n\nsupabase = create_client("${url}", "${key}")`,
  },
]

function Snippets({ project: { urls, keys } }: { project: ProjectFacts }) {
  const [chosen, setChosen] = useState('supabase-js')
  const snippet = FRAMEWORKS.find(({ name }) => name === chosen)?.snippet(urls.api ?? '', keys.publishable) ?? ''
  return (
    <section>
      <h2 className="mb-2 font-semibold">Connect an app</h2>
      <fieldset aria-label="Framework" className="mb-2 flex flex-wrap gap-1">
        {FRAMEWORKS.map(({ name }) => (
          <button
            key={name}
            type="button"
            aria-pressed={name === chosen}
            onClick={() => setChosen(name)}
            className="rounded-md px-2 py-1 text-[13px] text-ink-soft hover:bg-panel aria-pressed:bg-accent-soft aria-pressed:text-ink"
          >
            {name}
          </button>
        ))}
      </fieldset>
      <div className="relative rounded-lg border bg-raised">
        <pre className="overflow-auto whitespace-pre-wrap break-words p-3 pr-12 font-mono text-xs">{snippet}</pre>
        <div className="absolute top-1 right-1">
          <CopyButton text={snippet} label="Copy the snippet" />
        </div>
      </div>
    </section>
  )
}

/** Milliseconds between checks. */
const REFRESH = 10_000

/** Recent failures, the advisors' findings and the newest email, with links to their screens. */
function Attention() {
  const failed = useQuery({ ...requestsQuery({ failed: true }), refetchInterval: REFRESH })
  const advisors = useQuery({ ...advisorsQuery, staleTime: Number.POSITIVE_INFINITY })
  const mails = useQuery({ ...mailsQuery(''), refetchInterval: REFRESH })
  const [last] = failed.data ?? []
  const [mail] = mails.data?.messages ?? []
  const countOf = (level: string): number => advisors.data?.filter((one) => one.level === level).length ?? 0
  const [errors, warnings] = [countOf('ERROR'), countOf('WARN')]
  return (
    <section aria-label="Lately" className="grid gap-3 sm:grid-cols-3">
      <Card
        to="/requests"
        search={{ failed: true }}
        name="Failed requests"
        value={failed.data && (failed.data.length === 0 ? 'None' : counted(failed.data.length, 'request'))}
        detail={last && `${timeOfDay(last.time)} ${last.status} ${last.method} ${last.path}`}
        isWrong={last !== undefined}
      />
      <Card
        to="/advisors"
        name="Advisors"
        value={
          advisors.data &&
          (advisors.data.length === 0
            ? 'Nothing found'
            : [
                ...(errors > 0 ? [counted(errors, 'error')] : []),
                ...(warnings > 0 ? [counted(warnings, 'warning')] : []),
                counted(advisors.data.length - errors - warnings, 'note'),
              ].join(', '))
        }
        detail={advisors.data?.find(({ level }) => level === (errors > 0 ? 'ERROR' : 'WARN'))?.title}
        isWrong={errors > 0}
      />
      <Card
        to="/mail"
        name="Newest email"
        value={mails.data && (mail ? mail.Subject || '(no subject)' : 'None')}
        detail={mail && `to ${mail.To.map((one) => one.Address).join(', ')}`}
      />
    </section>
  )
}

type CardProps = LinkProps & {
  name: string
  /** Undefined while loading. */
  value: string | undefined
  detail: string | undefined
  isWrong?: boolean
}

function Card({ name, value, detail, isWrong = false, ...link }: CardProps) {
  return (
    <Link {...link} className="min-w-0 rounded-lg border bg-raised p-3 hover:border-accent">
      <p className="text-ink-faint text-xs">{name}</p>
      <p className={`mt-1 truncate font-medium ${isWrong ? 'text-danger' : ''}`}>{value ?? '–'}</p>
      <p className="mt-0.5 truncate text-ink-faint text-xs">{detail ?? '\u00a0'}</p>
    </Link>
  )
}
