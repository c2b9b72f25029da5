import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Input, Select, TextArea } from '../../components/field.tsx'
import { FormDialog, KeepCopy } from '../../components/form-dialog.tsx'
import { Failure } from '../../components/states.tsx'
import { tellDone } from '../../components/toast.tsx'
import { api, readJson, refresh, tryOut } from '../../lib/api.ts'
import { bytes, duration } from '../../lib/format.ts'

type ApplyDialogProps = {
  title: string
  /** The proposed SQL; a person may change it. */
  sql: string
  /** The proposed name of the migration, such as `add_books_price`. */
  name: string
  /** The database has the change already: the files alone are written. */
  isApplied?: boolean
  /** Otherwise the dialog closes. */
  onApplied?: () => void
  onClose: () => void
}

/** Shows the SQL of a change of the schema, and tries it; then applies it and writes it as a file of supabase/migrations and, where the project
 *  declares its schema, into a file of that: all of it, or nothing. */
export function ApplyDialog({ title, sql, name, isApplied = false, onClose, onApplied = onClose }: ApplyDialogProps) {
  const [script, setScript] = useState(sql)
  const [chosen, setChosen] = useState(() => fileName(name))
  const files = useQuery({
    queryKey: ['schema-files'],
    queryFn: ({ signal }) => api<readonly string[]>('/schema-files', { signal }),
  })
  const [file, setFile] = useState<string>()
  const [isKept, setIsKept] = useState(true)
  const deletes = !isApplied && /\b(?:delete|drop|truncate)\b/i.test(script)
  // The last file, which can refer to everything declared before it.
  const schemaFile = (file ?? files.data?.at(-1)) || undefined
  const apply = useMutation({
    mutationFn: () =>
      api<{ path: string }>('/migrations', {
        method: 'POST',
        body: { name: chosen, script, schemaFile, isApplied, snapshot: deletes && isKept },
      }),
    onSuccess: async ({ path }) => {
      await refresh([])
      tellDone(
        `${isApplied ? 'Written' : 'Applied, and written'} to ${path}${schemaFile === undefined ? '' : ` and ${schemaFile}`}.`,
      )
      onApplied()
    },
  })
  const trial = useMutation({ mutationFn: () => tryMigration(script) })
  const isBusy = apply.isPending || trial.isPending || script.trim() === ''
  return (
    <FormDialog
      title={title}
      action={isApplied ? 'Write the migration' : 'Apply and write the migration'}
      wide
      isReady={!isBusy && !files.isPending && chosen !== ''}
      more={
        isApplied ? null : (
          <Button disabled={isBusy} onClick={() => trial.mutate()}>
            {trial.isPending ? 'Trying …' : 'Try it'}
          </Button>
        )
      }
      mutation={apply}
      onClose={onClose}
    >
      <TextArea
        label="SQL"
        rows={Math.min(18, script.split('\n').length + 2)}
        className="font-mono text-xs"
        value={script}
        onValue={(value) => {
          setScript(value)
          trial.reset()
        }}
      />
      <Input
        label="Name of the migration"
        hint={`supabase/migrations/<time>_${chosen || 'name'}.sql. Commit this file: other machines and hosted projects get the change from it.`}
        value={chosen}
        onValue={(value) => setChosen(fileName(value))}
      />
      {files.data && files.data.length > 0 ? (
        <Select
          label="Declarative schema file"
          hint="This project declares its schema. The SQL is added at the end of this file, so that files and migrations create the same schema. You can move it afterwards."
          value={schemaFile ?? ''}
          onValue={setFile}
          options={[...files.data, ['', 'None: write only the migration']]}
        />
      ) : null}
      {deletes ? <KeepCopy checked={isKept} onChecked={setIsKept} /> : null}
      <Failure error={files.error} />
      <Failure error={trial.error} />
      {trial.data ? <TrialResult trial={trial.data} /> : null}
    </FormDialog>
  )
}

/** Letters, digits and underscores alone, which every file system takes. */
const fileName = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^a-z0-9_]+/g, '_')
    .slice(0, 100)

