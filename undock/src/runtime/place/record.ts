import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { acquireLock, type Holder } from '../../database/project/lock.ts'
import { hasCertainlyEnded, isAlive, isRunning } from '../../platform/process.ts'

/** What other processes can learn about a running or starting stack. */
export type StackRecord = Holder & {
  readonly workdir: string
  /** Empty until known. */
  readonly ports: readonly number[]
}

export type PublishedRecord = {
  /** Adds details as they become known. */
  update(more: Partial<StackRecord>): Promise<void>
  remove(): Promise<void>
}

type PublishOptions = {
  readonly lockPath: string
  readonly cacheFolder: string
  /** The list can't be written; the stack still runs. */
  onUnlisted(error: Error): void
}

/** Locks a state folder and lists the stack among this user's.
 *  @throws {LockedError} if a living process holds the lock. */
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
      // The lock goes last, because another process may then use the state folder.
      await rm(path, { force: true }).catch(() => undefined)
      await lock.release()
    },
  }
}

/** Returns this user's running or starting stacks, oldest first, and removes entries of ended processes. */
export async function listStacks(cacheFolder: string): Promise<StackRecord[]> {
  const folder = listFolder(cacheFolder)
  const names = (await readdir(folder).catch(() => [])).filter((name) => /^\d+-/.test(name))
  const records = await Promise.all(names.map((name) => readEntry(folder, name)))
  return records.filter((record) => record !== null).sort((a, b) => a.startedAt.localeCompare(b.startedAt))
}

const listFolder = (cacheFolder: string): string => join(cacheFolder, 'running')

/** Starts with the process id, so removing a killed process's entry never removes its successor's. */
function entryPath({ lockPath, cacheFolder }: PublishOptions, { pid }: StackRecord): string {
  const place = createHash('sha256').update(lockPath).digest('hex').slice(0, 12)
  return join(listFolder(cacheFolder), `${pid}-${place}.json`)
}

/** Written atomically and private to the user, because the database's URL contains a password. */
async function writeEntry(path: string, record: StackRecord): Promise<void> {
  const draft = `${path}.draft`
  await mkdir(dirname(path), { recursive: true })
  await writeFile(draft, JSON.stringify(record), { mode: 0o600 })
  await rename(draft, path)
}

async function readEntry(folder: string, name: string): Promise<StackRecord | null> {
  const path = join(folder, name)
  if (!isAlive(Number.parseInt(name, 10))) return removeEntry(path)
  // A draft about to be renamed.
  if (!name.endsWith('.json')) return null
  const record = parseRecord(await readFile(path, 'utf8').catch(() => ''))
  if (!record || hasCertainlyEnded(record)) return removeEntry(path)
  return isRunning(record) ? record : null
}

/** @returns null for a truncated file, as after a power cut. */
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
