import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { acquireLock, type Holder } from '../../database/project/lock.ts'
import { hasCertainlyEnded, isAlive, isRunning } from '../../platform/process.ts'

/** What other processes can find out about a stack that runs or is being started. */
export type StackRecord = Holder & {
  /** The folder that holds `supabase/`. */
  readonly workdir: string
  /** The ports that it takes; empty while they are not known. */
  readonly ports: readonly number[]
}

export type PublishedRecord = {
  /** Adds what has become known since. */
  update(more: Partial<StackRecord>): Promise<void>
  remove(): Promise<void>
}

type PublishOptions = {
  readonly lockPath: string
  /** The folder whose list of stacks gets the record. */
  readonly cacheFolder: string
  /** The list cannot be written. The stack runs all the same. */
  onUnlisted(error: Error): void
}

/** Takes the lock of a state folder, and adds the stack to the list of all stacks of this user.
 *  @throws {LockedError} when a living process holds the lock. */
export async function publishRecord(record: StackRecord, options: PublishOptions): Promise<PublishedRecord> {
  let current = record
  const lock = await acquireLock(options.lockPath, record)
  const path = entryPath(options, record)
  await writeEntry(path, record).catch(options.onUnlisted)
  return {
    async update(more) {
      current = { ...current, ...more }
      await lock.update(current)
      await writeEntry(path, current).catch(() => undefined)
    },
    async remove() {
      // The lock is the last to go: another process may use the state folder from then on.
      await rm(path, { force: true }).catch(() => undefined)
      await lock.release()
    },
  }
}

/** All stacks of this user that run or are being started, the oldest first. Entries of processes that have ended are
 *  removed. */
export async function listStacks(cacheFolder: string): Promise<StackRecord[]> {
  const folder = listFolder(cacheFolder)
  const names = (await readdir(folder).catch(() => [])).filter((name) => /^\d+-/.test(name))
  const records = await Promise.all(names.map((name) => readEntry(folder, name)))
  return records.filter((record) => record !== null).sort((a, b) => a.startedAt.localeCompare(b.startedAt))
}

const listFolder = (cacheFolder: string): string => join(cacheFolder, 'running')

/** The process id comes first, so that removing the entry of a killed process never removes that of its successor. */
function entryPath({ lockPath, cacheFolder }: PublishOptions, { pid }: StackRecord): string {
  const place = createHash('sha256').update(lockPath).digest('hex').slice(0, 12)
  return join(listFolder(cacheFolder), `${pid}-${place}.json`)
}

/** A reader never finds a part of an entry. Only its user may read it: the database's address contains a password. */
async function writeEntry(path: string, record: StackRecord): Promise<void> {
  const draft = `${path}.draft`
  await mkdir(dirname(path), { recursive: true })
  await writeFile(draft, JSON.stringify(record), { mode: 0o600 })
  await rename(draft, path)
}

async function readEntry(folder: string, name: string): Promise<StackRecord | null> {
  const path = join(folder, name)
  if (!isAlive(Number.parseInt(name, 10))) return removeEntry(path)
  // A draft is about to get its final name.
  if (!name.endsWith('.json')) return null
  const record = parseRecord(await readFile(path, 'utf8').catch(() => ''))
  if (!record || hasCertainlyEnded(record)) return removeEntry(path)
  return isRunning(record) ? record : null
}

/** @returns null for a text that a power cut has truncated. */
function parseRecord(text: string): StackRecord | null {
  try {
    return JSON.parse(text) as StackRecord
  } catch {
    return null
  }
}

async function removeEntry(path: string): Promise<null> {
  await rm(path, { force: true }).catch(() => undefined)
  return null
}
