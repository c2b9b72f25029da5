import { DatabaseError } from 'pg-protocol'
import { bootstrapScripts, MARK, markOf, projectKey, setMark } from '../bootstrap.ts'
import { decode, encodeScript } from '../engine/exchange.ts'
import { splitStatements } from '../migrations/split.ts'
import type { Engine, Session } from '../session.ts'

/** What is there already: roles belong to the whole server, and a database may have been prepared before. */
const EXISTS = ['42710', '42P06', '42P07', '42723', '42701', '42P16', '42P17', '23505']
const NO_RIGHT = '42501'

/** Prepares a database for a project, statement by statement: what exists stays as it is, what the server or the role
 *  cannot do is left out.
 *  @returns what was left out, each with the reason. Empty on a server of our own. */
export function bootstrapServer(engine: Engine): Promise<string[]> {
  const scripts = bootstrapScripts()
  const key = projectKey(scripts)
  return engine.exclusive(async (session) => {
    const { results } = await run(session, MARK)
    if (results[0]?.rows[0]?.mark === markOf(key)) return []
    const omitted: string[] = []
    await run(session, 'begin')
    // Two that begin on one server at once would make the same roles.
    await run(session, 'select pg_advisory_xact_lock(7286434)')
    // Who is no superuser may be the roles that it makes, when it says so beforehand (from Postgres 16 on).
    await attempt(session, "set local createrole_self_grant = 'set, inherit'")
    for (const { name, text } of scripts) {
      for (const statement of splitStatements(text)) {
        const reason = await attempt(session, statement.text)
        if (reason) omitted.push(`bootstrap/${name}:${statement.line}: ${reason}`)
      }
      await run(session, 'reset session authorization; reset role')
    }
    await run(session, `${LOGIN_PASSWORDS}; ${setMark(key)}`)
    await run(session, 'commit')
    return omitted
  })
}

/** Roles that may log in do so with the password of `supabase start`, as on the embedded engine. A role that may not
 *  set passwords leaves them. */
const LOGIN_PASSWORDS = `do $$
declare name text;
begin
  for name in select rolname from pg_roles where rolcanlogin and rolname in ('postgres', 'authenticator', 'supabase_admin',
    'supabase_auth_admin', 'supabase_storage_admin', 'supabase_functions_admin', 'supabase_replication_admin',
    'supabase_read_only_user', 'pgbouncer') and rolname <> current_user
  loop
    begin
      execute format('alter role %I password %L', name, 'postgres');
    exception when insufficient_privilege then null;
    end;
  end loop;
end $$`

async function attempt(session: Session, text: string): Promise<string | null> {
  await run(session, 'savepoint statement')
  try {
    await run(session, text)
    await run(session, 'release savepoint statement')
    return null
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error
    await run(session, 'rollback to savepoint statement')
    if (EXISTS.includes(error.code ?? '')) return null
    const lesser = error.code === NO_RIGHT ? withoutSuperuser(text) : null
    if (lesser) return attempt(session, lesser)
    return error.message
  }
}

/** The same as one may do it who is no superuser. */
function withoutSuperuser(text: string): string | null {
  const lesser = /\bcreate\s+role\b/i.test(text)
    ? text.replaceAll(/\b(?:superuser|replication|bypassrls)\b/gi, '')
    : text.replace(/\bset\s+session\s+authorization\b/i, 'set role')
  return lesser === text ? null : lesser
}

const run = async (session: Session, script: string) => decode(await session.exchange(encodeScript(script)))
