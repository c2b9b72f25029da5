import type { Db, Result, Settings } from '../database/db.ts'
import type { Principal } from '../kernel/service.ts'
import { type Sql, sql } from '../kernel/sql.ts'
import { fromDatabase } from './errors.ts'

/** Everything that a policy on storage's tables can read: caller, operation and request. */
export type StorageCaller = {
  readonly principal: Principal
  /** Whether a valid credential was given; without one the principal is `anon`. */
  readonly authenticated: boolean
  /** The value of `storage.operation()`, such as `storage.object.upload`. */
  readonly operation: string
  readonly method: string
  readonly path: string
  readonly headers: string
}

export const SERVICE: Principal = { role: 'service_role', claims: { role: 'service_role' } }

/** Returns the same request as the service role, bypassing row security. */
export const asService = (caller: StorageCaller): StorageCaller => ({
  ...caller,
  principal: SERVICE,
  authenticated: true,
})

/** Returns the user id that owns this caller's uploads; null for API keys. */
export function ownerOf(caller: StorageCaller): string | null {
  const { sub } = caller.principal.claims
  return typeof sub === 'string' ? sub : null
}

/** Runs statements as the caller in one transaction and one round trip.
 *  @param end 'rollback' only checks whether they're allowed.
 *  @throws {StorageError} the database's error in storage's words */
export async function runAs(
  db: Db,
  caller: StorageCaller,
  statements: readonly Sql[],
  end: 'commit' | 'rollback' = 'commit',
): Promise<Result[]> {
  try {
    return await db.run({ settings: settingsOf(caller), statements, end })
  } catch (error) {
    throw fromDatabase(error)
  }
}

/** Reports success and rolls back; upstream's can_insert_object uses this SQLSTATE too. */
const ALLOWED = 'PT200'
const UNDO = sql`do $$ begin raise sqlstate 'PT200'; end $$`

/** Checks in one round trip whether a statement is allowed: runs it, then raises an error to roll it back.
 *  @throws {StorageError} the database's error */
export async function checkAs(db: Db, caller: StorageCaller, check: Sql): Promise<void> {
  try {
    await db.run({ settings: settingsOf(caller), statements: [check, UNDO] })
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === ALLOWED) return
    throw fromDatabase(error)
  }
}

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
