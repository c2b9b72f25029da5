import { mkdir, writeFile } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { SCHEMA_ADDRESS } from '../config/convert-toml.ts'
import { sanitizeProjectId } from '../config/load.ts'
import { readProjectConfig } from '../config/project.ts'
import { MigrationRefusedError } from '../database/migrations/add-migration.ts'
import { addStarter } from '../project-tools/starters/add-starter.ts'
import { readStarter, type StarterName } from '../project-tools/starters/catalog.ts'
import { findBackend, nearestProject, UsageError } from './arguments.ts'
import { withClient } from './database-target.ts'
import { withShadow } from './running.ts'
import { runningOf } from './supabase/cli.ts'

/** Writes the files of a starter into a project, which it makes where there is none, and applies them to the backend that runs. When
 *  none does, they are tried on a database in memory first.
 *  @throws {UsageError} when something of the starter exists already. */
export async function initStarter(name: StarterName, workdir: string | undefined): Promise<void> {
  const folder = nearestProject(workdir) ?? (await createProject(resolve(workdir ?? '.')))
  const { config } = readProjectConfig(folder)
  const starter = readStarter(name)
  const target = { supabaseFolder: join(folder, 'supabase'), seed: config.db.seed }
  const add = (url: string): Promise<string[]> =>
    withClient(url, (client) => addStarter(client, starter, target)).catch((error: unknown) => {
      throw error instanceof MigrationRefusedError ? new UsageError(error.message) : error
    })
  const running = await runningOf(findBackend({ workdir: folder }))
  if (running?.holder.engine?.kind === 'server')
    throw new UsageError(
      'The running backend uses a server by its address, where no starter is applied. Stop it first.',
    )
  const paths = running ? await add(running.dbUrl) : await withShadow(folder, 'all', add)
  for (const path of paths) console.log(`Wrote ${path}`)
  console.log(running ? 'The running backend has all of it.' : NEXT)
  console.log(`\nWith supabase-js:\n\n${starter.snippet}`)
}

const NEXT =
  'A new database gets all of it with `npx undock start`, an existing one its migration with `npx undock migration up`.'

/** Writes what the CLI's `init` writes. */
export async function createProject(folder: string): Promise<string> {
  await mkdir(join(folder, 'supabase'), { recursive: true })
  const id = sanitizeProjectId(basename(folder)) || 'project'
  const settings = `${JSON.stringify({ $schema: SCHEMA_ADDRESS, project_id: id }, null, 2)}\n`
  await writeFile(join(folder, 'supabase', 'config.jsonc'), settings, { flag: 'wx' })
  console.log('Created supabase/config.jsonc')
  return folder
}