/** What others cannot do while a lock is held. */
const HINDERED: Readonly<Record<string, string>> = {
  AccessExclusiveLock: 'reads and writes wait',
  ExclusiveLock: 'writes wait',
  ShareRowExclusiveLock: 'writes wait',
  ShareLock: 'writes wait',
  ShareUpdateExclusiveLock: 'reads and writes continue; other schema changes and VACUUM wait',
}

/** How long a change took on trial, and whom it kept waiting. */
function TrialResult({ trial: { took, effects } }: { trial: MigrationTrial }) {
  return (
    <div role="status" className="grid gap-1.5 rounded-md border bg-panel p-3 text-[13px]">
      <p>
        A trial run took <strong className="font-medium">{duration(took)}</strong>; it was rolled back.{' '}
        {effects.length === 0 ? 'It locks no existing table.' : 'Until it ends:'}
      </p>
      {effects.length > 0 ? (
        <ul className="grid list-disc gap-0.5 pl-5">
          {effects.map(({ table, mode, rewritten }) => (
            <li key={table}>
              <code className="font-mono text-xs">{table}</code>: {HINDERED[mode]}
              {rewritten === null ? '' : `; the whole table is rewritten (${bytes(rewritten)})`}
              <span className="text-ink-faint text-xs"> · {mode}</span>
            </li>
          ))}
        </ul>
      ) : null}
    </div>
  )
}

/** The effect of a change on an existing table.
 *  @property mode The strongest lock that it takes, as pg_locks names it. @property rewritten The bytes of a table that it rewrites. */
type TableEffect = { readonly table: string; readonly mode: string; readonly rewritten: number | null }

/** @property took Milliseconds, which are also how long the locks are held. */
type MigrationTrial = { readonly took: number; readonly effects: readonly TableEffect[] }

/** From the weakest to the strongest lock
 *  (https://www.postgresql.org/docs/current/explicit-locking.html). */
const MODES = [
  'AccessShareLock',
  'RowShareLock',
  'RowExclusiveLock',
  'ShareUpdateExclusiveLock',
  'ShareLock',
  'ShareRowExclusiveLock',
  'ExclusiveLock',
  'AccessExclusiveLock',
]

/** So that a trial keeps others waiting for no longer than this. */
const LIMITS = "set local lock_timeout = '3s'; set local statement_timeout = '60s';"

type Before = { readonly id: string; readonly name: string; readonly file: string | null; readonly size: number }

const BEFORE = `
  select json_build_object('id', c.oid::text, 'name', n.nspname || '.' || c.relname,
    'file', pg_relation_filenode(c.oid)::text, 'size', pg_table_size(c.oid))
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where c.relkind in ('r', 'p', 'm') and n.nspname not in ('pg_catalog', 'information_schema')`

const LOCKS = `
  select relation::text, mode, pg_relation_filenode(relation)::text from pg_locks
  where pid = pg_backend_pid() and locktype = 'relation' and granted`

const TIME = 'select extract(epoch from clock_timestamp() - transaction_timestamp()) * 1000'

/** Runs a change of the schema on the data that is there, in a transaction that is rolled back. Sequences that it uses advance.
 *  @throws {ApiError} when it is refused, or may not be in a transaction. */
async function tryMigration(script: string): Promise<MigrationTrial> {
  const before = new Map((await readJson<Before>(BEFORE)).map((table) => [table.id, table]))
  const [time, locks] = await tryOut(`${LIMITS} ${script}`, [{ text: TIME }, { text: LOCKS, limit: 20_000 }])
  const effects = new Map<string, TableEffect>()
  for (const [id, mode, file] of locks?.rows ?? []) {
    const table = before.get(id ?? '')
    if (!table || !mode) continue
    const known = effects.get(table.id)
    const strongest = known && MODES.indexOf(known.mode) > MODES.indexOf(mode) ? known.mode : mode
    // A dropped table no longer has a file.
    const rewritten = file != null && file !== table.file ? table.size : null
    effects.set(table.id, { table: table.name, mode: strongest, rewritten })
  }
  return {
    took: Number(time?.rows[0]?.[0] ?? 0),
    effects: [...effects.values()]
      .filter(({ mode }) => MODES.indexOf(mode) > MODES.indexOf('RowExclusiveLock'))
      .sort((a, b) => MODES.indexOf(b.mode) - MODES.indexOf(a.mode) || a.table.localeCompare(b.table)),
  }
}
