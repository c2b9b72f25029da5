import postgres from 'postgres'

/** A transaction with the rights of a key, subject to row security. */
export type Sql = postgres.TransactionSql
/** A query that can be part of another. */
export type Query = postgres.PendingQuery<postgres.Row[]>

let opened: postgres.Sql | undefined

/** This worker's connections. They belong to the project's owner and bypass row security: use asKey(). */
function database(): postgres.Sql {
  const url = Deno.env.get('SUPABASE_DB_URL')
  if (!url) throw new Error('SUPABASE_DB_URL is not set: the function runs outside a Supabase project.')
  // Unnamed statements also work through a pooler.
  opened ??= postgres(url, { max: 3, prepare: false, idle_timeout: 20, connect_timeout: 10, onnotice: () => undefined })
  return opened
}

export type Use = {
  id: string
  library_id: string
  name: string
  scopes: string[]
  expires_at: Date | null
  outcome: 'ok' | 'revoked' | 'expired' | 'too_many' | 'not_a_member' | 'second_factor'
  remaining: number
  resets_in: number
}

/** Looks up a key and counts the request; see private.use_api_key(). @param hash Its SHA-256 in hexadecimal. */
export async function useKey(hash: string): Promise<Use | undefined> {
  const [use] = await database()<Use[]>`select * from private.use_api_key(${hash})`
  return use
}

/** Runs statements in one transaction with the rights of a key: those of its owner, in its library, within its scopes.
 *  @throws Postgres errors; the transaction is rolled back. */
export async function asKey<Result>(
  key: string,
  mode: 'read only' | 'read write',
  work: (sql: Sql) => Promise<Result>,
): Promise<Result> {
  const result = await database().begin(mode, async (sql) => {
    // Pipelined, but executed in this order.
    await Promise.all([sql`select private.enter_api_key(${key})`, sql`set local role api_key`])
    return { of: await work(sql) }
  })
  return result.of as Result
}
