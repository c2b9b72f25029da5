import { bootstrapServer } from '../bootstrap/apply-bootstrap.ts'
import { projectKey } from '../bootstrap/bootstrap.ts'
import type { Databases } from '../postgres/databases.ts'
import { BASE_DATABASE } from '../postgres/native-cluster.ts'
import { describeRoles, restoreRoles } from '../postgres/role-states.ts'
import { openServerEngine } from '../postgres/server-engine.ts'
import type { ProjectContent } from './project-content.ts'
import type { DatabaseSnapshot } from './project-database.ts'

type StashedRoles = {
  /** Drops the roles created since, and renames the stashed roles back. */
  restore(): Promise<void>
  /** Drops the stashed roles, which must no longer own anything. */
  discard(): Promise<void>
}

const PREFIX = 'undock_aside_'

/** Renames the roles that a project's migrations created, so that they can be created again: roles belong to the whole
 *  server. The renamed roles keep what they own in the old database. */
async function stashRoles(databases: Databases): Promise<StashedRoles> {
  const standard = await standardRoles(databases)
  const own = async (): Promise<string[]> => {
    const rows = await databases.run('select rolname as name from pg_roles where oid >= 16384')
    return rows.map(({ name }) => String(name)).filter((name) => !standard.includes(name))
  }
  const rename = (from: string, to: string) => databases.run(`alter role ${quote(from)} rename to ${quote(to)}`)
  const names = await own()
  for (const name of names) await rename(name, PREFIX + name)
  return {
    async restore() {
      for (const name of await own()) if (!name.startsWith(PREFIX)) await databases.run(`drop role ${quote(name)}`)
      for (const name of names) await rename(PREFIX + name, name)
    },
    async discard() {
      for (const name of names) await databases.run(`drop role if exists ${quote(PREFIX + name)}`)
    },
  }
}

async function standardRoles(databases: Databases): Promise<string[]> {
  return (await databases.comment(BASE_DATABASE))?.split(',') ?? []
}

const quote = (name: string): string => `"${name.replaceAll('"', '""')}"`

export type DatabaseSwapOptions = {
  connect(): Promise<Databases>
  readonly database: string
  /** Prefix of all other databases that the project has on the server. */
  readonly prefix: string
  /** Whether undock started the server: then its roles belong to the project. */
  readonly isOwnServer: boolean
  urlOf(database: string): string
  /** Returns the URL of the project's database for any user; null on a server given by its URL. */
  readonly urlAs: ((user: string) => string) | null
  readonly ownSettings: Readonly<Record<string, string>>
  readonly waitLimit: number
}

type WithoutSessions = (work: () => Promise<void>) => Promise<void>

export type DatabaseSwap = {
  /** @throws {ScriptError} if a script of the content fails; the database is then unchanged. */
  toContent(content: ProjectContent, replace: WithoutSessions): Promise<'snapshot' | 'migrated'>
  snapshot(replace: WithoutSessions): Promise<DatabaseSnapshot>
  repair(): Promise<void>
  close(): Promise<void>
}

/** Copying a database is several times slower than renaming one, so the next copy of the last template is prepared in
 *  the background, and the replaced database is dropped afterwards. */
