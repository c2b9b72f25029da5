import type { Result, Row, Settings, Transaction } from '../database/db.ts'
import type { Principal } from '../kernel/service.ts'
import { type Sql, sql, statement } from '../kernel/sql.ts'

/** An error of Postgres, as clients see it. */
export type PostgresFault = { readonly code: string; readonly message: string }

export type TrialResult<R> =
  | { readonly ok: true; readonly result: Result<R> }
  | { readonly ok: false; readonly fault: PostgresFault }

/** Whether a statement may write. */
type Access = 'reads' | 'writes'

/** Statements on trial: each is rolled back, so that neither its changes nor its settings nor its error stay. */
export type Trial = {
  /** Whether statements that write may be tried. */
  readonly mayWrite: boolean
  /** With the rights of a user who sees all rows; the caller's claims are set. */
  asOwner<R = Row>(query: Sql, access?: Access): Promise<TrialResult<R>>
  /** With the caller's rights. */
  asCaller<R = Row>(query: Sql, access?: Access): Promise<TrialResult<R>>
}

/** The search path of a request to the Data API. */
const REQUEST_PATH = 'public, extensions'

/** The user of hosted projects that sees all rows and writes none. */
const READER = 'supabase_read_only_user'

/** @param tx A transaction of the project's owner; with `readsOnly`, a read only one of a user who may take the caller's role.
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
      await tx.query(
        statement(sql`select set_config(name, value, true)
        from unnest(${names}::text[], ${values}::text[]) with ordinality as t (name, value, n) order by n`),
      )
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

/** Until the statement is rolled back; it cannot undo this itself. */
const READ_ONLY: Setting = ['transaction_read_only', 'on']

const SAVE = statement(sql`savepoint undock_trial`)
const RESTORE = statement(sql`rollback to savepoint undock_trial`)

/** @throws what is no error of Postgres. */
function faultOf(error: unknown): PostgresFault {
  if (error instanceof Error && 'code' in error && typeof error.code === 'string' && /^[0-9A-Z]{5}$/.test(error.code))
    return { code: error.code, message: error.message }
  throw error
}
