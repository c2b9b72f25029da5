import { lastUsedFormat } from '../../database/project/kept-data.ts'
import { readHolder } from '../../database/project/lock.ts'
import { findSnapshot } from '../../runtime/branches/branches.ts'
import { listBranches } from '../../runtime/branches/list.ts'
import { currentState, loadRegistry } from '../../runtime/branches/registry.ts'
import { lockPath, stateAt, stateFolder } from '../../runtime/place/state-folders.ts'
import { type Backend, type BackendOptions, backendText, findBackend, UsageError, withName } from '../arguments.ts'
import { confirm, withClient } from '../database-target.ts'
import { findRunning } from '../running.ts'
import { megabytes } from './branch.ts'
import { changeBranches } from './change.ts'

/** What the names of these snapshots begin with; the command follows. */
const PREFIX = 'undo-'
const KEPT_MS = 24 * 60 * 60 * 1_000
/** The most that one may take, in bytes. */
const MAX_SIZE = 2 * 1024 ** 3

/** Says what a command is about to delete, and keeps a copy of it for a day that `undock undo` brings back.
 *  @param command Such as `reset`. @param isWanted Whether a snapshot is taken at all.
 *  @throws {UsageError} when the data is too large for one. */
export async function keepForUndo(backend: Backend, command: string, isWanted: boolean): Promise<void> {
  const { workdir, name } = backend
  const root = stateFolder(workdir, name)
  const isRunning = (await readHolder(lockPath(workdir, name))) !== null
  if (!isRunning && lastUsedFormat(stateAt(currentState(root)).database) === null) return
  console.error(`${await contentOf(backend, isRunning)} of ${backendText(backend)} are about to be replaced.`)
  if (!isWanted) return
  const running = isRunning ? await findRunning(backend) : null
  if (running?.holder.engine?.kind === 'server') {
    console.error('No snapshot is taken: the database is on a server that undock did not start.')
    return
  }
  const { branches } = await listBranches(root)
  const size = branches.find((one) => one.current)?.size ?? 0
  if (size > MAX_SIZE)
    throw new UsageError(
      `The data takes ${megabytes(size)}, too much for a snapshot. Nothing was changed; --no-snapshot goes on without one.`,
    )
  const kept = PREFIX + command
  const old = loadRegistry(root).snapshots.filter(
    (one) => one.name === kept || (one.name.startsWith(PREFIX) && Date.now() - Date.parse(one.createdAt) > KEPT_MS),
  )
  for (const one of old) await changeBranches(backend, { do: 'delete-snapshot', name: one.name })
  await changeBranches(backend, { do: 'save-snapshot', name: kept })
  console.error(withName('A snapshot of it is kept for a day: `undock undo` brings it back.', name))
}

/** Rows are Postgres' own estimate, which costs nothing to read. */
async function contentOf(backend: Backend, isRunning: boolean): Promise<string> {
  if (!isRunning) return 'The rows, users, files and mails'
  const { dbUrl } = await findRunning(backend)
  const [found] = await withClient(dbUrl, async (client) => (await client.query(CONTENT)).rows).catch(() => [])
  return found
    ? `About ${found.rows} rows in ${found.tables} tables, ${found.users} users and ${found.files} files`
    : 'The data'
}

const CONTENT = `
  select coalesce(sum(n_live_tup), 0) as rows, count(*) as tables,
    (select count(*) from auth.users) as users, (select count(*) from storage.objects) as files
  from pg_stat_user_tables
  where schemaname not in ('auth', 'storage', 'realtime', 'extensions', 'vault', 'net', 'cron', 'pgmq', 'supabase_migrations')
    and schemaname not like '\\_%'`

/** `undock undo`: goes back to the data from before the last reset, import or restored snapshot.
 *  @throws {UsageError} when there is no snapshot of the last day. */
export async function undo({ yes, ...options }: BackendOptions & { readonly yes: boolean }): Promise<number> {
  const backend = findBackend(options)
  const registry = loadRegistry(stateFolder(backend.workdir, backend.name))
  const name = registry.snapshots.findLast(
    (one) =>
      one.branch === registry.current &&
      one.name.startsWith(PREFIX) &&
      Date.now() - Date.parse(one.createdAt) < KEPT_MS,
  )?.name
  if (name === undefined)
    throw new UsageError(
      'There is nothing to undo: no reset, import or restored snapshot of this branch in the last day.',
    )
  const { createdAt } = findSnapshot(registry, name)
  const command = name.slice(PREFIX.length)
  await confirm(`Replace the rows, users, files and mails by those of ${createdAt}, from before \`${command}\``, yes)
  const { isRestarted } = await changeBranches(backend, { do: 'restore-snapshot', name })
  await changeBranches(backend, { do: 'delete-snapshot', name })
  console.error(
    `${isRestarted ? 'The backend was started again' : '`undock start` begins'} with the data from before \`${command}\`.`,
  )
  return 0
}