export function createDatabaseSwap(options: DatabaseSwapOptions): DatabaseSwap {
  const { database, prefix, urlOf, waitLimit } = options
  const [next, old, base] = [`${prefix}next`, `${prefix}old`, `${prefix}base_${projectKey().slice(0, 8)}`]
  const templatePrefix = `${prefix}template_`
  let nextCopy: { template: string; done: Promise<void> } | null = null
  let snapshots = 0

  /** Connected only while needed: databases can't be created while someone is connected to template1. */
  async function withDatabases<T>(work: (all: Databases) => Promise<T>): Promise<T> {
    const all = await options.connect()
    try {
      return await work(all)
    } finally {
      await all.close()
    }
  }

  function prepareNextCopy(template: string): void {
    const made = withDatabases(async (all) => {
      await all.drop(old)
      await all.drop(next)
      await all.copy(template, next)
    })
    made.catch(() => undefined)
    nextCopy = { template, done: made }
  }

  const nextCopySettled = async (): Promise<void> => nextCopy?.done.catch(() => undefined)

  async function swapTo(all: Databases, template: string, replace: WithoutSessions): Promise<void> {
    if (nextCopy?.template !== template) {
      await nextCopySettled()
      prepareNextCopy(template)
    }
    await nextCopy?.done
    nextCopy = null
    const roles = options.isOwnServer ? await all.comment(template) : null
    await replace(async () => {
      if (await all.exists(database)) await all.rename(database, old)
      await all.rename(next, database)
      if (roles) await restoreRoles(all, roles, () => all.drop(old))
    })
  }

  async function recordRoles(all: Databases, name: string): Promise<void> {
    if (options.isOwnServer) await all.setComment(name, await describeRoles(all))
  }

  async function baseOf(all: Databases): Promise<string> {
    if (await all.exists(BASE_DATABASE)) return BASE_DATABASE
    if (await all.exists(base)) return base
    await all.drop(next)
    await all.copy('template0', next)
    const engine = await openServerEngine({ url: urlOf(next), statementLimit: 0, waitLimit })
    await bootstrapServer(engine, 'local').finally(engine.close)
    await all.rename(next, base)
    return base
  }

  /** Runs migrations in a database with the project's name, because some of them name it. */
  async function build(all: Databases, content: ProjectContent, template: string): Promise<void> {
    const from = await baseOf(all)
    // Each may refer to roles that are dropped below.
    for (const name of [old, next]) await all.drop(name)
    const isThere = await all.exists(database)
    if (isThere) await all.rename(database, old)
    const roles = options.isOwnServer ? await stashRoles(all) : null
    // Databases created by scripts have to be creatable again.
    const made: string[] = []
    try {
      if (options.isOwnServer) await all.finishDrops()
      for (const name of options.isOwnServer ? await all.others(prefix, database) : []) {
        await all.rename(name, `${old}_${name}`)
        made.push(name)
      }
      await all.copy(from, database)
      const engine = await openServerEngine({
        url: urlOf(database),
        urlAs: options.urlAs,
        ownSettings: options.ownSettings,
        statementLimit: 0,
        waitLimit,
      })
      await all.release()
      await content.apply(engine).finally(engine.close)
      await all.withoutConnections(database, () => all.copy(database, template))
    } catch (error) {
      await all.drop(database)
      for (const name of made) {
        await all.drop(name)
        await all.rename(`${old}_${name}`, name)
      }
      await roles?.restore()
      if (isThere) await all.rename(old, database)
      throw error
    }
    const stale = [
      old,
      ...made.map((name) => `${old}_${name}`),
      ...(await all.list(templatePrefix)).filter((name) => name !== template),
    ]
    for (const name of stale) await all.drop(name)
    await roles?.discard()
    await recordRoles(all, template)
  }

  return {
    async toContent(content, replace) {
      const template = `${templatePrefix}${content.key}_${projectKey().slice(0, 8)}`
      await nextCopySettled()
      return withDatabases(async (all) => {
        if (!(await all.exists(template))) {
          nextCopy = null
          await replace(() => build(all, content, template))
          return 'migrated'
        }
        await swapTo(all, template, replace)
        prepareNextCopy(template)
        return 'snapshot'
      })
    },
    async snapshot(replace) {
      await nextCopySettled()
      const name = `${prefix}snapshot_${process.pid}_${++snapshots}`
      await withDatabases(async (all) => {
        await replace(() => all.withoutConnections(database, () => all.copy(database, name)))
        await recordRoles(all, name)
      })
      return {
        async restore() {
          await withDatabases((all) => swapTo(all, name, replace))
          prepareNextCopy(name)
        },
        async discard() {
          await nextCopySettled()
          await withDatabases((all) => all.drop(name))
        },
      }
    },
    repair: () =>
      withDatabases(async (all) => {
        if (!(await all.exists(database)) && (await all.exists(old))) await all.rename(old, database)
      }),
    close: nextCopySettled,
  }
}
