import type { Db, Result, Row, Transaction } from '../../database/db.ts'
import type { Statement } from '../../kernel/sql.ts'
import { storable } from './storable.ts'

/** Anything statements can be sent to: a transaction, or the database itself. */
export type Queryable = Pick<Transaction, 'query'>

export type AuthDb = Queryable & {
  /** Several statements in one transaction and one round trip. */
  run(statements: readonly Statement[]): Promise<Result[]>
  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T>
}

// As Auth's own role in its own search path, as on a hosted project: what a trigger on auth.users or a hook may do
// there, it may do here, and no more.
const SETTINGS = { session_authorization: 'supabase_auth_admin', search_path: 'auth' }

/** Sends writes that do not depend on each other's results in one round trip and one transaction. */
export async function batchWrites(db: AuthDb, write: (batch: Queryable) => Promise<void>): Promise<void> {
  const statements: Statement[] = []
  await write({
    query: async (statement) => {
      statements.push(statement)
      return { rows: [], rowCount: 0, command: '' }
    },
  })
  await db.run(statements)
}

/** Whatever the source of a text (a body, a link, a provider, a company's assertion), here it reaches Postgres.
 *  @throws `validation_failed` for text that Postgres cannot hold */
export function createAuthDb(db: Db): AuthDb {
  const run = async (statements: readonly Statement[]) =>
    db.run({ settings: SETTINGS, statements: statements.map(withStorableValues) })
  return {
    query: async <R = Row>(statement: Statement) => (await run([statement]))[0] as Result<R>,
    run,
    transaction: (work) =>
      db.transaction({ settings: SETTINGS }, (tx) =>
        work({ query: async (statement) => tx.query(withStorableValues(statement)) }),
      ),
  }
}

const withStorableValues = (statement: Statement): Statement => ({ ...statement, values: storable(statement.values) })
