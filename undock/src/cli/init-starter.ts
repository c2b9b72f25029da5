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

/** Writes a starter's files into the project (created if missing) and applies them to the running backend. Without one,
 *  they're first tried on a temporary database.
 *  @throws {UsageError} if some of the starter already exists. */
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
      "The running backend uses a server at an address, where starters can't be applied. Stop it first.",
    )
  const paths = running ? await add(running.dbUrl) : await withShadow(folder, 'all', add)
  for (const path of paths) console.log(`Wrote ${path}`)
  console.log(running ? 'Applied to the running backend.' : NEXT)
  console.log(`\nWith supabase-js:\n\n${starter.snippet}`)
}

const NEXT = '`npx undock start` applies it to a new database, `npx undock migration up` to an existing one.'

/** Writes the same files as the CLI's `init`. */
export async function createProject(folder: string): Promise<string> {
  await mkdir(join(folder, 'supabase'), { recursive: true })
  const id = sanitizeProjectId(basename(folder)) || 'project'
  const settings = `${JSON.stringify({ $schema: SCHEMA_ADDRESS, project_id: id }, null, 2)}\n`
  await writeFile(join(folder, 'supabase', 'config.jsonc'), settings, { flag: 'wx' })
  console.log('Created supabase/config.jsonc')
  return folder
}
