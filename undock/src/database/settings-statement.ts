import pg from 'pg'
import type { Statement } from '../kernel/sql.ts'
import type { Settings, TransactionOptions } from './db.ts'
import { SET_ROLE_RIGHT } from './protocol/login-role.ts'

/** The user of callers' sessions before they switch to their token's role, as in upstream's services. */
const AUTHENTICATOR = 'authenticator'

const NONE: Settings = {}

/** Returns the user that a transaction with these settings starts as; undefined for the stack itself. */
export const sessionUserOf = ({ settings = NONE }: TransactionOptions): string | undefined =>
  settings.session_authorization ?? (settings.role === undefined ? undefined : AUTHENTICATOR)

export type SettingsWriter = {
  /** Returns the statement that sets a transaction's settings, or null. */
  settingsStatement(options: Pick<TransactionOptions, 'settings' | 'access'>): Statement | null
  /** Fails unless `authenticator` can switch to the role, and otherwise leaves the session as it was. */
  roleCheckStatement(role: string): Statement
}

/** Creates the statements that set a transaction's settings.
 *  @param isSuperuser Whether sessions can be authorized as `authenticator`: then Postgres checks SET ROLE in each
 *  transaction, so that grants and revokes apply immediately. Otherwise the statement makes the same check. */
export function createSettingsWriter(isSuperuser: boolean): SettingsWriter {
  return {
    settingsStatement({ settings = NONE, access = 'read write' }) {
      const written = access === 'read only' ? { ...settings, transaction_read_only: 'on' } : settings
      return isSuperuser ? authorizedStatement(written) : memberStatement(written)
    },
    roleCheckStatement: (role) =>
      isSuperuser
        ? { text: CHECK, values: [AUTHENTICATOR, role] }
        : { text: `select ${checkedRole('$1')} is null`, values: [role] },
  }
}

const CHECK = `select set_config('session_authorization', $1, true) is null or set_config('role', $2, true) is null
  or set_config('role', 'none', true) is null or set_config('session_authorization', before.name, true) is null
  from (select session_user::text as name offset 0) before`

/** The authorized user decides which roles are allowed. User and role come last: they may lack rights for the rest. */
function authorizedStatement(written: Settings): Statement | null {
  const { role, session_authorization: _, ...others } = written
  const user = sessionUserOf({ settings: written })
  const values = [
    ...Object.entries(others),
    ...(user === undefined ? [] : [['session_authorization', user]]),
    ...(role === undefined ? [] : [['role', role]]),
  ].flat()
  return values.length === 0 ? null : { text: settingsText(values.length / 2), values }
}

/** A session that can't change its user switches to other roles as their member. */
function memberStatement({ role, session_authorization, ...others }: Settings): Statement | null {
  const values = Object.entries(others).flat()
  if (role === undefined && session_authorization === undefined)
    return values.length === 0 ? null : { text: settingsText(values.length / 2), values }
  const last = values.length + 1
  const value = role === undefined ? `$${last}` : checkedRole(`$${last}`)
  const calls = [...settingsCalls(values.length / 2), `set_config('role', ${value}, true) is null`]
  return { text: `select ${calls.join(' or ')}`, values: [...values, role ?? session_authorization] }
}

/** The role in a parameter, or SET ROLE's error if `authenticator` can't switch to it. */
const checkedRole = (parameter: string): string =>
  `case when to_regrole(quote_ident(${parameter})) is not null and pg_has_role('${AUTHENTICATOR}', ${parameter}, ${SET_ROLE_RIGHT})
    then ${parameter} else _undock.refuse_role(${parameter}) end`

/** The text depends only on the number of settings, so that it stays prepared. Returning one boolean instead of the
 *  values takes half the time. `or` evaluates left to right, since no value is null. */
const settingsText = (count: number): string => `select ${settingsCalls(count).join(' or ')}`

const settingsCalls = (count: number): string[] =>
  Array.from({ length: count }, (_, i) => `set_config($${2 * i + 1}, $${2 * i + 2}, true) is null`)

/** Settings whose value is a list of names; Postgres stores it already quoted. */
const LISTS = new Set(['search_path', 'session_preload_libraries', 'local_preload_libraries', 'temp_tablespaces'])

/** Converts a setting from Postgres' catalogs to the syntax of `alter … set`. */
export function assignment(name: string, value: string): string {
  const quoted = name.split('.').map(pg.escapeIdentifier).join('.')
  return `${quoted} to ${LISTS.has(name) ? value : pg.escapeLiteral(value)}`
}
