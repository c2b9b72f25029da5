import { queryOptions, useQuery } from '@tanstack/react-query'
import { X } from 'lucide-react'
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { Button, IconButton } from '../../components/button.tsx'
import { tellDone, tellFailure } from '../../components/toast.tsx'
import { ApiError, queryClient, read, refresh } from '../../lib/api.ts'
import { catalogKey } from '../catalog.ts'
import { ApplyDialog } from '../migrations/apply-dialog.tsx'
import { Editor, type EditorHandle } from './editor.tsx'
import { type Names, NO_NAMES } from './language.ts'
import { LossDialog } from './loss-dialog.tsx'
import { Outcome } from './outcome.tsx'
import { ScriptBar } from './script-bar.tsx'
import { SnippetName } from './snippet-dialogs.tsx'
import { type Snippet, saveSnippet, snippetQuery, snippetsQuery } from './snippets.ts'
import { asSnippet, type Tab } from './tabs.ts'
import { useScriptRun } from './use-script-run.ts'

type ScriptProps = {
  tab: Tab
  onWrite: (text: string) => void
  onChange: (next: (tab: Tab) => Partial<Tab>) => void
  onTake: (snippet: Snippet) => void
  /** The script's file changed or was removed. */
  onMoved: (name: string | undefined) => void
}

/** A script: its editor, run controls and results. */
export function Script({ tab, onWrite, onChange, onTake, onMoved }: ScriptProps) {
  const { id, text, snippet } = tab
  const editor = useRef<EditorHandle>(null)
  const names = useQuery(namesQuery)
  const file = useScriptFile({ tab, onChange, onMoved })
  const run = useScriptRun(
    id,
    (statements) => onChange(({ changes = [] }) => ({ changes: [...changes, ...statements] })),
    (errors) => editor.current?.mark(errors),
  )
  const start = (explain: boolean) => run.start(editor.current?.chosen(), explain)
  return (
    <div className="flex h-full flex-col">
      {snippet ? (
        <SnippetNotice
          snippet={snippet}
          onTake={onTake}
          onSave={file.overwrite}
          onDetach={() => {
            onChange(() => ({ snippet: undefined }))
            onMoved(undefined)
          }}
        />
      ) : null}
      <div className="h-2/5 min-h-40 shrink-0">
        <Editor
          key={tab.edition}
          ref={editor}
          initial={text}
          names={names.data ?? NO_NAMES}
          onChange={onWrite}
          onRun={() => start(false)}
        />
      </div>
      <ScriptBar id={id} run={run} onRun={() => start(false)} onExplain={() => start(true)} onSave={file.save} />
      {tab.changes && tab.changes.length > 0 ? (
        <ChangesNotice statements={tab.changes} onEnd={() => onChange(() => ({ changes: undefined }))} />
      ) : null}
      <Outcome
        key={run.submittedAt}
        outcome={run.outcome}
        lineOf={run.lineOf}
        error={run.error}
        isRunning={run.isRunning}
        chart={tab.chart}
        onChart={(chart) => onChange(() => ({ chart }))}
      />
      {run.losses ? <LossDialog losses={run.losses} onConfirm={run.confirm} onClose={run.refuse} /> : null}
      {file.isNaming ? (
        <SnippetName
          title="Save the script as a snippet"
          action="Save"
          initial={tab.name}
          run={file.saveAs}
          onClose={file.endNaming}
        />
      ) : null}
    </div>
  )
}

/** Offers to save schema changes as a migration, so that other machines get them. */
function ChangesNotice({ statements, onEnd }: { statements: readonly string[]; onEnd: () => void }) {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <div
      role="status"
      className="flex flex-wrap items-center gap-2 border-b bg-warn-soft px-3 py-1 text-[13px] text-warn"
    >
      <p className="mr-auto">The schema of this database has changed, but no migration includes the change.</p>
      <Button onClick={() => setIsOpen(true)}>Write a migration</Button>
      <IconButton icon={X} label="Skip the migration" onClick={onEnd} />
      {isOpen ? (
        <ApplyDialog
          title="Write a migration of these changes"
          sql={`${statements.map((one) => `${one};`).join('\n')}\n`}
          name={nameOf(statements)}
          isApplied
          onApplied={() => {
            setIsOpen(false)
            onEnd()
          }}
          onClose={() => setIsOpen(false)}
        />
      ) : null}
    </div>
  )
}

