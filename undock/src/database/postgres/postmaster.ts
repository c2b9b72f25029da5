import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { ClusterError } from './cluster-error.ts'
import type { User } from './ordinary-user.ts'
import { freeReserve, keepReserve } from './reserve.ts'

export type PostmasterOptions = {
  readonly program: string
  readonly args: readonly string[]
  /** The data directory. */
  readonly folder: string
  readonly env: NodeJS.ProcessEnv
  readonly user: User | null
  /** Whether space is set aside for a recovery on a full disk. */
  readonly reservesSpace: boolean
  /** Called with each line of the server's log, and with what this process does about the server. */
  log(line: string): void
}

/** The process of a server, which is started again whenever it ends without having been told to. */
export type Postmaster = {
  stop(end: (child: ChildProcess) => void): Promise<void>
}

/** The servers of this process. They are detached, so they would continue after a process that exits without closing them, as after
 *  a second Ctrl-C. */
const running = new Set<ChildProcess>()
process.once('exit', () => {
  for (const child of running) child.kill('SIGQUIT')
})

/** Milliseconds without any line of the log that a start or a recovery may take; a server at work writes one every ten seconds. */
const SILENCE_LIMIT = 60_000
/** Milliseconds between attempts to start a server again. */
const RETRY_INTERVAL = 1_000

/** Starts a server and resolves when it takes connections.
 *  @throws {ClusterError} when the first start fails. */
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
      options.log(`The database server ended (${signal ?? `code ${code}`}) and is started again`)
      restarting = restart()
    })
    if (started.exitCode !== null || started.signalCode !== null)
      started.emit('exit', started.exitCode, started.signalCode)
  }

  async function restart(): Promise<void> {
    let reported = ''
    while (!isStopped) {
      // A recovery needs some space; only what it frees lasts.
      await freeReserve(options.folder)
      try {
        child = await start(options)
        options.log('The database server takes connections again')
        if (options.reservesSpace) await keepReserve(options.folder, options.user)
        return watch(child)
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error)
        if (reason !== reported) options.log(`The database server cannot be started, which is tried again: ${reason}`)
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
/** After a crash of one of its processes the server ends the others and recovers. */
const RECOVERING = 'reinitializing'

/** The process, once it takes connections. It is ended when it does not for long, now or after a later crash. */
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

/** What a log says of a failure: its fatal lines without time and process, or the end of what it has. */
function reasonIn(output: string): string {
  const lines = output.trim().split('\n')
  const fatal = lines.flatMap((line) => /(?:FATAL|PANIC): {2}(.+)/.exec(line)?.[1] ?? [])
  return (fatal.length > 0 ? fatal : lines.slice(-3)).join('; ')
}
