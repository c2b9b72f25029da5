import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { connectionTo } from '../../kernel/url.ts'
import { assignment } from '../settings-statement.ts'

export type Databases = {
  exists(name: string): Promise<boolean>
  /** Returns the names with a prefix, most recently created first. */
  list(prefix: string): Promise<string[]>
  /** Returns all names except templates, those with a prefix, and `one`. */
  others(prefix: string, one: string): Promise<string[]>
  /** Drops the databases that an interrupted DROP left: nothing else is possible with them. */
  finishDrops(): Promise<void>
  copy(from: string, to: string): Promise<void>
  withoutConnections(name: string, work: () => Promise<void>): Promise<void>
  rename(from: string, to: string): Promise<void>
  drop(name: string): Promise<void>
  comment(name: string): Promise<string | null>
  setComment(name: string, text: string): Promise<void>
  /** Closes the connection until it's needed again: databases can't be created while someone is connected to template1. */
  release(): Promise<void>
  run(text: string): Promise<Record<string, unknown>[]>
  close(): Promise<void>
}

const DISCONNECT_TIMEOUT = 5_000

const quote = pg.escapeIdentifier

/** @param url URL of a database to connect to, with a role that may create databases. */
export async function openDatabases(url: string): Promise<Databases> {
  let client: pg.Client | null = null
  async function connected(): Promise<pg.Client> {
    if (client) return client
    const connection = new pg.Client({ ...connectionTo(url), application_name: 'undock', keepAlive: true })
    connection.on('error', () => undefined)
    await connection.connect()
    client = connection
    return connection
  }
  async function release(): Promise<void> {
    const open = client
    client = null
    await open?.end()
  }
  await connected()
  const run = async (text: string, values: unknown[] = []): Promise<Record<string, unknown>[]> =>
    (await (await connected()).query(text, values)).rows

  /** Postgres itself only checks every 100 ms whether connections have ended, which is too slow for tests. */
  async function disconnect(name: string): Promise<void> {
    for (const end = performance.now() + DISCONNECT_TIMEOUT; performance.now() < end; ) {
      const gone = await run(
        'select pg_terminate_backend(pid) from pg_stat_activity where datname = $1 and pid <> pg_backend_pid()',
        [name],
      )
      if (gone.length === 0) return
      await sleep(2)
    }
  }

  /** Returns one database's ALTER DATABASE … SET settings as statements for another: copies don't include them. */
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
    others: async (prefix, one) => {
      const others = 'select datname from pg_database where not datistemplate and not starts_with(datname, $1)'
      return (await run(`${others} and datname <> $2`, [prefix, one])).map(({ datname }) => String(datname))
    },
    async finishDrops() {
      const dropped = await run('select datname from pg_database where datconnlimit = -2')
      for (const { datname } of dropped) await run(`drop database ${quote(String(datname))}`)
    },
    copy: async (from, to) => {
      const [owner] = await run('select pg_get_userbyid(datdba) as name from pg_database where datname = $1', [from])
      await run(
        `create database ${quote(to)} template ${quote(from)} owner ${quote(String(owner?.name))} strategy file_copy`,
      )
      for (const text of await settingsOf(from, to)) await run(text)
    },
    async withoutConnections(name, work) {
      // Clients that reconnect immediately would block the work again.
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
    async comment(name) {
      const [row] = await run(
        `select shobj_description(oid, 'pg_database') as note from pg_database where datname = $1`,
        [name],
      )
      return (row?.note as string | null | undefined) ?? null
    },
    setComment: async (name, text) => {
      await run(`comment on database ${quote(name)} is ${pg.escapeLiteral(text)}`)
    },
    run,
    release,
    close: release,
  }
}
