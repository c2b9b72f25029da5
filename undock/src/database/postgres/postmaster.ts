import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chown, rm, statfs, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { UserError } from '../../kernel/service-error.ts'
import type { User } from './ordinary-user.ts'

export class ClusterError extends UserError {}

export type PostmasterOptions = {
  readonly program: string
  readonly args: readonly string[]
  readonly folder: string
  readonly env: NodeJS.ProcessEnv
  readonly user: User | null
  readonly reservesSpace: boolean
  log(line: string): void
}

/** A server's process, restarted whenever it ends unexpectedly. */
export type Postmaster = {
  stop(end: (child: ChildProcess) => void): Promise<void>
}

/** This process's servers. They're detached, so they'd outlive an exit without closing them, as after a second Ctrl-C. */
const running = new Set<ChildProcess>()
process.once('exit', () => {
  for (const child of running) child.kill('SIGQUIT')
})

/** Milliseconds of silence that a start or recovery may take; a working server logs a line every ten seconds. */
const SILENCE_LIMIT = 60_000
const RETRY_INTERVAL = 1_000

/** Starts a server and resolves when it accepts connections. @throws {ClusterError} if the first start fails. */
export async function startPostmaster(options: PostmasterOptions): Promise<Postmaster> {
  let isStopped = false
  let child = await start(options).catch(async (error: unknown) => {
    if (!(await freeReserve(options.folder))) throw error
    return start(options)
  })
  let restarting: Promise<void> | null = null
  let wakeUp = (): void => undefined
  if (options.reservesSpace) await keepReserve(options.folder, options.user)
  watch(child)

  function watch(started: ChildProcess): void {
    started.once('exit', (code, signal) => {
      if (isStopped) return
      options.log(`The database server ended (${signal ?? `code ${code}`}) and is being restarted`)
      restarting = restart()
    })
    if (started.exitCode !== null || started.signalCode !== null)
      started.emit('exit', started.exitCode, started.signalCode)
  }

  async function restart(): Promise<void> {
    let reported = ''
    while (!isStopped) {
      // A recovery needs some space; the space it frees itself lasts.
      await freeReserve(options.folder)
      try {
        child = await start(options)
        options.log('The database server accepts connections again')
        if (options.reservesSpace) await keepReserve(options.folder, options.user)
        return watch(child)
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error)
        if (reason !== reported) options.log(`The database server could not be started; trying again: ${reason}`)
        reported = reason
      }
      await new Promise<void>((resolve) => {
        wakeUp = resolve
        setTimeout(resolve, RETRY_INTERVAL).unref()
      })
    }
  }

  return {
    async stop(end) {
      isStopped = true
      wakeUp()
      await restarting
      if (child.exitCode !== null || child.signalCode !== null) return
      const exit = once(child, 'exit')
      end(child)
      await exit
    },
  }
}

const READY = 'ready to accept connections'
/** After one of its processes crashes, the server ends the others and recovers. */
const RECOVERING = 'reinitializing'

/** Resolves with the process once it accepts connections; kills it if that takes too long, now or after a later crash. */
function start({ program, args, folder, env, user, log }: PostmasterOptions): Promise<ChildProcess> {
  const child = spawn(program, args, {
    stdio: ['ignore', 'ignore', 'pipe'],
    cwd: folder,
    env,
    // Ctrl-C reaches all processes of a terminal, but undock decides when the server ends.
    detached: process.platform !== 'win32',
    ...user,
  })
  running.add(child)
  child.once('exit', () => running.delete(child))
  return new Promise((resolve, reject) => {
    let output = ''
    let isStarting = true
    let timer: NodeJS.Timeout | undefined
    const expectReady = (): void => {
      clearTimeout(timer)
      timer = setTimeout(() => {
        child.kill('SIGQUIT')
        reject(new ClusterError(`Postgres was silent for ${SILENCE_LIMIT / 1_000} s: ${reasonIn(output)}`))
      }, SILENCE_LIMIT)
      timer.unref()
    }
    expectReady()
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      if (isStarting && output.length < 10_000) output += text
      for (const line of text.split('\n')) if (line) log(line)
      if (text.includes(RECOVERING)) isStarting = true
      if (isStarting) expectReady()
      if (!text.includes(READY)) return
      clearTimeout(timer)
      isStarting = false
      resolve(child)
    })
    child.once('error', (error) => {
      clearTimeout(timer)
      reject(new ClusterError(`Postgres cannot be started: ${error.message}`, { cause: error }))
    })
    child.once('exit', (code, signal) => {
      clearTimeout(timer)
      reject(new ClusterError(`Postgres ended (${signal ?? `code ${code}`}): ${reasonIn(output)}`))
    })
  })
}

/** Returns a log's fatal lines without time and process, or its end. */
function reasonIn(output: string): string {
  const lines = output.trim().split('\n')
  const fatal = lines.flatMap((line) => /(?:FATAL|PANIC): {2}(.+)/.exec(line)?.[1] ?? [])
  return (fatal.length > 0 ? fatal : lines.slice(-3)).join('; ')
}

export const RESERVE = 'undock.reserve'

/** Bytes that a recovery writes before its checkpoint frees log that's no longer needed. */
const SIZE = 16 * 1024 ** 2

/** With less than this free in addition to the reserve, the disk counts as full. */
const MIN_ROOM = 2 * SIZE

/** Reserves space, if there is any, so that a server which ended because the disk was full can recover. */
async function keepReserve(folder: string, user: User | null): Promise<void> {
  const path = join(folder, RESERVE)
  try {
    const { bavail, bsize } = await statfs(folder)
    if (bavail * bsize < MIN_ROOM) return
    await writeFile(path, Buffer.alloc(SIZE), { mode: 0o600 })
    if (user) await chown(path, user.uid, user.gid)
  } catch {
    await freeReserve(folder)
  }
}

const freeReserve = (folder: string): Promise<boolean> =>
  rm(join(folder, RESERVE)).then(
    () => true,
    () => false,
  )
