import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { nativeFolder } from './native-folder.ts'
import type { ProjectDatabase, ProjectDatabaseOptions } from './project-database.ts'

/** Opens a project's database on the engine that it is to have.
 *  @throws {ScriptError} when a migration or a seed fails; nothing is kept then. */
export async function openProjectDatabase(options: ProjectDatabaseOptions): Promise<ProjectDatabase> {
  if (options.engine === 'pglite') return (await import('./embedded-project.ts')).openEmbeddedProject(options)
  return (await import('./server/server-project.ts')).openServerProject(options)
}

/** An undock that was killed leaves its native server behind, and with it the port taken. Call it under the lock, which
 *  says that no other undock has that server.
 *  @param dataFolder As `openProjectDatabase` is given it. */
export async function endLeftoverServer(dataFolder: string | null): Promise<void> {
  if (!dataFolder || !existsSync(join(nativeFolder(dataFolder), 'postmaster.pid'))) return
  const { stopServer } = await import('./server/cluster.ts')
  stopServer(nativeFolder(dataFolder))
}
