import { link, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { UserError } from '../../kernel/service-error.ts'
import { hasCertainlyEnded, processStart, type RecordedProcess } from '../../platform/process.ts'
import type { EngineInUse } from '../session.ts'

/** The process that runs a project: written by the lock's holder, read by `status`, `stop` and a second start. */
export type Holder = RecordedProcess & {
  /** The backend's name; null for the default backend. */
  readonly name: string | null
  readonly startedAt: string
  readonly url: string
  readonly dbUrl?: string
  readonly mailUrl?: string | null
  readonly poolerUrl?: string | null
  readonly consoleUrl?: string | null
  readonly engine?: EngineInUse
}

export type Lock = {
  update(holder: Holder): Promise<void>
  release(): Promise<void>
}

export class LockedError extends UserError {
  readonly holder: Holder

  constructor(holder: Holder) {
    super(
      `This ${holder.name ? `project's backend "${holder.name}"` : 'project'} is already running: ` +
        `process ${holder.pid} serves it at ${holder.url} since ${holder.startedAt}.\n` +
        'Use that one, or stop it with `undock stop`.',
    )
    this.holder = holder
  }
}

/** Locks a project's state folder for this process: two engines on one data directory would destroy it.
 *  @throws {LockedError} if a living process holds the lock. */
export async function acquireLock(path: string, holder: Holder): Promise<Lock> {
  await mkdir(dirname(path), { recursive: true })
  const draft = `${path}.${process.pid}`
  await writeFile(draft, JSON.stringify(holder))
  for (;;) {
    try {
      // `link` fails if the name is taken, which makes this a lock; the file never exists without its content.
      await link(draft, path)
      await rm(draft)
      return {
        async update(updated) {
          await writeFile(draft, JSON.stringify(updated))
          await rename(draft, path)
        },
        release: () => rm(path, { force: true }),
      }
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
      const other = await readHolder(path)
      if (other) {
        await rm(draft)
        throw new LockedError(other)
      }
      await rm(path, { force: true })
    }
  }
}

/** Runs work, such as on a stopped backend's data, while no other process has the lock.
 *  @throws {LockedError} */
export async function withLock<T>(path: string, name: string | null, work: () => Promise<T>): Promise<T> {
  const lock = await acquireLock(path, {
    pid: process.pid,
    processStart: processStart(process.pid),
    name,
    startedAt: new Date().toISOString(),
    url: 'no address, while it copies data',
  })
  try {
    return await work()
  } finally {
    await lock.release()
  }
}

/** Returns whether a foreign file can't name a process: no start time where the system has one, or a group's number. */
const isNobody = ({ pid, processStart: start }: Holder): boolean =>
  !Number.isInteger(pid) || pid <= 0 || (!start && processStart(pid) !== null)

/** Returns the running process that holds the lock, or null. A killed process leaves its file behind. */
export async function readHolder(path: string): Promise<Holder | null> {
  const text = await readFile(path, 'utf8').catch(() => null)
  if (text === null) return null
  try {
    const holder = JSON.parse(text) as Holder
    return isNobody(holder) || hasCertainlyEnded(holder) ? null : holder
  } catch {
    return null
  }
}
