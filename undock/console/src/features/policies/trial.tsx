import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Select, TextArea } from '../../components/field.tsx'
import { Panel } from '../../components/page.tsx'
import { Failure } from '../../components/states.tsx'
import { CallerInput } from '../../components/view-as.tsx'
import { ApiError, read, tryOut } from '../../lib/api.ts'
import { counted } from '../../lib/format.ts'
import { parseObject } from '../../lib/json-source.ts'
import { ident, qualified } from '../../lib/sql.ts'
import type { RelationDetail } from '../catalog.ts'
import { COMMANDS, type Command } from './queries.ts'

/** @property role The default caller. */
type TrialProps = { relation: RelationDetail; sql: string; command: Command; role?: string | undefined }

const TITLES: Record<Command, string> = {
  select: 'Rows seen',
  insert: 'Rows inserted',
  update: 'Rows updated',
  delete: 'Rows deleted',
}

/** Tries a command as any caller before and after a change, on real rows, and rolls it back. */
export function Trial({ relation, sql, command: proposed, role }: TrialProps) {
  const [caller, setCaller] = useState<string>()
  const [chosen, setChosen] = useState<Command>()
  const [row, setRow] = useState('')
  const as = caller ?? (role === undefined || role === 'public' ? 'anon' : role)
  const command = chosen ?? proposed
  const trial = useMutation({
    mutationFn: async () => {
      const values = command === 'insert' ? JSON.stringify(parseObject(row)) : null
      const question = { relation, command, as, values }
      const [before, after] = [await rowsOf('', question), await rowsOf(sql, question)]
      return { before, after, command, as, sql }
    },
  })
  const { data } = trial
  return (
    <Panel title="Try it">
      <div className="grid gap-3 p-3">
        <div className="grid gap-3 sm:grid-cols-[1fr_8rem]">
          <CallerInput label="As" value={as} onChange={setCaller} />
          <Select label="Command" value={command} onValue={(value) => setChosen(value as Command)} options={COMMANDS} />
        </div>
        {command === 'insert' ? (
          <TextArea
            label="Row to insert"
            hint="A JSON object; empty for the defaults alone."
            rows={3}
            className="font-mono text-xs"
            value={row}
            onValue={setRow}
          />
        ) : null}
        <Button className="justify-self-start" disabled={trial.isPending || sql === ''} onClick={() => trial.mutate()}>
          Try and roll back
        </Button>
        <Failure error={trial.error} />
        {data ? (
          <div role="status" aria-label="Result of the trial" className="grid gap-3 sm:grid-cols-2">
            <Result title={`${TITLES[data.command]} by ${data.as} now`} side={data.before} />
            <Result title={`${TITLES[data.command]} by ${data.as} after the change`} side={data.after} />
          </div>
        ) : null}
        {data && data.sql !== sql ? <p className="text-warn text-xs">The change was edited after this trial.</p> : null}
      </div>
    </Panel>
  )
}

function Result({ title, side }: { title: string; side: Side }) {
  return (
    <div className="min-w-0 rounded-md border bg-page p-2.5 text-[13px]">
      <h3 className="text-ink-faint text-xs">{title}</h3>
      {'error' in side ? (
        <p className="mt-1 break-words text-danger">
          {side.error.message}{' '}
          {side.error.code ? <code className="text-ink-faint text-xs">{side.error.code}</code> : null}
        </p>
      ) : (
        <>
          <p className="mt-1 font-medium">
            {counted(side.count, 'row')}
            {side.all === null ? '' : ` of ${side.all}`}
          </p>
          {side.samples.length > 0 ? (
            <ul className="mt-1 max-h-40 overflow-auto font-mono text-xs">
              {side.samples.map((text, index) => (
                <li key={index} className="truncate" title={text.slice(0, 2_000)}>
                  {text.slice(0, 300)}
                </li>
              ))}
            </ul>
          ) : null}
        </>
      )}
    </div>
  )
}

/** What a command does before or after a change, or why Postgres refuses it. @property all The table's rows, regardless of the caller; null
 *  if irrelevant.
 *  @property samples Some rows as JSON. */
type Side =
  | { readonly count: number; readonly all: number | null; readonly samples: readonly string[] }
  | { readonly error: ApiError }

const SAMPLES = 10
/** Limits the time for tables with many rows. */
const LIMIT = "set local statement_timeout = '10s'; set local lock_timeout = '2s';"

type Question = {
  readonly relation: RelationDetail
  readonly command: Command
  readonly as: string
  /** An INSERT's values as JSON. */
  readonly values: string | null
}

/** Runs a command as a caller after a change, and rolls both back.
 *  @param sql The change; empty for none.
 *  @throws {ApiError} if the change is refused or the caller unknown. */
async function rowsOf(sql: string, { relation, command, as, values }: Question): Promise<Side> {
  const table = qualified(relation.schema, relation.name)
  const script = `${LIMIT} ${sql}`
  // Checks the change first: its failure isn't about the caller.
  await tryOut(script, [{ text: 'select 1' }], { as })
  try {
    const [result, samples] = await tryOut(script, statementsFor(relation, table, command, values), { as })
    if (command !== 'select') return { count: result?.count ?? 0, all: await countAll(table, command), samples: [] }
    return {
      count: Number(result?.rows[0]?.[0] ?? 0),
      all: await countAll(table, command),
      samples: (samples?.rows ?? []).map(([text]) => text ?? ''),
    }
  } catch (error) {
    if (error instanceof ApiError) return { error }
    throw error
  }
}

async function countAll(table: string, command: Command): Promise<number | null> {
  if (command === 'insert') return null
  const [result] = await read([{ text: `select count(*) from ${table}` }])
  return Number(result?.rows[0]?.[0] ?? 0)
}

function statementsFor({ columns, key }: RelationDetail, table: string, command: Command, values: string | null) {
  const first = columns.find(({ isGenerated, identity }) => !isGenerated && identity !== 'a')
  switch (command) {
    case 'select':
      return [
        { text: `select count(*) from ${table}` },
        {
          text: `select to_json(t) from ${table} t ${key.length > 0 ? `order by ${key.map(ident).join(', ')}` : ''} limit ${SAMPLES}`,
        },
      ]
    case 'insert': {
      const names = Object.keys(JSON.parse(values ?? '{}') as object).map(ident)
      return [
        names.length === 0
          ? { text: `insert into ${table} default values` }
          : {
              text: `insert into ${table} (${names.join(', ')}) select ${names.join(', ')} from jsonb_populate_record(null::${table}, $1::jsonb)`,
              values: [values],
            },
      ]
    }
    case 'update':
      return [{ text: `update ${table} set ${ident(first?.name ?? 'ctid')} = ${ident(first?.name ?? 'ctid')}` }]
    case 'delete':
      return [{ text: `delete from ${table}` }]
  }
}
