import type { Databases } from './databases.ts'
import { BASE } from './native-cluster.ts'

export type AsideRoles = {
  /** The roles made since go, those put aside have their names again. */
  restore(): Promise<void>
  /** Once nothing is theirs any more. */
  forget(): Promise<void>
}

const PREFIX = 'undock_aside_'

/** Roles belong to the whole server: those that a project's migrations made before must not stand in the way when they
 *  make them again. What the roles own in the old database stays theirs meanwhile. */
export async function putRolesAside(databases: Databases): Promise<AsideRoles> {
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
    async forget() {
      for (const name of names) await databases.run(`drop role if exists ${quote(PREFIX + name)}`)
    },
  }
}

async function standardRoles(databases: Databases): Promise<string[]> {
  return (await databases.noteOf(BASE))?.split(',') ?? []
}

const quote = (name: string): string => `"${name.replaceAll('"', '""')}"`
