import type { Result, Row, Settings, Transaction } from '../database/db.ts'
import { execute } from '../database/db.ts'
import type { Principal } from '../kernel/service.ts'
import { type Sql, sql, statement } from '../kernel/sql.ts'

/** A Postgres error, as clients see it. */
export type PostgresFault = { readonly code: string; readonly message: string }

export type TrialResult<R> =
  | { readonly ok: true; readonly result: Result<R> }
  | { readonly ok: false; readonly fault: PostgresFault }

type Access = 'reads' | 'writes'

/** Runs statements and rolls each back, including its settings and errors. */
export type Trial = {
  readonly mayWrite: boolean
  /** With the rights of a user who sees all rows, and the caller's claims. */
  asOwner<R = Row>(query: Sql, access?: Access): Promise<TrialResult<R>>
  asCaller<R = Row>(query: Sql, access?: Access): Promise<TrialResult<R>>
}

const REQUEST_PATH = 'public, extensions'

/** Hosted projects' user that sees all rows and writes none. */
const READER = 'supabase_read_only_user'

/** @param tx The project owner's transaction; with `readsOnly`, a read-only one of a user who may switch to the role.
 *  @param settings What a service sets besides role and claims, such as `realtime.topic`. */
export function createTrial(
  tx: Transaction,
  { role, claims }: Principal,
  { settings, readsOnly }: { readonly settings: Settings; readonly readsOnly: boolean },
): Trial {
  const common = Object.entries({
    search_path: REQUEST_PATH,
    'request.jwt.claims': JSON.stringify({ ...claims, role }),
    'request.headers': '{}',
    ...settings,
  })
  async function attempt<R>(own: readonly Setting[], query: Sql, access: Access = 'reads'): Promise<TrialResult<R>> {
    const made = access === 'reads' ? [READ_ONLY, ...own] : own
    await tx.query(SAVE)
    try {
      const names = made.map(([name]) => name)
      const values = made.map(([, value]) => value)
      await execute(tx)`select set_config(name, value, true)
        from unnest(${names}::text[], ${values}::text[]) with ordinality as t (name, value, n) order by n`
      return { ok: true, result: await tx.query<R>({ ...statement(query), isUnprepared: true }) }
    } catch (error) {
      return { ok: false, fault: faultOf(error) }
    } finally {
      await tx.query(RESTORE)
    }
  }
  const owner: readonly Setting[] = readsOnly ? [...common, ['role', READER]] : common
  return {
    mayWrite: !readsOnly,
    asOwner: (query, access) => attempt(owner, query, access),
    asCaller: (query, access) => attempt([...common, ['role', role]], query, access),
  }
}

type Setting = readonly [name: string, value: string]

/** Until the statement is rolled back; it can't undo this itself. */
const READ_ONLY: Setting = ['transaction_read_only', 'on']

const SAVE = sql`savepoint undock_trial`
const RESTORE = sql`rollback to savepoint undock_trial`

function faultOf(error: unknown): PostgresFault {
  if (error instanceof Error && 'code' in error && typeof error.code === 'string' && /^[0-9A-Z]{5}$/.test(error.code))
    return { code: error.code, message: error.message }
  throw error
}
