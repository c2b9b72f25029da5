import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { nativeFolder } from './kept-data.ts'
import type { ProjectDatabase, ProjectDatabaseOptions } from './project-database.ts'

/** Opens a project's database on the chosen engine.
 *  @throws {ScriptError} when a migration or a seed fails; nothing is kept then. */
export async function openProjectDatabase(options: ProjectDatabaseOptions): Promise<ProjectDatabase> {
  const engine = options.engine === 'auto' ? await engineFor(options) : options.engine
  if (engine === 'pglite') return (await import('./embedded-project.ts')).openEmbeddedProject(options)
  return (await import('./server-project.ts')).openServerProject({ ...options, engine })
}

async function engineFor(options: ProjectDatabaseOptions): Promise<'native' | 'pglite'> {
  const { chooseEngine } = await import('./choose-engine.ts')
  const choice = await chooseEngine(options)
  if (choice.engine === 'pglite') options.tell({ kind: 'embedded-engine', reason: choice.reason })
  return choice.engine
}

/** Stops a native server that a killed undock left running, which would occupy the port. The caller must hold the project's lock, so
 *  that no other undock uses that server.
 *  @param dataFolder The folder that `openProjectDatabase` gets. */
export async function endLeftoverServer(dataFolder: string | null): Promise<void> {
  if (!dataFolder || !existsSync(join(nativeFolder(dataFolder), 'postmaster.pid'))) return
  const { stopServer } = await import('../postgres/cluster.ts')
  stopServer(nativeFolder(dataFolder))
}
