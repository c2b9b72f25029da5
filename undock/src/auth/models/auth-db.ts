import type { Db, Result, Row, Transaction } from '../../database/db.ts'
import type { Statement } from '../../kernel/sql.ts'
import { storable } from './params.ts'

export type Queryable = Pick<Transaction, 'query'>

export type AuthDb = Queryable & {
  /** Runs several statements in one transaction and one round trip. */
  run(statements: readonly Statement[]): Promise<Result[]>
  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T>
}

// Auth's own role and search path, so that triggers on auth.users and hooks have the rights of hosted projects.
const SETTINGS = { session_authorization: 'supabase_auth_admin', search_path: 'auth' }

/** Sends independent writes in one round trip and one transaction. */
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

/** Creates Auth's database. All text (bodies, links, providers' claims) reaches Postgres here.
 *  @throws `validation_failed` for text that Postgres can't store */
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

const withStorableValues = ({ text, values }: Statement): Statement => ({ text, values: storable(values) })
