import { ENGINE_USER } from '../engine-user.ts'
import { decode, encodeScript } from '../protocol/exchange.ts'
import type { Session } from '../session.ts'
import { literal } from '../statements/literal.ts'

/** The settings in which a client's session differs from a new one; `session_authorization` and `role` come last. */
export type SessionState = readonly (readonly [name: string, value: string])[]

/** Settings whose changes a server reports to its clients (GUC_REPORT). */
const REPORTED = [
  'application_name',
  'client_encoding',
  'DateStyle',
  'default_transaction_read_only',
  'in_hot_standby',
  'integer_datetimes',
  'IntervalStyle',
  'is_superuser',
  'scram_iterations',
  'search_path',
  'server_encoding',
  'server_version',
  'standard_conforming_strings',
  'TimeZone',
]

const CAPTURE = `
  select name, setting, source = 'session' and setting is distinct from reset_val as changed
  from pg_catalog.pg_settings
  where (source = 'session' and setting is distinct from reset_val) or name in (${REPORTED.map(literal).join(', ')})
  union all select 'session_authorization', session_user, session_user <> ${literal(ENGINE_USER)}
  union all select 'role', role, role <> 'none' from pg_catalog.current_setting('role') as role
  union all select 'is_superuser', pg_catalog.current_setting('is_superuser'), false`

/** Reads the session's state, and the reported settings. The session must not be in a failed transaction.
 *  @param own The names of custom settings to read, which pg_settings does not list. */
export async function captureState(
  session: Pick<Session, 'exchange'>,
  own: Iterable<string> = [],
): Promise<{ state: SessionState; reported: Map<string, string> }> {
  const ofOwn = [...own].map((name) => {
    const value = `pg_catalog.current_setting(${literal(name)}, true)`
    return ` union all select ${literal(name)}, ${value}, coalesce(${value}, '') <> ''`
  })
  const { results } = decode(await session.exchange(encodeScript(CAPTURE + ofOwn.join(''))))
  const rows = (results[0]?.rows ?? []) as { name: string; setting: string; changed: boolean }[]
  const names = [...REPORTED, 'session_authorization']
  return {
    state: rows.filter(({ changed }) => changed).map(({ name, setting }) => [name, setting] as const),
    reported: new Map(rows.filter(({ name }) => names.includes(name)).map(({ name, setting }) => [name, setting])),
  }
}

/** A script that gives a new session this state. */
export const restoreScript = (state: SessionState): string =>
  `select ${[...state]
    .sort(byRank)
    .map(([name, value]) => `pg_catalog.set_config(${literal(name)}, ${literal(value)}, false)`)
    .join(', ')}`

/** Orders the user after all other settings, and the role after the user: each may lack the right to make the earlier ones. */
const byRank = ([a]: readonly [string, string], [b]: readonly [string, string]) => rank(a) - rank(b)
const rank = (name: string) => ['session_authorization', 'role'].indexOf(name)

/** A script that resets the session. RESET SESSION AUTHORIZATION has no effect in PGlite, but naming the user has. */
export const FRESH_SCRIPT = `set session authorization ${ENGINE_USER}; reset all`
