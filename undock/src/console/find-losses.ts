import type { Client, QueryArrayResult } from 'pg'
import { type Loss, lossesOf } from '../database/statements/losses.ts'
import { splitStatements } from '../database/statements/split-statements.ts'

/** A loss with its current size. @property statement The statement that destroys it.
 *  @property count Rows, or values of the column; null if they cannot be counted. @property tables Of a schema.
 *  @property others What `cascade` also deletes, according to Postgres. */
export type SizedLoss = Loss & {
  readonly statement: string
  readonly count: number | null
  readonly tables: number | null
  readonly others: readonly string[]
}

/** Milliseconds for one count, and for waiting for a lock. */
const COUNT_LIMIT = 2_000
const LOCK_LIMIT = 500

/** Returns a script's losses by statement, without sizes. */
export const statementLosses = (script: string): (Loss & { readonly statement: string })[] =>
  splitStatements(script).flatMap(({ text }) => lossesOf(text).map((loss) => ({ ...loss, statement: text })))

/** Adds sizes to losses, and omits empty ones. @param client In a transaction, which is left unchanged. @param notices Receives Postgres'
 *  notices. */
export async function sizeLosses(
  client: Client,
  notices: readonly string[],
  losses: readonly (Loss & { readonly statement: string })[],
): Promise<SizedLoss[]> {
  /** Rolls the work back; null if Postgres refuses it or takes too long. */
  async function tried<T>(use: () => Promise<T>): Promise<T | null> {
    await client.query('savepoint sizes')
    try {
      await client.query(`set local statement_timeout = ${COUNT_LIMIT}; set local lock_timeout = ${LOCK_LIMIT}`)
      return await use()
    } catch {
      // Running the script will report the error; the size is omitted.
      return null
    } finally {
      await client.query('rollback to savepoint sizes; release savepoint sizes')
    }
  }
  const numbers = (text: string, values: readonly string[] = []): Promise<readonly number[] | null> =>
    tried(async () => {
      const { rows }: QueryArrayResult<unknown[]> = await client.query({ text, values: [...values], rowMode: 'array' })
      return (rows[0] ?? []).map(Number)
    })

  const sized: SizedLoss[] = []
  const asked = new Map<string, readonly string[]>()
  for (const loss of losses) {
    const isNamed = PATH.test(loss.name)
    if (loss.isOptional && isNamed && RELATIONS.includes(loss.kind)) {
      const [found] = (await numbers('select (to_regclass($1) is not null)::int', [loss.name])) ?? []
      if (found === 0) continue
    }
    const query = isNamed ? countQuery(loss) : null
    const [count = null, tables = null] = (query && (await numbers(query))) || []
    if (loss.cascades && !asked.has(loss.statement)) {
      const before = notices.length
      await tried(() => client.query(loss.statement))
      asked.set(loss.statement, notices.slice(before).flatMap(othersOf))
    }
    sized.push({ ...loss, count, tables, others: asked.get(loss.statement) ?? [] })
  }
  return sized
}

/** A schema-qualified name, quoted for use in a query. */
const PATH = /^(?:"(?:[^"]|"")+"|[\p{L}_][\p{L}\p{N}_$]*)(?:\.(?:"(?:[^"]|"")+"|[\p{L}_][\p{L}\p{N}_$]*))*$/u

const RELATIONS = ['table', 'view', 'materialized view', 'foreign table', 'index', 'sequence']

function countQuery({ action, kind, name, column }: Loss): string | null {
  if (action === 'drop' && kind === 'schema') return schemaCount(name)
  if (kind !== 'table') return null
  return `select count(${column ?? '*'}) from ${name}`
}

/** Returns the number of rows and tables in a schema. */
const schemaCount = (name: string): string => `
  select coalesce(sum((xpath('/row/n/text()', query_to_xml(format('select count(*) as n from %s', c.oid::regclass), false, true, '')))[1]::text::bigint), 0),
    count(*)
  from pg_class c where c.relkind in ('r', 'p') and not c.relispartition and c.relnamespace = to_regnamespace('${name.replaceAll("'", "''")}')`

/** Returns the objects in a cascade's notice: `drop cascades to view v`, or several in its detail. */
const othersOf = (notice: string): string[] =>
  notice.split('\n').flatMap((line) => /(?:drop|truncate) cascades to (?!\d+ other)(.+)$/.exec(line)?.[1] ?? [])
