import pg from 'pg'
import { z } from 'zod'
import { findCaller } from '../access/callers.ts'
import type { Db } from '../database/db.ts'
import { controlsTransaction } from '../database/migrations/add-migration.ts'
import { firstWords, splitStatements } from '../database/statements/split-statements.ts'
import { ServiceError } from '../kernel/service-error.ts'
import { connectionTo } from '../kernel/url.ts'
import type { ConsoleOptions } from './options.ts'
import { actAs, failStatement, runStatement, StatementFailure, type StatementResult } from './run-statements.ts'

const Values = z.array(z.union([z.string(), z.null()])).max(10_000)
export const Limit = z.int().min(0).max(100_000).default(1_000)
/** A role, or a user by id, address or phone number; the project's owner by default. */
export const As = z.string().min(1).max(320).optional()

/** The console screens' queries: statements in one transaction. `changes` is the number of rows a statement must change. `snapshot` keeps
 *  the data before deleting rows. With `trial`, a script run first as the project's owner, the transaction is rolled back. */
export const Queries = z.strictObject({
  as: As,
  trial: z.string().optional(),
  access: z.enum(['read', 'write']).default('read'),
  snapshot: z.boolean().default(true),
  statements: z
    .array(
      z.strictObject({
        text: z.string(),
        values: Values.default([]),
        limit: Limit,
        changes: z.int().min(0).optional(),
      }),
    )
    .min(1)
    .max(1_000),
})

export type Queryable = {
  /** Runs all statements or, if one fails, none. @throws {StatementFailure | AccessQuestionError} the latter for an unknown caller.
   *  @throws {ServiceError} 409 if a statement changes an unexpected number of rows. */
  run(queries: z.infer<typeof Queries>): Promise<StatementResult[]>
  /** Calls `use` with a session outside transactions. */
  withClient<T>(use: (client: pg.Client) => Promise<T>): Promise<T>
  /** The names of types by their ids. */
  typeNames(ids: readonly number[]): Promise<Record<number, string>>
  close(): Promise<void>
}

/** The number of sessions shared by the console's screens. */
const POOL_SIZE = 4

/** @param dbUrl The database, as the project's owner. @param db The database as the stack itself: finds callers. */
export function createQueryable(dbUrl: string, db: Db, keepForUndo: ConsoleOptions['keepForUndo']): Queryable {
  const pool = new pg.Pool({
    ...connectionTo(dbUrl),
    application_name: 'undock console',
    max: POOL_SIZE,
    idleTimeoutMillis: 10_000,
  })
  // A reset ends the pool's idle sessions.
  pool.on('error', () => undefined)
  const names = new Map<number, string>()

  async function withClient<T>(use: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    const client = await pool.connect().catch(failStatement)
    let fault: Error | undefined
    try {
      return await use(client)
    } catch (error) {
      fault = error as Error
      throw error
    } finally {
      // A session whose transaction didn't end isn't reused.
      client.release(client.getTransactionStatus() === 'I' ? undefined : (fault ?? true))
    }
  }

  return {
    withClient,
    async run({ as, trial, access, snapshot, statements }) {
      const parts = statements.flatMap(partsOf)
      const deletes = parts.some((text) => firstWords(text, 1)[0]?.toLowerCase() === 'delete')
      if (snapshot && deletes && access === 'write' && trial === undefined)
        await keepForUndo?.('console').catch(failStatement)
      const caller = as === undefined ? null : await findCaller(db, as)
      return withClient(async (client) => {
        const script = splitStatements(trial ?? '').map(({ text }) => text)
        if ([...script, ...parts].some(controlsTransaction)) throw new StatementFailure(new Error(NO_CONTROL))
        const readsOnly = access === 'read' && trial === undefined
        // After its first query, a read-only transaction can't be made writable.
        await client.query(readsOnly ? 'begin read only; select 1' : 'begin')
        try {
          for (const text of script) await runStatement(client, text, [], 0)
          if (caller) await actAs(client, caller)
          const results: StatementResult[] = []
          for (const { text, values, limit, changes } of statements) {
            const result = await runStatement(client, text, values, limit)
            if (changes !== undefined && result.count !== changes)
              throw new ServiceError('other_rows', 409, `${result.count} rows would change instead of ${changes}.`)
            results.push(result)
          }
          await client
            .query(readsOnly ? END_OF_READING : trial === undefined ? 'commit' : 'rollback')
            .catch(failStatement)
          return results
        } catch (error) {
          await client.query(readsOnly ? END_OF_READING : 'rollback').catch(() => undefined)
          throw error
        }
      })
    },
    async typeNames(ids) {
      const unknown = [...new Set(ids)].filter((id) => !names.has(id))
      if (unknown.length > 0) {
        const text = 'select oid::text, format_type(oid, null) from pg_type where oid = any($1::oid[])'
        const { rows } = await withClient((client) =>
          runStatement(client, text, [`{${unknown.join(',')}}`], unknown.length),
        )
        for (const [id, name] of rows) names.set(Number(id), name ?? '')
      }
      return Object.fromEntries(ids.map((id) => [id, names.get(id) ?? 'unknown']))
    },
    close: () => pool.end(),
  }
}

const NO_CONTROL = 'These statements run in one transaction, so none of them can begin or end one.'

/** Also resets the session's settings and locks for its next user. */
const END_OF_READING = 'rollback; select pg_advisory_unlock_all()'

const partsOf = (statement: { readonly text: string }): string[] =>
  splitStatements(statement.text).map(({ text }) => text)
