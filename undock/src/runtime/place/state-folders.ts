import { constants } from 'node:fs'
import { access, lstat, mkdir, rm, stat, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { UserError } from '../../kernel/service-error.ts'
import { makeTemporaryFolder } from '../../platform/folders.ts'
import { isCommitted } from '../branches/git.ts'
import { currentState } from '../branches/registry.ts'

/** Where a stack stores its state. Null: in memory or not at all. */
export type StateFolders = {
  readonly snapshots: string
  readonly lock: string | null
  readonly database: string | null
  readonly storage: string
  readonly mail: string | null
  readonly logs: string | null
  readonly certificate: string | null
  /** Temporary folder, created on first use and removed with the stack. */
  readonly ephemeral: string
  /** Removes temporary state. */
  discard(): Promise<void>
}

/** Returns whether a named backend, and its state folder, can have this name. */
export const isBackendName = (name: string): boolean => /^[A-Za-z0-9_-]{1,63}$/.test(name)

export const NAME_RULE = 'use 1 to 63 letters, digits, hyphens and underscores'

/** Returns a backend's state folder.
 *  @param name Null for the default backend. */
export const stateFolder = (workdir: string, name: string | null = null): string =>
  join(workdir, 'supabase', '.undock', ...(name === null ? [] : ['named', name]))

/** Returns the state folder of another backend of the same project.
 *  @param root A backend's state folder. */
export function stateFolderBeside(root: string, name: string): string {
  const named = basename(dirname(root)) === 'named' ? dirname(root) : join(root, 'named')
  return join(named, name)
}

export const lockPath = (workdir: string, name: string | null = null): string =>
  join(stateFolder(workdir, name), 'lock')
/** Returns the file with a backend's ports, if not config.toml's. */
export const portsPath = (workdir: string, name: string | null = null): string =>
  join(stateFolder(workdir, name), 'ports.json')

/** Returns the parts of a state, which each branch has separately. */
export const stateAt = (folder: string) => ({
  database: join(folder, 'database'),
  storage: join(folder, 'storage'),
  mail: join(folder, 'mail'),
})

/** Returns the state in `supabase/.undock/`, for the current branch. A project's backends share migration snapshots;
 *  branches have their own database, files and emails.
 *  @throws {RegistryError} */
export function persistentState(
  workdir: string,
  name: string | null = null,
): StateFolders & { readonly database: string } {
  const root = stateFolder(workdir, name)
  const state = stateAt(currentState(root))
  return {
    ...state,
    snapshots: join(stateFolder(workdir), 'snapshots'),
    lock: lockPath(workdir, name),
    logs: join(root, 'logs'),
    certificate: join(root, 'certificate'),
    ephemeral: join(root, 'passing'),
    discard: () => rm(join(root, 'passing'), { recursive: true, force: true }),
  }
}

/** Creates `supabase/.undock/` with a `.gitignore`, so `git add .` skips it. Keeps an existing `.gitignore`.
 *  @throws {StateFolderError} if it came with the repository: a database that someone else made can run programs. */
export async function makeStateFolder(workdir: string): Promise<void> {
  const root = stateFolder(workdir)
  if (await isCommitted(root)) throw new StateFolderError(foreignState(root))
  await mkdir(root, { recursive: true })
  await writeFile(join(root, '.gitignore'), '*\n', { flag: 'wx' }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
}

/** A path undock needs for its state is occupied or not writable. */
export class StateFolderError extends UserError {}

/** Checks all state paths before anything is written.
 *  @throws {StateFolderError} names the path and what to do about it. */
export async function checkPersistentState(workdir: string, name: string | null = null): Promise<void> {
  if (name !== null && !isBackendName(name))
    throw new StateFolderError(`"${name}" is not a valid name for a backend: ${NAME_RULE}.`)
  const { lock, snapshots, database, storage, mail, logs, certificate, ephemeral } = persistentState(workdir, name)
  const folders = [snapshots, database, storage, mail, logs, certificate, ephemeral]
  for (const folder of [stateFolder(workdir), stateFolder(workdir, name), ...folders])
    if (folder) await checkFolder(folder)
  const stats = lock && (await stat(lock).catch(() => null))
  if (stats && !stats.isFile())
    throw new StateFolderError(`${lock} is not a file, but undock needs this path for its lock. ${REMEDY}`)
}

const foreignState = (root: string): string =>
  `${root} was committed to git. If its database came with the repository, it can run programs as you: ` +
  `move the folder away, then start again.\n` +
  `If it's your own, run \`git rm -r --cached ${root}\` and commit: the folder stays.`

const REMEDY = 'Move it away or delete it, then start again.'

async function checkFolder(path: string): Promise<void> {
  try {
    if (!(await stat(path)).isDirectory())
      throw new StateFolderError(`${path} is not a folder, but undock needs this path for its files. ${REMEDY}`)
    await access(path, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (error) {
    if (error instanceof StateFolderError) throw error
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' && !(await lstat(path).catch(() => null))) return
    const reason = REASONS[code ?? ''] ?? 'it cannot be opened'
    throw new StateFolderError(
      `Couldn't use ${path}: ${reason} (${code}). undock keeps its files there and needs to read and write it.`,
      { cause: error },
    )
  }
}

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'its file system is read-only',
  ENOENT: 'it is a broken link',
  ELOOP: 'it is a link to itself',
}

/** Returns state that ends with the stack: an in-memory database and a temporary folder.
 *  @param from Copies a state to the temporary folder, which then also has the database. */
export async function ephemeralState(
  workdir: string,
  from: ((folder: string) => Promise<void>) | null = null,
): Promise<StateFolders> {
  const folder = makeTemporaryFolder('run')
  const snapshots = join(stateFolder(workdir), 'snapshots')
  // Migration snapshots only save time, so a read-only project works without them.
  const areKept = await makeStateFolder(workdir)
    .then(() => mkdir(snapshots, { recursive: true }))
    .then(() => checkFolder(snapshots))
    .then(
      () => true,
      () => false,
    )
  const { database, storage } = stateAt(folder)
  await from?.(folder)
  return {
    snapshots: areKept ? snapshots : join(folder, 'snapshots'),
    lock: null,
    database: from && database,
    storage,
    mail: null,
    logs: null,
    certificate: null,
    ephemeral: folder,
    discard: () => rm(folder, { recursive: true, force: true }),
  }
}
