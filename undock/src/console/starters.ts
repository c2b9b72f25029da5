import { z } from 'zod'
import { MigrationRefusedError } from '../database/migrations/add-migration.ts'
import { addStarter, type StarterFile, starterConflicts, starterFiles } from '../project-tools/starters/add-starter.ts'
import { readStarter, STARTER_NAMES, type StarterName } from '../project-tools/starters/catalog.ts'
import type { ConsoleOptions } from './options.ts'
import type { Queryable } from './query.ts'

/** A starter, and what it would be in this project. @property conflicts What is in its way, such as `the table public.todos`. */
export type DescribedStarter = {
  readonly name: StarterName
  readonly title: string
  readonly summary: string
  readonly files: readonly StarterFile[]
  readonly snippet: string
  readonly conflicts: readonly string[]
}

export const ChosenStarter = z.strictObject({ name: z.enum(STARTER_NAMES) })

type Project = Pick<ConsoleOptions, 'supabaseFolder' | 'config' | 'isLocal'>
const targetOf = ({ supabaseFolder, config }: Project) => ({ supabaseFolder, seed: config.db.seed })

export const describeStarters = (queryable: Queryable, project: Project): Promise<DescribedStarter[]> =>
  queryable.withClient(async (client) => {
    const described: DescribedStarter[] = []
    for (const starter of STARTER_NAMES.map(readStarter)) {
      const { name, title, summary, snippet } = starter
      const files = await starterFiles(starter, targetOf(project))
      const conflicts = await starterConflicts(client, starter, targetOf(project))
      described.push({ name, title, summary, snippet, files, conflicts })
    }
    return described
  })

/** @returns the paths of the files that are written.
 *  @throws {MigrationRefusedError} also for another server: the seed makes users whose password is known. */
export async function applyStarter(
  queryable: Queryable,
  project: Project,
  { name }: z.infer<typeof ChosenStarter>,
): Promise<string[]> {
  if (!project.isLocal)
    throw new MigrationRefusedError(
      'This database is not local: a starter, with its users and rows, is for local work.',
    )
  return queryable.withClient((client) => addStarter(client, readStarter(name), targetOf(project)))
}
