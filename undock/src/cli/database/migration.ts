import { mkdir, rename, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { z } from 'zod'
import { freeVersions } from '../../database/migrations/history.ts'
import { type Migration, readMigrations } from '../../database/migrations/project-files.ts'
import { type DoubledVersion, doubledText, doubledVersions } from '../../database/migrations/state.ts'
import { readHolder } from '../../database/project/lock.ts'
import type { Script } from '../../project-tools/schema-difference.ts'
import { findSnapshot } from '../../runtime/branches/branches.ts'
import { followGitStopped } from '../../runtime/branches/follow-git.ts'
import { sharedFiles } from '../../runtime/branches/git.ts'
import { loadRegistry } from '../../runtime/branches/registry.ts'
import { lockPath, stateFolder } from '../../runtime/place/state-folders.ts'
import type { StackEvent } from '../../runtime/stack/options.ts'
import { startStack } from '../../runtime/stack/stack.ts'
import { type Backend, type BackendOptions, findBackend, UsageError, withName } from '../arguments.ts'
import { changeBranches } from '../branches/change.ts'
import { confirm } from '../database-target.ts'
import { nameCommands, tellEvent } from '../report.ts'
import { findRunning, type Running } from '../running.ts'
import { readMigrationReport } from '../stack/migration-notes.ts'
import { runningOf } from '../supabase/cli.ts'

export type MigrationUpOptions = BackendOptions & { readonly includeAll: boolean }
export type MigrationUndoOptions = BackendOptions & { readonly yes: boolean }

/** What the names of snapshots that `up` takes begin with; the version of the first migration follows. */
const BEFORE = 'before-'
/** How many of these snapshots are kept of a branch: each has the size of the data. */
const KEPT = 3

/** `undock migration up`: applies the migrations that the kept data lacks, after a snapshot that `undo` goes back to.
 *  @throws {UsageError} when their order is not that of their versions. */
export async function migrationUp({ includeAll, ...options }: MigrationUpOptions): Promise<number> {
  const backend = findBackend(options)
  return withRunning(backend, async (running) => {
    const { pending, late, doubled, faults } = await readMigrationReport(running)
    const wrong = includeAll ? doubled.map(doubledText) : [...doubled.map(doubledText), ...late.map(lateText)]
    if (wrong.length > 0) throw new UsageError(wrong.map((text) => withName(text, backend.name)).join('\n'))
    const [first] = pending
    if (first === undefined) {
      tellFaults(faults, backend)
      if (faults.length === 0) console.error('The data has all migrations.')
      return faults.length === 0 ? 0 : 1
    }
    const snapshot = await saveBefore(backend, running, versionOf(first))
    console.error(`Applying ${pending.length} migration(s)`)
    const response = await fetch(`${running.url}/undock/v1/migrations`, {
      method: 'POST',
      headers: { apikey: running.identity.keys.secret },
    })
    if (!response.ok) console.error(Refusal.parse(await response.json()).message)
    else await response.body?.cancel()
    const left = await readMigrationReport(running)
    const applied = pending.filter((path) => !left.pending.includes(path))
    for (const path of applied) console.log(`Applied ${path}`)
    tellFaults(left.faults, backend)
    if (snapshot && applied.length === 0) await changeBranches(backend, { do: 'delete-snapshot', name: snapshot })
    else if (snapshot) console.error(withName('`undock migration undo` goes back to the data before.', backend.name))
    return response.ok ? 0 : 1
  })
}

/** Such as a migration that was edited after it was applied, or whose file is gone. */
function tellFaults(faults: readonly string[], { name }: Backend): void {
  for (const fault of faults) console.error(withName(fault, name))
}

const Refusal = z.object({ message: z.string() })

const versionOf = (path: string): string => basename(path).split('_', 1)[0] ?? ''

const lateText = (path: string): string =>
  `${path} is out of order: a later one is applied. \`undock migration fix\` gives it a later version; --include-all applies it as it is.`

/** @returns the name of the snapshot; null where none can be taken. */
async function saveBefore(backend: Backend, { engine }: Running, version: string): Promise<string | null> {
  if (engine.kind === 'server') {
    console.error('No snapshot is taken: the database is on a server that undock did not start.')
    return null
  }
  const name = BEFORE + version
  const earlier = snapshotsOf(backend)
  const surplus = earlier.filter((one) => one !== name).slice(0, -(KEPT - 1))
  for (const one of [...surplus, ...earlier.filter((one) => one === name)])
    await changeBranches(backend, { do: 'delete-snapshot', name: one })
  await changeBranches(backend, { do: 'save-snapshot', name })
  console.error(`Snapshot ${name} is kept.`)
  return name
}

/** The snapshots that `up` took of the current branch, oldest first. */
function snapshotsOf({ workdir, name }: Backend): string[] {
  const { current, snapshots } = loadRegistry(stateFolder(workdir, name))
  return snapshots.filter((one) => one.branch === current && one.name.startsWith(BEFORE)).map((one) => one.name)
}

/** `undock migration undo`: goes back to the data from before the last `up`; the files stay, to be corrected.
 *  @throws {UsageError} when there is no snapshot. */
export async function migrationUndo({ yes, ...options }: MigrationUndoOptions): Promise<number> {
  const backend = findBackend(options)
  const name = snapshotsOf(backend).at(-1)
  if (name === undefined)
    throw new UsageError(
      withName(
        'There is no snapshot from before a migration: `undock migration up` takes one. `undock reset` begins again with all migrations.',
        backend.name,
      ),
    )
  const { createdAt } = findSnapshot(loadRegistry(stateFolder(backend.workdir, backend.name)), name)
  await confirm(`Replace the rows, users, files and mails by those of ${createdAt}, ${name.replace('-', ' ')}`, yes)
  const { isRestarted } = await changeBranches(backend, { do: 'restore-snapshot', name })
  await changeBranches(backend, { do: 'delete-snapshot', name })
  console.error(
    withName(
      `${isRestarted ? 'The backend was started again' : '`undock start` begins'} with the data from before ${name.slice(BEFORE.length)}. ` +
        'Correct its file, then `undock migration up` applies it again.',
      backend.name,
    ),
  )
  return 0
}

/** `undock migration fix`: gives files versions of their own, after what is applied, where two have one or one comes too late. Of two
 *  files with one version that stays which the data has, else which git shares with others.
 *  @returns 1 when something is left that another name cannot put right. */
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
  if (moving.size > 0) console.error(withName('`undock migration up` applies what the data lacks.', backend.name))
  else if (faults.length === 0)
    console.error(
      running
        ? 'Every migration has a version of its own, in order.'
        : 'No two migrations have one version. Whether one is out of order shows when the backend runs: `undock start`.',
    )
  return faults.length > 0 ? 1 : 0
}

