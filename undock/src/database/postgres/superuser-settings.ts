import type { Major } from './majors.ts'

/** What every session of the stack's own superuser in a project's database begins with. Its search path names no schema in which
 *  others create, and event triggers, also those of the login, are off: functions of the project would run with its rights, or
 *  leave something behind that runs at the end of the transaction. */
export const superuserSettings = (major: Major): Readonly<Record<string, string>> => ({
  search_path: 'pg_catalog, pg_temp',
  // PostgreSQL 15 has no such setting and no login triggers.
  ...(major >= 17 ? { event_triggers: 'off' } : {}),
})
