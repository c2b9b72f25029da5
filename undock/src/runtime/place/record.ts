import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { acquireLock, type Holder } from '../../database/project/lock.ts'
import { tryJson } from '../../kernel/json.ts'
import { hasCertainlyEnded, isAlive, isRunning } from '../../platform/process.ts'
import { lockPath, stateFolder } from './state-folders.ts'

/** What other processes can learn about a running or starting stack. */
export type StackRecord = Holder & {
  readonly workdir: string
  /** Empty until known. */
  readonly ports: readonly number[]
}

/** How a sleeping backend is woken. */
export type WakeCommand = {
  /** The program, then its arguments. */
  readonly command: readonly string[]
  /** Variables of the start that it repeats. */
  readonly env: Readonly<Record<string, string>>
}

/** A backend that ended its processes because it wasn't used, as it was when it ran. */
export type SleepingStack = StackRecord & {
  /** @property wakeAt When the next job of pg_cron is due; null if none is. */
  readonly asleep: WakeCommand & { readonly since: string; readonly wakeAt: string | null }
}

export type PublishedRecord = {
  /** When the backend that starts now fell asleep; null if it was stopped. */
  readonly asleepSince: Date | null
  /** Adds details as they become known. With the database's URL, the stack is ready, and no longer asleep. */
  update(more: Partial<StackRecord>): Promise<void>
  /** Lists the stack as asleep, which it's about to be.
   *  @returns a function that takes this back. */
  fallAsleep(asleep: SleepingStack['asleep']): Promise<() => Promise<unknown>>
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
  const sleepingPath = sleepingEntryPath(options.cacheFolder, record)
  const awake = () => removeEntry(sleepingPath)
  const slept = await readSleeping(sleepingPath)
  await writeEntry(path, record).catch(options.onUnlisted)
  return {
    asleepSince: slept && new Date(slept.asleep.since),
    async update(more) {
      current = { ...current, ...more }
      await lock.update(current)
      await writeEntry(path, current).catch(() => undefined)
      // Not earlier: a start that fails or is killed leaves the backend asleep.
      if (more.dbUrl !== undefined) await awake()
    },
    async fallAsleep(asleep) {
      await writeEntry(sleepingPath, { ...current, asleep })
      return awake
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

/** Returns this user's running and sleeping backends, oldest first. One that is waking counts as asleep until it is
 *  ready, and so does one that is falling asleep. */
export async function listBackends(cacheFolder: string): Promise<(StackRecord | SleepingStack)[]> {
  const sleeping = await listSleeping(cacheFolder)
  const awake = (await listStacks(cacheFolder)).filter(
    (one) => !sleeping.some((other) => isSame(one, other) && (other.startedAt === one.startedAt || !one.dbUrl)),
  )
  return [...awake, ...sleeping.filter((one) => !awake.some((other) => isSame(one, other)))].sort((a, b) =>
    a.startedAt.localeCompare(b.startedAt),
  )
}

type Place = Pick<StackRecord, 'workdir' | 'name'>

const isSame = (one: Place, other: Place): boolean => one.workdir === other.workdir && one.name === other.name

/** Forgets that a backend is asleep, so that nothing wakes it. @returns whether it was. */
export async function forgetSleeping(cacheFolder: string, place: Place): Promise<boolean> {
  const path = sleepingEntryPath(cacheFolder, place)
  const wasAsleep = existsSync(path)
  await rm(path, { force: true })
  return wasAsleep
}

/** The sleeping backends of a folder when it was last read: a proxy lists them for each request. */
const lists = new Map<string, { readonly changed: number; readonly readAt: number; readonly stacks: SleepingStack[] }>()

/** Milliseconds within which a folder can change twice without another time. */
const TICK = 50

/** Removes the entries of deleted projects, which have variables of theirs. */
async function listSleeping(cacheFolder: string): Promise<SleepingStack[]> {
  const folder = join(cacheFolder, 'sleeping')
  const changed = (await stat(folder).catch(() => null))?.mtimeMs ?? 0
  let list = lists.get(folder)
  if (list?.changed !== changed || list.readAt < changed + TICK) {
    const readAt = Date.now()
    const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.json'))
    const records = await Promise.all(names.map((name) => readSleeping(join(folder, name))))
    list = { changed, readAt, stacks: records.filter((one) => one !== null) }
    lists.set(folder, list)
  }
  const isDeleted = ({ workdir, name }: SleepingStack) => !existsSync(stateFolder(workdir, name))
  for (const one of list.stacks.filter(isDeleted)) await removeEntry(sleepingEntryPath(cacheFolder, one))
  return list.stacks.filter((one) => !isDeleted(one))
}

const readSleeping = async (path: string): Promise<SleepingStack | null> =>
  parseRecord(await readFile(path, 'utf8').catch(() => ''))

const sleepingEntryPath = (cacheFolder: string, { workdir, name }: Place): string =>
  join(cacheFolder, 'sleeping', `${placeId(lockPath(workdir, name))}.json`)

const listFolder = (cacheFolder: string): string => join(cacheFolder, 'running')

/** Starts with the process id, so removing a killed process's entry never removes its successor's. */
const entryPath = ({ lockPath, cacheFolder }: PublishOptions, { pid }: StackRecord): string =>
  join(listFolder(cacheFolder), `${pid}-${placeId(lockPath)}.json`)

const placeId = (lockPath: string): string => createHash('sha256').update(lockPath).digest('hex').slice(0, 12)

/** Written atomically and private to the user, because the database's URL contains a password. */
async function writeEntry(path: string, record: StackRecord | SleepingStack): Promise<void> {
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
  const record = parseRecord<StackRecord>(await readFile(path, 'utf8').catch(() => ''))
  if (!record || hasCertainlyEnded(record)) return removeEntry(path)
  return isRunning(record) ? record : null
}

/** @returns null for a truncated file, as after a power cut. */
const parseRecord = <R extends StackRecord>(text: string): R | null => (tryJson(text) ?? null) as R | null

async function removeEntry(path: string): Promise<null> {
  await rm(path, { force: true }).catch(() => undefined)
  return null
}
