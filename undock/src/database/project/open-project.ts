import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Installation } from '../postgres/installation.ts'
import { MAJORS } from '../postgres/majors.ts'
import { folderOf } from './kept-data.ts'
import type { ProjectDatabase, ProjectDatabaseOptions } from './project-database.ts'

/** Opens a project's database on the chosen engine.
 *  @throws {ScriptError} when a migration or a seed fails; nothing is kept then. */
export async function openProjectDatabase(options: ProjectDatabaseOptions): Promise<ProjectDatabase> {
  const { engine } = options
  if (engine === 'pglite') return openEmbedded(options)
  if (typeof engine === 'object') return (await import('./server-project.ts')).openProjectByUrl(options, engine.url)
  const { chooseEngine, installationFor } = await import('./choose-engine.ts')
  if (engine === 'native') return openNative(options, await installationFor(options))
  const choice = await chooseEngine(options)
  if (choice.engine === 'native') return openNative(options, choice.installation)
  options.tell({ kind: 'embedded-engine', reason: choice.reason })
  return openEmbedded(options)
}

const openEmbedded = async (options: ProjectDatabaseOptions): Promise<ProjectDatabase> =>
  (await import('./embedded-project.ts')).openEmbeddedProject(options)

const openNative = async (options: ProjectDatabaseOptions, installation: Installation): Promise<ProjectDatabase> =>
  (await import('./server-project.ts')).openNativeProject(
    { ...options, unusable: installation.unusable },
    installation.major,
  )

/** Stops a native server that a killed undock left running, which would occupy the port. The caller must hold the project's lock, so
 *  that no other undock uses that server.
 *  @param dataFolder The folder that `openProjectDatabase` gets. */
export async function endLeftoverServer(dataFolder: string | null): Promise<void> {
  if (!dataFolder) return
  const folders = MAJORS.map((major) => folderOf(dataFolder, major))
  for (const folder of folders.filter((one) => existsSync(join(one, 'postmaster.pid')))) {
    const { stopServer } = await import('../postgres/cluster.ts')
    stopServer(folder)
  }
}
