import { useMutation, useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { CircleCheck, SearchX } from 'lucide-react'
import { Button } from '../components/button.tsx'
import { CopyButton, TextBlock } from '../components/copy-button.tsx'
import { TextLink } from '../components/link.tsx'
import { Page } from '../components/page.tsx'
import { Empty, Failure, Pending } from '../components/states.tsx'
import { applyStarter, type DescribedStarter, startersQuery } from '../features/start/queries.ts'
import { projectQuery, refresh } from '../lib/api.ts'

const route = getRouteApi('/starters/$name')

/** A starter: the files it would write, and how an app uses it. */
export function StarterScreen() {
  const { name } = route.useParams()
  const { data, error, refetch } = useQuery(startersQuery)
  const starter = data?.find((one) => one.name === name)
  if (starter) return <StarterDetails key={name} starter={starter} />
  if (data)
    return (
      <Empty icon={SearchX} title={`There is no starter ${name}`}>
        The <TextLink to="/">overview</TextLink> of a project without tables shows them.
      </Empty>
    )
  return <Pending error={error} onRetry={refetch} />
}

function StarterDetails({ starter }: { starter: DescribedStarter }) {
  const apply = useMutation({
    mutationFn: () => applyStarter(starter.name),
    onSuccess: () => refresh([]),
  })
  const isTaken = starter.conflicts.length > 0
  return (
    <Page
      title={starter.title}
      actions={
        apply.data ? null : (
          <Button look="primary" disabled={isTaken || apply.isPending} onClick={() => apply.mutate()}>
            Write these files and apply them
          </Button>
        )
      }
    >
      <div className="mx-auto grid max-w-4xl gap-6 p-4">
        <p className="text-ink-soft">
          {starter.summary} The files belong to the project as soon as they are written: change or delete them as you
          like.
        </p>
        <Failure error={apply.error} />
        {apply.data ? (
          <Done paths={apply.data.paths} />
        ) : isTaken ? (
          <p className="rounded-md border border-warn/40 bg-warn-soft px-3 py-2 text-[13px] text-warn">
            It cannot be added here: {starter.conflicts.join(' and ')}{' '}
            {starter.conflicts.length === 1 ? 'exists' : 'exist'} already.
          </p>
        ) : null}
        {apply.data ? null : <Files starter={starter} />}
        <Snippet starter={starter} />
      </div>
    </Page>
  )
}

function Done({ paths }: { paths: readonly string[] }) {
  return (
    <section role="status" className="flex gap-3 rounded-lg border border-accent/40 bg-accent-soft p-3 text-[13px]">
      <CircleCheck aria-hidden className="mt-0.5 size-4 shrink-0 text-accent" />
      <div className="grid gap-1">
        <p className="font-medium">It was applied, and these files were written. Commit them:</p>
        <ul>
          {paths.map((path) => (
            <li key={path}>
              <code className="font-mono text-xs">{path}</code>
            </li>
          ))}
        </ul>
        <p>
          See the <TextLink to="/tables">tables</TextLink> and the <TextLink to="/policies">policies</TextLink>, sign in
          as ada@example.com or grace@example.com with the password “password”, and run the tests with{' '}
          <code className="font-mono text-xs">npx undock db test</code>.
        </p>
      </div>
    </section>
  )
}

function Snippet({ starter: { snippet } }: { starter: DescribedStarter }) {
  const { data: project } = useQuery(projectQuery)
  const client = `import { createClient } from '@supabase/supabase-js'\n\nconst supabase = createClient('${project?.urls.api ?? ''}', '${project?.keys.publishable ?? ''}')\n\n`
  const code = client + snippet
  return (
    <section>
      <div className="mb-2 flex items-center justify-between">
        <h2 className="font-semibold">How an app uses it</h2>
        <CopyButton text={code} label="Copy the code" />
      </div>
      <div className="rounded-lg border bg-raised">
        <TextBlock label="Code of an app" text={code} />
      </div>
    </section>
  )
}

const KINDS: Readonly<Record<DescribedStarter['files'][number]['kind'], string>> = {
  migration: 'The migration: tables, indexes and policies',
  seed: 'Rows to try it with, for this machine only',
  test: 'Tests of its policies',
}

function Files({ starter: { files } }: { starter: DescribedStarter }) {
  return files.map(({ kind, path, added, isNew }) => (
    <section key={path}>
      <h2 className="font-semibold">{KINDS[kind]}</h2>
      <p className="mb-2 text-ink-soft text-[13px]">
        {isNew ? '' : 'At the end of '}
        <code className="font-mono text-xs">{path}</code>
      </p>
      <div className="rounded-lg border bg-raised">
        <TextBlock label={`Text of ${path}`} text={added.trim()} className="max-h-96" />
      </div>
    </section>
  ))
}
