import { mkdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { freeVersions } from '../../database/migrations/history.ts'
import { type Migration, readMigrations } from '../../database/migrations/project-files.ts'
import { type DoubledVersion, doubledText, doubledVersions } from '../../database/migrations/state.ts'
import type { Script } from '../../project-tools/schema-difference.ts'
import { sharedFiles } from '../../runtime/branches/git.ts'
import { MIGRATION } from '../../runtime/branches/undo.ts'
import {
  type Backend,
  type BackendOptions,
  type ConfirmedOptions,
  findBackend,
  UsageError,
  withName,
} from '../arguments.ts'
import { keepForUndo, undo } from '../branches/undo.ts'
import { ask, printWarnings, withRunning } from '../running.ts'
import { readMigrationReport } from '../stack/migration-notes.ts'
import { runningOf } from '../supabase/cli.ts'

/** @property snapshot Whether to keep the data for `undock undo`. */
type MigrationUpOptions = BackendOptions & { readonly includeAll: boolean; readonly snapshot: boolean }

/** `undock migration up`: applies pending migrations after taking a snapshot.
 *  @throws {UsageError} if they are out of order. */
export async function migrationUp({ includeAll, snapshot, ...options }: MigrationUpOptions): Promise<number> {
  const backend = findBackend(options)
  return withRunning(backend, async (running) => {
    const { pending, late, doubled, faults } = await readMigrationReport(running)
    const wrong = includeAll ? doubled.map(doubledText) : [...doubled.map(doubledText), ...late.map(lateText)]
    if (wrong.length > 0) throw new UsageError(wrong.map((text) => withName(text, backend.name)).join('\n'))
    if (pending.length === 0) {
      tellFaults(faults, backend)
      if (faults.length === 0) console.error('All migrations are applied.')
      return faults.length === 0 ? 0 : 1
    }
    await keepForUndo(backend, MIGRATION, 'change the data', snapshot)
    console.error(`Applying ${pending.length} migration(s)`)
    const response = await ask(running, '/migrations', {})
    const report = await readMigrationReport(running)
    const applied = pending.filter((path) => !report.pending.includes(path))
    for (const path of applied) console.log(`Applied ${path}`)
    if (response) await printWarnings(response)
    tellFaults(report.faults, backend)
    return response ? 0 : 1
  })
}

/** Prints problems, such as an applied migration whose file was edited or deleted. */
function tellFaults(faults: readonly string[], { name }: Backend): void {
  for (const fault of faults) console.error(withName(fault, name))
}

const lateText = (path: string): string =>
  `${path} is out of order: a later migration is already applied. \`undock migration fix\` gives it a later version; --include-all applies it as it is.`

/** `undock migration undo`: restores the data from before the last `up`, and leaves the files for you to correct.
 *  @throws {UsageError} if there is no snapshot. */
export async function migrationUndo(options: ConfirmedOptions): Promise<number> {
  const code = await undo(options, MIGRATION)
  const { name } = findBackend(options)
  console.error(withName("Correct the migration's file, then `undock migration up` applies it again.", name))
  return code
}

/** `undock migration fix`: gives new versions, after the applied ones, to files that share a version or are out of order. Of two files with
 *  the same version, the applied one keeps it, or else the one pushed to git. @returns 1 if a problem remains that renaming can't fix. */
export async function migrationFix(options: BackendOptions): Promise<number> {
  const backend = findBackend(options)
  const folder = join(backend.workdir, 'supabase')
  const files = await readMigrations(folder)
  const running = await runningOf(backend)
  const { late, last, doubled } = running
    ? await readMigrationReport(running)
    : { late: [], last: '', doubled: doubledVersions(files) }
  const moving = new Set([...late, ...(await surplusOnes(backend.workdir, doubled))])
  const taken = new Set(files.map(({ version }) => version))
  for (const { path, version, name } of files.filter((one) => moving.has(one.path))) {
    const next = versionAfter([version, last].sort().at(-1) ?? version, taken)
    taken.add(next)
    const renamed = join('supabase', 'migrations', `${next}_${name}.sql`)
    await rename(join(backend.workdir, path), join(backend.workdir, renamed))
    console.log(`${path} is now ${renamed}`)
  }
  const faults = running ? (await readMigrationReport(running)).faults : []
  tellFaults(faults, backend)
  if (moving.size > 0) console.error(withName('`undock migration up` applies the pending ones.', backend.name))
  else if (faults.length === 0)
    console.error(
      running
        ? 'Every migration has its own version, in order.'
        : 'No two migrations share a version. To check their order, start the backend with `undock start`.',
    )
  return faults.length > 0 ? 1 : 0
}

/** Returns the files that share a version and must get another. */
async function surplusOnes(workdir: string, doubled: readonly DoubledVersion[]): Promise<string[]> {
  if (doubled.length === 0) return []
  const shared = await sharedFiles(workdir, join('supabase', 'migrations'))
  return doubled.flatMap(({ paths, applied }) => {
    const kept = applied ?? paths.toSorted((a, b) => (shared.get(b) ?? 0) - (shared.get(a) ?? 0))[0]
    return paths.filter((path) => path !== kept)
  })
}

/** Returns the nearest free version after another, so that later migrations still follow. If none follows, it's the current time. */
function versionAfter(version: string, taken: ReadonlySet<string>): string {
  const [now = ''] = freeVersions(taken, 1)
  if (now > version && ![...taken].some((one) => one > version)) return now
  for (let next = BigInt(version) + 1n; ; next++) {
    const text = String(next).padStart(version.length, '0')
    if (!taken.has(text)) return text
  }
}

/** Writes the scripts as the project's newest migrations, one file each, because statements of different transactions can't share a file.
 *  Never replaces existing files. @param name The part of the files' names after the version. @throws {UsageError} for an invalid name. */
export async function writeMigrations(workdir: string, name: string, scripts: readonly Script[]): Promise<Migration[]> {
  if (name === '' || /[/\\\0]/.test(name)) throw new UsageError(`"${name}" is not a valid name for a migration.`)
  const supabaseFolder = join(workdir, 'supabase')
  const taken = new Set((await readMigrations(supabaseFolder)).map(({ version }) => version))
  const versions = freeVersions(taken, scripts.length)
  const migrations = scripts.map(({ suffix, text }, index): Migration => {
    const version = versions[index] as string
    const full = `${name}${suffix}`
    return { version, name: full, path: join('supabase', 'migrations', `${version}_${full}.sql`), text: `${text}\n` }
  })
  await mkdir(join(supabaseFolder, 'migrations'), { recursive: true })
  for (const { path, text } of migrations) await writeFile(join(workdir, path), text, { flag: 'wx' })
  return migrations
}
