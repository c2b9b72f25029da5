import type { Db, Result, Settings } from '../database/db.ts'
import type { Principal } from '../kernel/service.ts'
import { type Sql, sql, statement } from '../kernel/sql.ts'
import { fromDatabase } from './errors.ts'

/** Who makes the request and for which operation: everything that a policy on storage's tables can read. */
export type StorageCaller = {
  readonly principal: Principal
  /** Whether a credential was given and held; without one the principal is `anon`. */
  readonly authenticated: boolean
  /** What `storage.operation()` answers, such as `storage.object.upload`. */
  readonly operation: string
  readonly method: string
  readonly path: string
  /** The request's headers as JSON, for `request.headers`. */
  readonly headers: string
}

/** The service role itself, without a user behind it. */
export const SERVICE: Principal = { role: 'service_role', claims: { role: 'service_role' } }

/** The same request, carried out by the service itself: row security no longer filters. */
export const asService = (caller: StorageCaller): StorageCaller => ({
  ...caller,
  principal: SERVICE,
  authenticated: true,
})

/** Who owns what this caller uploads: a user's id; API keys own nothing. */
export function ownerOf(caller: StorageCaller): string | null {
  const { sub } = caller.principal.claims
  return typeof sub === 'string' ? sub : null
}

/** Runs statements as the caller in one transaction and one round trip.
 *  @param end 'rollback' asks only whether they would be allowed.
 *  @throws {StorageError} what the database refused, in storage's words */
export async function runAs(
  db: Db,
  caller: StorageCaller,
  statements: readonly Sql[],
  end: 'commit' | 'rollback' = 'commit',
): Promise<Result[]> {
  try {
    return await db.run({ settings: settingsOf(caller), statements: statements.map(statement), end })
  } catch (error) {
    throw fromDatabase(error)
  }
}

/** The SQLSTATE that reports success and rolls back; upstream's can_insert_object uses it too. */
const ALLOWED = 'PT200'
const UNDO = sql`do $$ begin raise sqlstate 'PT200'; end $$`

/** Checks whether a statement is allowed, in one round trip: it is run, and an error rolls it back.
 *  @throws {StorageError} what the database refused */
export async function checkAs(db: Db, caller: StorageCaller, check: Sql): Promise<void> {
  try {
    await db.run({ settings: settingsOf(caller), statements: [statement(check), statement(UNDO)] })
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === ALLOWED) return
    throw fromDatabase(error)
  }
}

/** The rows of one of several results, as its statement selects them. */
export const rowsOf = <R>(result: Result | undefined): R[] => (result?.rows ?? []) as R[]
export const rowOf = <R>(result: Result | undefined): R | undefined => rowsOf<R>(result)[0]

export const jsonHeaders = (headers: Headers): string => JSON.stringify(Object.fromEntries(headers))

function settingsOf({ principal, operation, method, path, headers }: StorageCaller): Settings {
  const { sub } = principal.claims
  return {
    role: principal.role,
    'request.jwt.claims': JSON.stringify(principal.claims),
    'request.jwt.claim.role': principal.role,
    'request.jwt.claim.sub': typeof sub === 'string' ? sub : '',
    'request.headers': headers,
    'request.method': method,
    'request.path': path,
    'storage.operation': operation,
    // Only the service's own deletes pass the guard trigger.
    'storage.allow_delete_query': 'true',
  }
}
