import { useMutation, useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import clsx from 'clsx'
import { Boxes, Plus, SearchX, Trash2 } from 'lucide-react'
import { type ReactNode, useMemo, useState } from 'react'
import { Button, IconButton } from '../components/button.tsx'
import { Form, Input } from '../components/field.tsx'
import { FilterBar, SearchFilter, SelectFilter } from '../components/filters.tsx'
import { Page } from '../components/page.tsx'
import { Empty, Failure, Pending } from '../components/states.tsx'
import { catalogKey } from '../features/catalog.ts'
import { ApplyDialog } from '../features/migrations/apply-dialog.tsx'
import { NotEnabled } from '../features/objects/not-enabled.tsx'
import { type ObjectAction, ObjectList } from '../features/objects/object-list.tsx'
import { NewSecret, SecretValue } from '../features/objects/secrets.tsx'
import { type DatabaseObject, objectsQuery, SECTIONS, type Section } from '../features/objects/sections.ts'
import type { SqlChange } from '../features/schema/table-changes.ts'
import { readJson, refresh, type Statement, write } from '../lib/api.ts'
import { counted, duration, time } from '../lib/format.ts'
import { qualified } from '../lib/sql.ts'
import { useSearchChange, useTextFilter } from '../lib/state.ts'

const route = getRouteApi('/schema/$section')

/** More details below the definition, in some sections. */
const MORE: Readonly<Record<string, (object: DatabaseObject) => ReactNode>> = {
  cron: (job) => <JobRuns job={job} />,
  queues: (queue) => <QueueMessages queue={queue} />,
  vault: (secret) => <SecretValue secret={secret} />,
}

export function Objects() {
  const { section: id } = route.useParams()
  const section = SECTIONS.find((one) => one.id === id)
  return section ? (
    <SectionPage key={id} section={section} />
  ) : (
    <Empty icon={SearchX} title={`There is nothing called ${id} here`}>
      Choose a section on the left.
    </Empty>
  )
}

const slug = (name: string): string => name.replace(/\W+/g, '_').replace(/^_|_$/g, '').toLowerCase()

const changeOf = ({ kind, object, sql }: ObjectAction, { noun }: Section): SqlChange => {
  const verb = { change: 'Change', drop: noun === 'extension' ? 'Disable' : 'Delete', create: 'Enable' }[kind]
  const name = object.name.replace(/\(.*/s, '')
  return { title: `${verb} ${name}`, sql, name: `${verb.toLowerCase()}_${noun}_${slug(name)}` }
}

function SectionPage({ section }: { section: Section }) {
  const { text, schema = 'public', open } = route.useSearch()
  const { data: objects, error, refetch } = useQuery(objectsQuery(section))
  const [change, setChange] = useState<SqlChange | null>(null)
  const [isNewSecretOpen, setIsNewSecretOpen] = useState(false)
  const isFound = useTextFilter(text)
  const schemas = useMemo(
    () => [...new Set(['public', schema, ...(objects ?? []).flatMap((one) => one.schema ?? [])])].sort(),
    [objects, schema],
  )
  const shown = useMemo(
    () =>
      (objects ?? []).filter(
        (one) =>
          (!section.hasSchemas || schema === '*' || one.schema === schema) &&
          isFound(`${one.name} ${one.comment ?? ''} ${Object.values(one.facts).join(' ')}`),
      ),
    [objects, section, schema, isFound],
  )
  const update = useSearchChange()
  const begin = () => {
    if (section.id === 'vault') setIsNewSecretOpen(true)
    else setChange({ title: `New ${section.noun}`, sql: section.template ?? '', name: `add_${section.noun}` })
  }
  const canBegin = objects && (section.template !== null || section.id === 'vault')
  return (
    <Page
      title={section.name}
      subtitle={objects ? counted(shown.length, section.noun) : null}
      actions={
        canBegin ? (
          <Button icon={Plus} look="primary" onClick={begin}>
            {`New ${section.noun}`}
          </Button>
        ) : null
      }
    >
      {objects === undefined ? (
        <Pending error={error} onRetry={refetch} />
      ) : objects === null ? (
        <NotEnabled extension={section.extension ?? ''} about={section.about} onEnable={setChange} />
      ) : (
        <div className="flex h-full flex-col">
          <FilterBar>
            <SearchFilter label={`Search ${section.name.toLowerCase()}`} placeholder="Name or text" />
            {section.hasSchemas ? (
              <SelectFilter
                name="schema"
                label="Schema"
                initial="public"
                options={[['*', 'All schemas'], ...schemas.filter((one) => one !== '*')]}
              />
            ) : null}
          </FilterBar>
          <div className="min-h-0 flex-1">
            {shown.length > 0 ? (
              <ObjectList
                section={section}
                objects={shown}
                open={open}
                onOpen={(id) => update({ open: id })}
                onAction={(action) => setChange(changeOf(action, section))}
                more={MORE[section.id] ?? (() => null)}
              />
            ) : (
              <Empty icon={Boxes} title={text ? `No matching ${section.noun}` : `There is no ${section.noun} yet`}>
                {text ? 'No matches.' : section.about}
              </Empty>
            )}
          </div>
        </div>
      )}
      {change ? <ApplyDialog {...change} onClose={() => setChange(null)} /> : null}
      {isNewSecretOpen ? <NewSecret onClose={() => setIsNewSecretOpen(false)} /> : null}
    </Page>
  )
}

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

/** A job's last runs, and a switch to pause it. */
function JobRuns({ job }: { job: DatabaseObject }) {
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
    onSuccess: () => refresh([...catalogKey, 'objects', 'cron']),
  })
  return (
    <>
      <div>
        <Button onClick={() => toggle.mutate()} disabled={toggle.isPending}>
          {isActive ? 'Pause the job' : 'Let the job run again'}
        </Button>
      </div>
      <Failure error={toggle.error} />
      <Failure error={runs.error} />
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

type Message = {
  readonly id: string
  readonly message: unknown
  readonly reads: number
  readonly sent: string
  readonly visible: string
}

const SHOWN = 100

/** A queue's newest messages. Showing them doesn't remove them from the queue. */
function QueueMessages({ queue: { name } }: { queue: DatabaseObject }) {
  const [text, setText] = useState('{"hello": "world"}')
  const messages = useQuery({
    queryKey: [...catalogKey, 'messages', name],
    queryFn: ({ signal }) =>
      readJson<Message>(
        `select json_build_object('id', msg_id::text, 'message', message, 'reads', read_ct, 'sent', enqueued_at, 'visible', vt)
         from ${qualified('pgmq', `q_${name.toLowerCase()}`)} order by msg_id desc limit ${SHOWN}`,
        [],
        { signal },
      ),
    refetchInterval: 5_000,
  })
  const change = useMutation({
    mutationFn: (statement: Statement) => write([statement]),
    onSuccess: () => refresh(catalogKey),
  })
  return (
    <>
      <Form
        className="flex gap-2"
        onSubmit={() => change.mutate({ text: 'select pgmq.send($1::text, $2::jsonb)', values: [name, text] })}
      >
        <Input aria-label="Message, as JSON" className="font-mono text-xs" value={text} onValue={setText} />
        <Button type="submit" disabled={change.isPending}>
          Send
        </Button>
      </Form>
      <Failure error={change.error} />
      <Failure error={messages.error} />
      {messages.data?.length === 0 ? <p className="text-ink-soft">The queue is empty.</p> : null}
      {messages.data && messages.data.length > 0 ? (
        <ol aria-label="Messages" className="max-h-72 divide-y overflow-auto rounded-md border bg-raised">
          {messages.data.map(({ id, message, reads, sent, visible }) => (
            <li key={id} className="flex items-center gap-3 px-3 py-1 text-xs">
              <span className="w-10 shrink-0 text-ink-faint tabular-nums">{id}</span>
              <code className="min-w-0 flex-1 break-words font-mono">{JSON.stringify(message)}</code>
              <span className="shrink-0 text-ink-soft">
                {Date.parse(visible) > Date.now() ? 'being worked on, ' : ''}
                {reads === 0 ? 'not read' : `read ${reads === 1 ? 'once' : `${reads} times`}`}
              </span>
              <span className="shrink-0 text-ink-faint">{time(sent)}</span>
              <IconButton
                icon={Trash2}
                label={`Delete message ${id}`}
                onClick={() => change.mutate({ text: 'select pgmq.delete($1::text, $2::bigint)', values: [name, id] })}
              />
            </li>
          ))}
        </ol>
      ) : null}
    </>
  )
}
