import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { assignment } from './settings.ts'

/** Databases of a server, made, named and ended from another one of them. */
export type Databases = {
  exists(name: string): Promise<boolean>
  /** Names that begin with a prefix, those that were made last first. */
  list(prefix: string): Promise<string[]>
  /** A copy of a database that nobody is connected to. */
  copy(from: string, to: string): Promise<void>
  /** Sends everybody away from a database until `work` is done. */
  closed(name: string, work: () => Promise<void>): Promise<void>
  rename(from: string, to: string): Promise<void>
  drop(name: string): Promise<void>
  /** What `note` left at a database. */
  noteOf(name: string): Promise<string | null>
  /** Leaves a text at a database, for as long as it is there. */
  note(name: string, text: string): Promise<void>
  /** Runs one statement. */
  run(text: string): Promise<Record<string, unknown>[]>
  close(): Promise<void>
}

/** Milliseconds that sessions may take to end. */
const PATIENCE = 5_000

const quote = pg.escapeIdentifier

/** @param url Of a database to stand in meanwhile, by a role that may make databases. */
export async function openDatabases(url: string): Promise<Databases> {
  const client = new pg.Client({ connectionString: url, application_name: 'undock', keepAlive: true })
  client.on('error', () => undefined)
  await client.connect()
  const run = async (text: string, values: unknown[] = []): Promise<Record<string, unknown>[]> =>
    (await client.query(text, values)).rows

  /** Postgres itself looks every 100 ms whether they have gone, which is too seldom for tests. */
  async function disconnect(name: string): Promise<void> {
    for (const end = Date.now() + PATIENCE; Date.now() < end; ) {
      const gone = await run(
        'select pg_terminate_backend(pid) from pg_stat_activity where datname = $1 and pid <> pg_backend_pid()',
        [name],
      )
      if (gone.length === 0) return
      await sleep(2)
    }
  }

  /** What ALTER DATABASE … SET said of one, as statements about the other: a copy does not have it. */
  async function settingsOf(from: string, to: string): Promise<string[]> {
    const rows = await run(
      `select r.rolname as role, split_part(one, '=', 1) as name, substr(one, strpos(one, '=') + 1) as value
       from pg_db_role_setting s join pg_database d on d.oid = s.setdatabase left join pg_roles r on r.oid = s.setrole,
         unnest(s.setconfig) one
       where d.datname = $1`,
      [from],
    )
    return rows.map(({ role, name, value }) => {
      const whose = role === null ? '' : `role ${quote(String(role))} in `
      return `alter ${whose}database ${quote(to)} set ${assignment(String(name), String(value))}`
    })
  }

  return {
    exists: async (name) => (await run('select 1 from pg_database where datname = $1', [name])).length > 0,
    list: async (prefix) =>
      (await run('select datname from pg_database where starts_with(datname, $1) order by oid desc', [prefix])).map(
        ({ datname }) => String(datname),
      ),
    copy: async (from, to) => {
      const [owner] = await run('select pg_get_userbyid(datdba) as name from pg_database where datname = $1', [from])
      await run(
        `create database ${quote(to)} template ${quote(from)} owner ${quote(String(owner?.name))} strategy file_copy`,
      )
      for (const text of await settingsOf(from, to)) await run(text)
    },
    async closed(name, work) {
      // Who connects again at once would be in the way again.
      await run(`alter database ${quote(name)} allow_connections false`)
      try {
        await disconnect(name)
        await work()
      } finally {
        await run(`alter database ${quote(name)} allow_connections true`)
      }
    },
    rename: async (from, to) => {
      await run(`alter database ${quote(from)} allow_connections false`)
      await disconnect(from)
      await run(`alter database ${quote(from)} rename to ${quote(to)}`)
      await run(`alter database ${quote(to)} allow_connections true`)
    },
    drop: async (name) => {
      await run(`drop database if exists ${quote(name)} with (force)`)
    },
    async noteOf(name) {
      const [row] = await run(
        `select shobj_description(oid, 'pg_database') as note from pg_database where datname = $1`,
        [name],
      )
      return (row?.note as string | null | undefined) ?? null
    },
    note: async (name, text) => {
      await run(`comment on database ${quote(name)} is ${pg.escapeLiteral(text)}`)
    },
    run,
    close: () => client.end(),
  }
}
