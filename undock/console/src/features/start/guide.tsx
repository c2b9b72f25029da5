import { useQuery } from '@tanstack/react-query'
import { Link, type LinkProps } from '@tanstack/react-router'
import { Check, Circle } from 'lucide-react'
import { useEffect } from 'react'
import { Button } from '../../components/button.tsx'
import { TextLink } from '../../components/link.tsx'
import { Panel } from '../../components/page.tsx'
import type { ProjectFacts } from '../../lib/api.ts'
import { useStored } from '../../lib/state.ts'
import { type FirstSteps, firstStepsQuery, startersQuery } from './queries.ts'

/** First steps of a project without tables. Stays until all are done or the user hides it. */
export function Guide({ project: { name, schemas, isLocal } }: { project: ProjectFacts }) {
  const { data } = useQuery(firstStepsQuery(schemas))
  // Another project may use the same address later.
  const [state, setState] = useStored(`undock-first-steps ${name}`, '')
  const isNew = data?.tables === 0
  useEffect(() => {
    if (isNew && state === '') setState('begun')
  }, [isNew, state, setState])
  if (!data || state === 'hidden' || (!isNew && state === '')) return null
  const steps = stepsOf(data)
  const remaining = steps.filter(({ isDone }) => !isDone).length
  return (
    <>
      <Panel
        title={remaining === 0 ? 'First steps: all done' : 'First steps'}
        actions={
          <Button look="quiet" onClick={() => setState('hidden')}>
            Hide
          </Button>
        }
      >
        <ol className="divide-y">
          {steps.map((step) => (
            <Step key={step.title} step={step} />
          ))}
        </ol>
        <p className="border-t px-3 py-2 text-ink-soft text-[13px]">
          Then connect an app with the addresses and keys below. Each of its requests is shown under{' '}
          <TextLink to="/requests">Requests</TextLink>, with the reason when it is refused.
        </p>
      </Panel>
      {isNew && isLocal ? <Starters /> : null}
    </>
  )
}

type GuideStep = {
  readonly title: string
  readonly text: string
  readonly isDone: boolean
  readonly link: Pick<LinkProps, 'to' | 'params' | 'search'>
}

function stepsOf({ tables, policies, users, buckets, table }: FirstSteps): readonly GuideStep[] {
  return [
    {
      title: 'Create a table',
      text: 'It holds rows of your app. The change is written as a migration, for other machines and for deployment.',
      isDone: tables > 0,
      link: { to: '/tables', search: { new: true } },
    },
    {
      title: 'Write a policy',
      text: 'With row security on, the API returns no rows until a policy allows it.',
      isDone: policies > 0,
      link: table
        ? { to: '/policies/$schema/$name', params: table, search: { new: true } }
        : { to: '/tables', search: { new: true } },
    },
    {
      title: 'Add a user',
      text: 'An account to sign in with. You can also view any table as this user.',
      isDone: users,
      link: { to: '/users', search: { add: true } },
    },
    {
      title: 'Create a bucket',
      text: 'It holds files. Policies on storage.objects say who may read and write them.',
      isDone: buckets,
      link: { to: '/storage', search: { new: true } },
    },
  ]
}

function Step({ step: { title, text, isDone, link } }: { step: GuideStep }) {
  return (
    <li className="flex items-start gap-3 px-3 py-2.5">
      {isDone ? (
        <Check aria-label="Done" className="mt-0.5 size-4 shrink-0 text-accent" />
      ) : (
        <Circle aria-label="To do" className="mt-0.5 size-4 shrink-0 text-ink-faint" />
      )}
      <div className="min-w-0">
        {isDone ? (
          <p className="font-medium text-ink-soft">{title}</p>
        ) : (
          <Link {...link} className="font-medium text-accent hover:underline">
            {title}
          </Link>
        )}
        <p className="text-ink-soft text-[13px]">{text}</p>
      </div>
    </li>
  )
}

function Starters() {
  const { data } = useQuery(startersQuery)
  if (!data) return null
  return (
    <section aria-labelledby="starters">
      <h2 id="starters" className="mb-2 font-semibold">
        Or start with an example
      </h2>
      <ul className="grid gap-3 sm:grid-cols-3">
        {data.map(({ name, title, summary }) => (
          <li key={name}>
            <Link
              to="/starters/$name"
              params={{ name }}
              className="block h-full rounded-lg border bg-raised p-3 hover:border-ink-faint"
            >
              <span className="font-medium text-accent">{title}</span>
              <span className="mt-1 block text-ink-soft text-[13px]">{summary}</span>
            </Link>
          </li>
        ))}
      </ul>
    </section>
  )
}
