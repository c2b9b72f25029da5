import type { ProjectDatabase, ProjectDatabaseOptions } from './project-database.ts'

/** Opens a project's database on the engine that it is to have.
 *  @throws {ScriptError} when a migration or a seed fails; nothing is kept then. */
export async function openProjectDatabase(options: ProjectDatabaseOptions): Promise<ProjectDatabase> {
  if (options.engine === 'pglite') return (await import('./embedded-project.ts')).openEmbeddedProject(options)
  return (await import('./server/server-project.ts')).openServerProject(options)
}