/** Returns a name from the first statement, such as `create_table_books`. */
const nameOf = ([first = '']: readonly string[]): string =>
  (/^(?:\s|--.*\n)*([\w\s".]{1,60})\b/.exec(first)?.[1] ?? 'change').replaceAll('"', '').trim()

type SnippetNoticeProps = {
  snippet: NonNullable<Tab['snippet']>
  onTake: (snippet: Snippet) => void
  /** Overwrites the version with the tab's text; null creates the file again. */
  onSave: (version: string | null) => void
  onDetach: () => void
}

/** Reports that another program changed a tab's file. A tab without unsaved changes reloads by itself. */
function SnippetNotice({ snippet, onTake, onSave, onDetach }: SnippetNoticeProps) {
  const file = `supabase/snippets/${snippet.name}.sql`
  const { data, error } = useQuery(snippetQuery(snippet.name))
  const isGone = error instanceof ApiError && error.status === 404
  const isOther = data !== undefined && data.version !== snippet.version
  const follow = useEffectEvent(() => {
    if (data && isOther) onTake(data)
  })
  useEffect(() => {
    if (isOther && !snippet.isChanged) follow()
  }, [isOther, snippet.isChanged])
  if (isGone)
    return (
      <Notice text={`${file} was deleted or renamed by another program.`}>
        <Button onClick={() => onSave(null)}>Save it again</Button>
        <Button onClick={onDetach}>Keep the text without the file</Button>
      </Notice>
    )
  if (!data || !isOther || !snippet.isChanged) return null
  return (
    <Notice text={`${file} was changed by another program.`}>
      <Button onClick={() => onTake(data)}>Use the file’s text</Button>
      <Button onClick={() => onSave(data.version)}>Overwrite the file</Button>
    </Notice>
  )
}

function Notice({ text, children }: { text: string; children: React.ReactNode }) {
  return (
    <div role="alert" className="flex flex-wrap items-center gap-2 border-b bg-warn-soft px-3 py-1.5 text-[13px]">
      <p className="min-w-0 flex-1 break-words text-warn">{text}</p>
      {children}
    </div>
  )
}

const TABLES = `
  select n.nspname, c.relname, array_to_json(array(
    select a.attname from pg_attribute a
    where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped order by a.attnum))
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where c.relkind in ('r', 'p', 'v', 'm', 'f') and n.nspname not in ('pg_catalog', 'information_schema', '_undock')
    and n.nspname !~ '^pg_(toast|temp)'`

/** Without functions that only Postgres calls: those with internal types, and trigger functions. */
const FUNCTIONS = `
  select distinct case when n.nspname in ('pg_catalog', 'public') then '' else quote_ident(n.nspname) || '.' end || quote_ident(p.proname)
  from pg_proc p join pg_namespace n on n.oid = p.pronamespace
  where p.prokind <> 'p' and n.nspname <> 'information_schema' and n.nspname !~ '^pg_(toast|temp)'
    and not array['internal'::regtype, 'cstring'::regtype]::oid[] && (p.proargtypes::oid[] || p.prorettype)
    and p.prorettype not in ('trigger'::regtype, 'event_trigger'::regtype)`

/** Schemas, tables, columns and functions, for completion. */
const namesQuery = queryOptions({
  queryKey: [...catalogKey, 'names'],
  queryFn: async ({ signal }): Promise<Names> => {
    const statements = [TABLES, FUNCTIONS].map((text) => ({ text, limit: 20_000 }))
    const [tables, functions] = await read(statements, { signal })
    // Own members, whatever the names are: an assignment to `__proto__` would change every object.
    const schemas = Object.fromEntries(
      Map.groupBy(tables?.rows ?? [], ([schema]) => schema ?? '')
        .entries()
        .map(([schema, rows]) => [
          schema,
          Object.fromEntries(rows.map(([, table, columns]) => [table ?? '', JSON.parse(columns ?? '[]') as string[]])),
        ]),
    )
    return { schemas, functions: (functions?.rows ?? []).map(([name]) => name ?? '') }
  },
})

type ScriptFile = {
  readonly tab: Tab
  readonly onChange: (next: (tab: Tab) => Partial<Tab>) => void
  /** The script's file changed. */
  readonly onMoved: (name: string) => void
}

/** Saves a script by button or shortcut, as a new snippet if it has no file. */
function useScriptFile({ tab: { text, snippet }, onChange, onMoved }: ScriptFile) {
  const [isNaming, setIsNaming] = useState(false)
  const write = async (name: string, version: string | null) => {
    const saved = await saveSnippet(name, text, version)
    // A pending read of the file would return the previous text.
    await queryClient.cancelQueries(snippetQuery(name))
    queryClient.setQueryData(snippetQuery(name).queryKey, saved)
    onChange((now) => asSnippet(saved, now.text !== text))
    void refresh(snippetsQuery.queryKey)
    if (name !== snippet?.name) onMoved(name)
    tellDone(`Saved as supabase/snippets/${name}.sql.`)
  }
  const overwrite = (version: string | null) => {
    if (!snippet) return
    void write(snippet.name, version).catch((error: unknown) => {
      // The notice explains what happened to the file and asks what to do.
      if (error instanceof ApiError && error.status === 409) void refresh(snippetQuery(snippet.name).queryKey)
      else tellFailure(error)
    })
  }
  const save = () => (snippet ? overwrite(snippet.version) : setIsNaming(true))
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    if (event.key !== 's' || !(event.metaKey || event.ctrlKey)) return
    event.preventDefault()
    if (!document.querySelector('dialog[open]')) save()
  })
  useEffect(() => {
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [])
  return {
    save,
    overwrite,
    /** Whether to ask for the new snippet's name. */
    isNaming,
    saveAs: (name: string) => write(name, null),
    endNaming: () => setIsNaming(false),
  }
}
