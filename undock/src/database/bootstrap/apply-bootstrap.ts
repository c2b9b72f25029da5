import { DatabaseError } from 'pg-protocol'
import { KNOWN_EXTENSIONS } from '../extensions/known-extensions.ts'
import { PLAIN_SHIMS, plainShimText } from '../extensions/shims.ts'
import { decode, encodeScript } from '../protocol/exchange.ts'
import type { Engine, Session } from '../session.ts'
import { splitStatements } from '../statements/split-statements.ts'
import { bootstrapScripts, projectKey, READ_VERSION_MARK, setVersionMark, versionMark } from './bootstrap.ts'

/** "Already exists": roles belong to the whole server, and the database may have been prepared before. */
const EXISTS = ['42710', '42P06', '42P07', '42723', '42701', '42P16', '42P17', '23505']
const NO_RIGHT = '42501'

/** Prepares a database on a server that undock didn't start.
 *  @param passwords `local` gives login roles the password of `supabase start`; `own` leaves theirs.
 *  @param isIncomplete Whether a database of this version lacks something to retry.
 *  @returns the omitted statements with the reasons. */
export const bootstrapServer = (engine: Engine, passwords: 'local' | 'own', isIncomplete = false): Promise<string[]> =>
  applyBootstrap(engine, passwords === 'local' ? LOGIN_PASSWORDS : DROP_UNSAFE, isIncomplete)

/** Returns whether this version of undock prepared the database. */
export const isPrepared = (engine: Engine): Promise<boolean> =>
  engine.withSession(async (session) => (await markOf(session)) === versionMark(projectKey()))

/** Updates a database that another version of undock prepared. Extensions that the project created stay as they are.
 *  @returns null if it was up to date, otherwise the omitted statements with the reasons. */
export async function updateBootstrap(engine: Engine): Promise<string[] | null> {
  return (await isPrepared(engine)) ? null : applyBootstrap(engine, DROP_UNSAFE)
}

/** Prepares a database statement by statement. Repeatable: functions and triggers are replaced, other existing objects
 *  stay unchanged, and statements that the server or the role can't run are left out.
 *  @param last Runs at the end. */
function applyBootstrap(engine: Engine, last: string, isIncomplete = false): Promise<string[]> {
  const scripts = bootstrapScripts()
  const key = projectKey(scripts)
  return engine.withSession(async (session) => {
    if (!isIncomplete && (await markOf(session)) === versionMark(key)) return []
    const omitted: string[] = []
    const shims = new Set<string>()
    await run(session, 'begin')
    // The project's event triggers must not run in a superuser's session.
    await attempt(session, 'set local event_triggers = off')
    await run(session, 'select pg_advisory_xact_lock(7286434)')
    // Since Postgres 16, a role that isn't a superuser can SET ROLE to the roles it creates only with this setting.
    await attempt(session, "set local createrole_self_grant = 'set, inherit'")
    for (const { name, text } of scripts) {
      for (const statement of splitStatements(text)) {
        const reason = await attempt(session, statement.text)
        const shim = reason && PLAIN_SHIMS.find((one) => reason === `extension "${one}" is not available`)
        if (shim) shims.add(shim)
        else if (reason) omitted.push(`bootstrap/${name}:${statement.line}: ${reason}`)
      }
      await run(session, 'reset session authorization; reset role')
    }
    for (const shim of shims) {
      const reason = await provideShim(session, shim)
      if (reason) omitted.push(`${shim}: ${reason}`)
    }
    await run(session, `${last}; ${setVersionMark(key)}`)
    await run(session, 'commit')
    return omitted
  })
}

const markOf = async (session: Session): Promise<unknown> =>
  (await run(session, READ_VERSION_MARK)).results[0]?.rows[0]?.mark

/** Made by earlier versions, unsafe in any database. */
const DROP_UNSAFE = 'drop function if exists _undock.run_privileged(text)'

/** Prepares our own server's database, where everything must succeed. One exchange per script is three times as fast.
 *  @throws {DatabaseError} */
export function bootstrapOwnServer(engine: Engine): Promise<void> {
  const scripts = bootstrapScripts()
  return engine.withSession(async (session) => {
    for (const { text } of scripts)
      await run(session, `begin; ${text}\n; reset session authorization; reset role; commit`)
    await run(session, `${LOGIN_PASSWORDS}; ${setVersionMark(projectKey(scripts))}`)
  })
}

/** Gives login roles the password of `supabase start`, as on the embedded engine, where the right to set it exists. */
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
    const reduced = error.code === NO_RIGHT ? withoutSuperuser(text) : null
    if (reduced) return attempt(session, reduced)
    return error.message
  }
}

async function provideShim(session: Session, name: string): Promise<string | null> {
  const reasons: string[] = []
  for (const { text } of splitStatements(plainShimText(name))) {
    const reason = await attempt(session, text)
    if (reason) reasons.push(reason)
  }
  return reasons[0] ?? null
}

/** Provides extensions that a project's scripts create, the server lacks and undock replaces.
 *  @returns the names of those that scripts must not create. */
export async function provideShims(engine: Engine, wanted: ReadonlySet<string>): Promise<ReadonlySet<string>> {
  if (!PLAIN_SHIMS.some((name) => wanted.has(name))) return new Set()
  return engine.withSession(async (session) => {
    const { results } = await run(session, 'select name from pg_available_extensions')
    const available = new Set(results[0]?.rows.map(({ name }) => name))
    const provided = PLAIN_SHIMS.filter((name) => wanted.has(name) && !available.has(name))
    for (const name of provided) {
      await run(session, 'begin')
      await provideShim(session, name)
      await run(session, 'commit')
    }
    return new Set(provided)
  })
}

/** Returns the project's extensions that need a superuser here but that hosted projects let `postgres` create. */
export async function findPrivilegedExtensions(
  engine: Engine,
  wanted: ReadonlySet<string>,
): Promise<ReadonlySet<string>> {
  const { results } = await engine.withSession((session) =>
    run(
      session,
      'select name from pg_available_extension_versions group by name having bool_or(superuser and not trusted)',
    ),
  )
  const untrusted = results[0]?.rows.map(({ name }) => String(name)) ?? []
  return new Set(untrusted.filter((name) => wanted.has(name) && name in KNOWN_EXTENSIONS))
}

function withoutSuperuser(text: string): string | null {
  const reduced = /\bcreate\s+role\b/i.test(text)
    ? text.replaceAll(/\b(?:superuser|replication|bypassrls)\b/gi, '')
    : text.replace(/\bset\s+session\s+authorization\b/i, 'set role')
  return reduced === text ? null : reduced
}

const run = async (session: Session, script: string) => decode(await session.exchange(encodeScript(script)))
