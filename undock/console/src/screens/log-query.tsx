import { useMutation, useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { Play, Save, ScrollText, Trash2 } from 'lucide-react'
import { useMemo, useRef, useState } from 'react'
import { Button, IconButton } from '../components/button.tsx'
import { Confirm } from '../components/confirm.tsx'
import { PageLink } from '../components/link.tsx'
import { Page } from '../components/page.tsx'
import { SIDE_ENTRY, SplitPane } from '../components/split-pane.tsx'
import { Empty, Failure, Loading, Pending } from '../components/states.tsx'
import { Histogram } from '../features/logs/histogram.tsx'
import { bucketsOf, LOG_TABLES, logRows, queryLog, type TimeRange } from '../features/logs/log-tables.ts'
import { useLogs } from '../features/logs/use-logs.ts'
import { readAllRequests } from '../features/requests/queries.ts'
import { flatRequests } from '../features/requests/request-file.ts'
import type { Chart } from '../features/sql/chart.ts'
import { Editor, type EditorHandle } from '../features/sql/editor.tsx'
import { ResultView } from '../features/sql/result-view.tsx'
import { SnippetName } from '../features/sql/snippet-dialogs.tsx'
import { removeSnippet, saveSnippet, snippetQuery, snippetsQuery } from '../features/sql/snippets.ts'
import { ApiError, refresh } from '../lib/api.ts'
import { shortcut } from '../lib/browser.ts'
import { counted } from '../lib/format.ts'

const route = getRouteApi('/logs/sql')

const EXAMPLES: Readonly<Record<string, string>> = {
  'Slowest paths': `select method, split_part(path, '?', 1) as path, count(*),
  round(avg(duration)::numeric, 1) as mean, round(max(duration)::numeric, 1) as longest
from requests
group by 1, 2
order by sum(duration) desc`,
  'Costly statements': `select s.sql, count(*), round(sum(s.duration)::numeric, 1) as total, min(r.path) as example
from requests r join statements s on s.request = r.id
group by 1
order by total desc
limit 50`,
  'Failures by minute': `select date_trunc('minute', time) as minute, status, count(*)
from requests
where status >= 400
group by 1, 2
order by 1`,
  'Lines of failed requests': `select l.time, r.status, r.path, l.level, l.message
from lines l join requests r on r.id = l.request
where r.status >= 400
order by l.time desc`,
}
const [FIRST = ''] = Object.values(EXAMPLES)

/** Snippets in this folder are log queries. */
const FOLDER = 'logs/'
const BARS = 80

const NAMES = {
  schemas: { public: Object.fromEntries(Object.entries(LOG_TABLES).map(([name, of]) => [name, Object.keys(of)])) },
  functions: [],
}

/** Requests, their statements and the log, as SQL tables. */
export function LogQuery() {
  const { snippet } = route.useSearch()
  const stored = useQuery({ ...snippetQuery(snippet ?? ''), enabled: snippet !== undefined, refetchInterval: false })
  /** Counts chosen examples, so that choosing one again restores it. */
  const [example, setExample] = useState({ text: FIRST, number: 0 })
  const text = snippet === undefined ? example.text : stored.data?.text
  return (
    <Page title="Logs in SQL" actions={<PageLink to="/logs">The log, live</PageLink>}>
      <SplitPane
        label="Queries and tables"
        className="w-56"
        side={
          <Side current={snippet} onExample={(chosen) => setExample({ text: chosen, number: example.number + 1 })} />
        }
      >
        {text !== undefined ? (
          <Query key={`${snippet} ${example.number}`} initial={text} />
        ) : (
          <Pending error={stored.error} />
        )}
      </SplitPane>
    </Page>
  )
}

function Query({ initial }: { initial: string }) {
  const navigate = route.useNavigate()
  const editor = useRef<EditorHandle>(null)
  const written = useRef(initial)
  const [range, setRange] = useState<TimeRange | null>(null)
  const [chart, setChart] = useState<Chart>()
  const [isNaming, setIsNaming] = useState(false)
  const { lines } = useLogs(true)
  const requests = useQuery({ queryKey: ['requests', 'all'], queryFn: readAllRequests, refetchInterval: 10_000 })
  const buckets = useMemo(() => bucketsOf(flatRequests(requests.data ?? []), BARS), [requests.data])
  const run = useMutation({
    mutationFn: async ({ sql, within }: { sql: string; start: number; within: TimeRange | null }) => {
      // The last result belongs to it.
      const { data = [] } = await requests.refetch()
      return queryLog(sql, logRows(data, lines ?? [], within))
    },
    onSuccess: () => editor.current?.mark([]),
    onError: (error, { start }) => {
      const { position } = error instanceof ApiError ? error.fields : {}
      if (typeof position === 'number') editor.current?.mark([{ from: start + position - 1, message: error.message }])
    },
  })
  const start = (within = range) => {
    const { text, start: from } = editor.current?.chosen() ?? { text: initial, start: 0 }
    run.mutate({ sql: text, start: from, within })
  }
  if (requests.error || !requests.data || lines === null)
    return <Pending error={requests.error} onRetry={requests.refetch} />
  return (
    <div className="flex h-full flex-col">
      {buckets.length > 0 ? (
        <Histogram
          buckets={buckets}
          range={range}
          onRange={(next) => {
            setRange(next)
            if (run.data) start(next)
          }}
        />
      ) : null}
      <div className="h-2/5 min-h-32 shrink-0">
        <Editor
          ref={editor}
          initial={initial}
          names={NAMES}
          onChange={(text) => {
            written.current = text
          }}
          onRun={() => start()}
        />
      </div>
      <div className="flex flex-wrap items-center gap-2 border-y px-3 py-1.5">
        <Button icon={Play} look="primary" disabled={run.isPending} onClick={() => start()}>
          Run
        </Button>
        <Button icon={Save} look="quiet" onClick={() => setIsNaming(true)}>
          Save
        </Button>
        <span className="text-ink-faint text-xs">
          {shortcut('Enter')} · {counted(flatRequests(requests.data).length, 'request')} and{' '}
          {counted(lines.length, 'line')} are kept
          {run.data && run.data.left > 0 ? `; the oldest ${counted(run.data.left, 'row')} did not fit` : ''}
        </span>
      </div>
      <div className="min-h-0 flex-1 overflow-auto">
        {run.error ? (
          <Failure error={run.error} />
        ) : run.data ? (
          <ResultView
            one={{ start: 0, text: '', result: run.data.result }}
            lineOf={() => 1}
            isArriving={false}
            chart={chart}
            onChart={setChart}
          />
        ) : run.isPending ? (
          <Loading label="Running" />
        ) : (
          <Empty icon={ScrollText} title="Results appear here">
            The query reads the requests and lines that the backend keeps, and may join them with tables of the project.
          </Empty>
        )}
      </div>
      {isNaming ? (
        <SnippetName
          title="Save the query"
          action="Save"
          initial={FOLDER}
          run={async (name) => {
            const saved = name.startsWith(FOLDER) ? name : `${FOLDER}${name}`
            await saveSnippet(saved, written.current, null)
            await refresh(snippetsQuery.queryKey)
            await navigate({ search: { snippet: saved } })
          }}
          onClose={() => setIsNaming(false)}
        />
      ) : null}
    </div>
  )
}

function Side({ current, onExample }: { current: string | undefined; onExample: (text: string) => void }) {
  const navigate = route.useNavigate()
  const { data } = useQuery(snippetsQuery)
  const [removed, setRemoved] = useState<string | null>(null)
  const saved = (data?.snippets ?? []).filter(({ name }) => name.startsWith(FOLDER))
  return (
    <div className="grid gap-4 p-2">
      <section aria-label="Examples">
        <h2 className="px-2 pb-1 font-semibold text-[13px]">Examples</h2>
        {Object.entries(EXAMPLES).map(([name, text]) => (
          <button
            key={name}
            type="button"
            className={SIDE_ENTRY}
            onClick={() => {
              onExample(text)
              void navigate({ search: {} })
            }}
          >
            {name}
          </button>
        ))}
      </section>
      {saved.length > 0 ? (
        <section aria-label="Saved queries">
          <h2 className="px-2 pb-1 font-semibold text-[13px]">Saved</h2>
          {saved.map(({ name }) => (
            <div key={name} className="flex items-center">
              <Link
                to="/logs/sql"
                search={{ snippet: name }}
                className={SIDE_ENTRY}
                {...(name === current && { 'aria-current': 'page' })}
              >
                {name.slice(FOLDER.length)}
              </Link>
              <IconButton icon={Trash2} label={`Delete ${name}`} onClick={() => setRemoved(name)} />
            </div>
          ))}
        </section>
      ) : null}
      <section aria-label="Tables">
        <h2 className="px-2 pb-1 font-semibold text-[13px]">Tables</h2>
        {Object.entries(LOG_TABLES).map(([name, columns]) => (
          <details key={name} className="px-2 py-0.5 text-[13px]">
            <summary className="cursor-pointer font-mono text-xs">{name}</summary>
            <ul className="pl-3 font-mono text-ink-soft text-xs">
              {Object.entries(columns).map(([column, type]) => (
                <li key={column}>
                  {column} <span className="text-ink-faint">{type}</span>
                </li>
              ))}
            </ul>
          </details>
        ))}
      </section>
      {removed ? (
        <Confirm
          title="Delete the query"
          action="Delete"
          run={async () => {
            await removeSnippet(removed)
            await refresh(snippetsQuery.queryKey)
            if (removed === current) await navigate({ search: {} })
          }}
          onClose={() => setRemoved(null)}
        >
          The file <code className="break-all font-mono text-xs">supabase/snippets/{removed}.sql</code> is deleted.
        </Confirm>
      ) : null}
    </div>
  )
}
