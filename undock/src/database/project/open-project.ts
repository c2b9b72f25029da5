import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Installation } from '../postgres/installation.ts'
import { MAJORS } from '../postgres/postgres-package.ts'
import type { EngineInUse } from '../session.ts'
import { folderOf } from './kept-data.ts'
import type { ProjectDatabase, ProjectDatabaseOptions } from './project-database.ts'

/** Opens a project's database on the chosen engine.
 *  @throws {ScriptError} if a migration or a seed fails; nothing is kept then. */
export async function openProjectDatabase(options: ProjectDatabaseOptions): Promise<ProjectDatabase> {
  const { engine } = options
  if (engine === 'pglite')
    return openEmbedded(options, {
      reason: 'engine = "pglite" is set',
      remedy: 'Set engine = "auto" in supabase/undock.toml for the native engine.',
    })
  if (typeof engine === 'object') {
    const { openProjectByUrl } = await import('./server-project.ts')
    const title = 'An existing PostgreSQL'
    const engineInUse = { kind: 'server', title, reason: 'database_url names it', remedy: null } as const
    return { ...(await openProjectByUrl(options, engine.url)), engineInUse }
  }
  const { chooseEngine, installationFor } = await import('./choose-engine.ts')
  if (engine === 'native') return openNative(options, await installationFor(options), 'engine = "native" is set')
  const choice = await chooseEngine(options)
  if (choice.engine === 'native')
    return openNative(options, choice.installation, 'it runs on this machine and has the extensions of the project')
  options.tell({ kind: 'embedded-engine', engine: embedded(choice) })
  return openEmbedded(options, choice)
}

type Choice = Pick<EngineInUse, 'reason' | 'remedy'>

const embedded = ({ reason, remedy }: Choice): EngineInUse => ({ kind: 'pglite', title: 'PGlite', reason, remedy })

async function openEmbedded(options: ProjectDatabaseOptions, choice: Choice): Promise<ProjectDatabase> {
  const { openEmbeddedProject } = await import('./embedded-project.ts')
  return { ...(await openEmbeddedProject(options)), engineInUse: embedded(choice) }
}

async function openNative(
  options: ProjectDatabaseOptions,
  { unusable, major }: Installation,
  reason: string,
): Promise<ProjectDatabase> {
  const { openNativeProject } = await import('./server-project.ts')
  const engineInUse = { kind: 'native', title: `PostgreSQL ${major}`, reason, remedy: null } as const
  return { ...(await openNativeProject({ ...options, unusable }, major)), engineInUse }
}

/** Stops a native server that a killed undock left on the port. The caller must hold the project's lock. */
export async function endLeftoverServer(dataFolder: string | null): Promise<void> {
  if (!dataFolder) return
  const folders = MAJORS.map((major) => folderOf(dataFolder, major))
  for (const folder of folders.filter((one) => existsSync(join(one, 'postmaster.pid')))) {
    const { stopServer } = await import('../postgres/cluster.ts')
    stopServer(folder)
  }
}
