import { ApiError, read, tryOut } from '../../lib/api.ts'
import { ident, qualified } from '../../lib/sql.ts'
import type { RelationDetail } from '../catalog.ts'
import type { Command } from './queries.ts'

/** What a command does on one side of a change, or why Postgres refuses it.
 *  @property all The rows of the table, whoever sees them; null where they do not matter.
 *  @property samples Some rows as JSON. */
export type Side =
  | { readonly count: number; readonly all: number | null; readonly samples: readonly string[] }
  | { readonly error: ApiError }

const SAMPLES = 10
/** Limits the time on tables with many rows. */
const LIMIT = "set local statement_timeout = '10s'; set local lock_timeout = '2s';"

type Question = {
  readonly relation: RelationDetail
  readonly command: Command
  readonly as: string
  /** The values of an INSERT as JSON. */
  readonly values: string | null
}

/** Runs a command as a caller after a change, and rolls both back.
 *  @param sql The change; empty for none.
 *  @throws {ApiError} when the change itself is refused, or the caller is unknown. */
export async function rowsOf(sql: string, { relation, command, as, values }: Question): Promise<Side> {
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
