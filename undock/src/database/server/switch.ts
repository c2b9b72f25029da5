import { projectKey } from '../bootstrap.ts'
import type { ProjectContent } from '../project-content.ts'
import type { DatabaseSnapshot } from '../project-database.ts'
import { bootstrapServer } from './bootstrap-server.ts'
import type { Databases } from './databases.ts'
import { BASE } from './native-cluster.ts'
import { describeRoles, restoreRoles } from './role-states.ts'
import { putRolesAside } from './roles-aside.ts'
import { openServerEngine } from './server-engine.ts'

export type SwitchOptions = {
  connect(): Promise<Databases>
  /** The project's. */
  readonly database: string
  /** Begins the names of all other databases that the project has on the server. */
  readonly prefix: string
  /** The server is ours alone: its roles are the project's. */
  readonly owned: boolean
  urlOf(database: string): string
  readonly waitLimit: number
}

/** Runs `work` while nobody of ours is connected. */
export type Replace = (work: () => Promise<void>) => Promise<void>

/** Puts other databases in the place of the project's, and copies it. */
export type Switch = {
  /** @throws {ScriptError} when the content cannot be made; the database is then as it was. */
  toContent(content: ProjectContent, replace: Replace): Promise<'snapshot' | 'migrated'>
  snapshot(replace: Replace): Promise<DatabaseSnapshot>
  /** After an end between two changes of names. */
  repair(): Promise<void>
  close(): Promise<void>
}

/** A copy takes several times as long as a change of names. So the next copy of what was asked for last is made ahead,
 *  and what was replaced is dropped afterwards. */
export function createSwitch(options: SwitchOptions): Switch {
  const { database, prefix, urlOf, waitLimit } = options
  const [next, old, base] = [`${prefix}next`, `${prefix}old`, `${prefix}base_${projectKey().slice(0, 8)}`]
  const templatePrefix = `${prefix}template_`
  let connection: Promise<Databases> | null = null
  /** What `next` is, or is being made, a copy of. */
  let ahead: { of: string; made: Promise<void> } | null = null
  let snapshots = 0

  const databases = (): Promise<Databases> => {
    connection ??= options.connect()
    return connection
  }

  function prepareAhead(template: string): void {
    const made = databases().then(async (all) => {
      await all.drop(old)
      await all.drop(next)
      await all.copy(template, next)
    })
    // It is asked for again when it is needed.
    made.catch(() => undefined)
    ahead = { of: template, made }
  }

  const settled = async (): Promise<void> => ahead?.made.catch(() => undefined)

  async function to(template: string, replace: Replace): Promise<void> {
    const all = await databases()
    if (ahead?.of !== template) {
      await settled()
      prepareAhead(template)
    }
    await ahead?.made
    ahead = null
    const roles = options.owned ? await all.noteOf(template) : null
    await replace(async () => {
      if (await all.exists(database)) await all.rename(database, old)
      await all.rename(next, database)
      if (roles) await restoreRoles(all, roles, () => all.drop(old))
    })
  }

  async function noteRoles(all: Databases, name: string): Promise<void> {
    if (options.owned) await all.note(name, await describeRoles(all))
  }

  /** A bootstrapped database to begin from. */
  async function baseOf(all: Databases): Promise<string> {
    if (await all.exists(BASE)) return BASE
    if (await all.exists(base)) return base
    await all.drop(next)
    await all.copy('template0', next)
    const engine = await openServerEngine({ url: urlOf(next), statementLimit: 0, waitLimit })
    await bootstrapServer(engine).finally(engine.close)
    await all.rename(next, base)
    return base
  }

  /** Migrations run under the project's own name: some name their database. */
  async function build(all: Databases, content: ProjectContent, template: string): Promise<void> {
    const from = await baseOf(all)
    await all.drop(old)
    const isThere = await all.exists(database)
    if (isThere) await all.rename(database, old)
    const roles = options.owned ? await putRolesAside(all) : null
    try {
      await all.copy(from, database)
      const engine = await openServerEngine({ url: urlOf(database), statementLimit: 0, waitLimit })
      await content.apply(engine).finally(engine.close)
      await all.closed(database, () => all.copy(database, template))
    } catch (error) {
      await all.drop(database)
      await roles?.restore()
      if (isThere) await all.rename(old, database)
      throw error
    }
    const stale = [old, ...(await all.list(templatePrefix)).filter((name) => name !== template)]
    for (const name of stale) await all.drop(name)
    await roles?.forget()
    await noteRoles(all, template)
  }

  return {
    async toContent(content, replace) {
      const all = await databases()
      const template = `${templatePrefix}${content.key}_${projectKey().slice(0, 8)}`
      await settled()
      if (!(await all.exists(template))) {
        ahead = null
        await replace(() => build(all, content, template))
        return 'migrated'
      }
      await to(template, replace)
      // Who resets once will do so again.
      prepareAhead(template)
      return 'snapshot'
    },
    async snapshot(replace) {
      const all = await databases()
      await settled()
      const name = `${prefix}snapshot_${process.pid}_${++snapshots}`
      await replace(() => all.closed(database, () => all.copy(database, name)))
      await noteRoles(all, name)
      return {
        async restore() {
          await to(name, replace)
          prepareAhead(name)
        },
        async discard() {
          await settled()
          await all.drop(name)
        },
      }
    },
    async repair() {
      const all = await databases()
      if (!(await all.exists(database)) && (await all.exists(old))) await all.rename(old, database)
    },
    async close() {
      await settled()
      await (await connection)?.close()
    },
  }
}