/** Of the files that share a version, those that get another one. */
async function surplusOnes(workdir: string, doubled: readonly DoubledVersion[]): Promise<string[]> {
  if (doubled.length === 0) return []
  const shared = await sharedFiles(workdir, join('supabase', 'migrations'))
  return doubled.flatMap(({ paths, applied }) => {
    const kept = applied ?? paths.toSorted((a, b) => (shared.get(b) ?? 0) - (shared.get(a) ?? 0))[0]
    return paths.filter((path) => path !== kept)
  })
}

/** The nearest free version after one: a migration that was to follow stays behind it. Where none follows it is the present time. */
function versionAfter(version: string, taken: ReadonlySet<string>): string {
  const [now = ''] = freeVersions(taken, 1)
  if (now > version && ![...taken].some((one) => one > version)) return now
  for (let next = BigInt(version) + 1n; ; next++) {
    const text = String(next).padStart(version.length, '0')
    if (!taken.has(text)) return text
  }
}

/** Works on a running backend, or on one that runs for as long as this takes. */
async function withRunning<T>(backend: Backend, work: (running: Running) => Promise<T>): Promise<T> {
  const { workdir, name } = backend
  if (await readHolder(lockPath(workdir, name))) return work(await findRunning(backend))
  await followGitStopped(workdir, name)
  const tell = (event: StackEvent): void => tellEvent(event, name)
  const stack = await startStack({ workdir, name, ports: 'free', exclude: ['functions'], tell }).catch((error) => {
    throw nameCommands(error, name)
  })
  try {
    return await work(await findRunning(backend))
  } finally {
    await stack.stop()
  }
}

/** Writes the scripts as the project's newest migrations, one file each: statements of different transactions cannot share one.
 *  Existing files are never replaced.
 *  @param name What the names of the files contain after the version.
 *  @throws {UsageError} for a name that is none. */
export async function writeMigrations(workdir: string, name: string, scripts: readonly Script[]): Promise<Migration[]> {
  if (name === '' || /[/\\\0]/.test(name)) throw new UsageError(`"${name}" is no name for a migration.`)
  const supabaseFolder = join(workdir, 'supabase')
  const taken = new Set((await readMigrations(supabaseFolder)).map(({ version }) => version))
  const versions = freeVersions(taken, scripts.length)
  const made = scripts.map(({ suffix, text }, index): Migration => {
    const version = versions[index] as string
    const full = `${name}${suffix}`
    return { version, name: full, path: join('supabase', 'migrations', `${version}_${full}.sql`), text: `${text}\n` }
  })
  await mkdir(join(supabaseFolder, 'migrations'), { recursive: true })
  for (const { path, text } of made) await writeFile(join(workdir, path), text, { flag: 'wx' })
  return made
}
