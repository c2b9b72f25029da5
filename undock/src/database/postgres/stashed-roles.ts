import type { Databases } from './databases.ts'
import { BASE_DATABASE } from './native-cluster.ts'

export type StashedRoles = {
  /** Drops the roles that were created since, and gives the stashed roles their names back. */
  restore(): Promise<void>
  /** Drops the stashed roles, which must not own anything any more. */
  discard(): Promise<void>
}

const PREFIX = 'undock_aside_'

/** Renames the roles that a project's migrations created, so that the migrations can create them again: roles belong to the whole
 *  server. Meanwhile the renamed roles keep what they own in the old database. */
export async function stashRoles(databases: Databases): Promise<StashedRoles> {
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
