import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { Worker } from 'node:worker_threads'
import { ENGINE_USER } from '../as-project-user.ts'
import { engineLost, engineUnavailable, statementTimeout } from '../protocol/errors.ts'
import { encodeScript, runScript } from '../protocol/exchange.ts'
import { readAsyncMessages } from '../protocol/frames.ts'
import type { Engine } from '../session.ts'
import { createOneSession } from './one-session.ts'
import { pgliteModules } from './packages.ts'
import type { Job, OpenOptions, Reply, WorkerOptions } from './worker.ts'

/** PGlite in a worker thread, so that statements don't block the services. */
export type EmbeddedEngine = Engine & {
  dump(path: string): Promise<void>
  /** Replaces the data with a snapshot file and reopens the engine (`onReopened`). */
  replace(snapshot: string): Promise<void>
  /** Bytes used by the worker thread: Postgres' memory, compiled code, and an in-memory cluster. */
  memory(): Promise<number>
}

export type EngineOptions = OpenOptions & {
  /** Milliseconds per exchange; then the engine is terminated and reopened, because statements can't be interrupted. */
  readonly statementLimit: number
  readonly waitLimit: number
}

/** MB. Postgres checks its recursion against the engine's own stack, but calls also use the thread's. If that overflows
 *  first, as in a recursive SQL function, the engine crashes mid-statement. Only used stack takes memory. */
const THREAD_STACK = 256

/** Opens PGlite in a worker thread, which is replaced at the next statement if it's lost.
 *  @throws {Error} if the data directory can't be opened. */
export async function openEngine(options: EngineOptions): Promise<EmbeddedEngine> {
  const { folder, hasPostgis, statementLimit, waitLimit } = options
  let { snapshot } = options
  let thread: Thread | null = await openThread({ folder, snapshot, hasPostgis })
  let isClosed = false

  async function opened(): Promise<Thread> {
    if (isClosed) throw engineLost('The database is closed')
    if (thread?.isAlive()) return thread
    thread = null
    thread = await openThread({ folder, snapshot: folder && existsSync(folder) ? null : snapshot, hasPostgis }).catch(
      (error: Error) => {
        throw engineUnavailable(error.message)
      },
    )
    engine.reopened()
    return thread
  }

  const post = async (job: Job, limit: number | null): Promise<Uint8Array> => (await opened()).post(job, limit)

  const engine = createOneSession({
    waitLimit,
    exchange: (bytes, isLimited) => post({ kind: 'exchange', bytes }, isLimited ? statementLimit : null),
    async close() {
      if (folder && thread?.isAlive()) await thread.post({ kind: 'close' }, null)
      isClosed = true
      await thread?.end('The database is closed')
    },
  })

  return {
    ...engine,
    dump: async (path) => {
      // Otherwise engines that open the snapshot recover from the log, and each sequence skips 32 numbers.
      // Other work may have left a role that can't run it.
      const checkpoint = `set session authorization ${ENGINE_USER}; reset role; checkpoint`
      await engine.withSession((session) => runScript(session, checkpoint))
      await engine.inTurn(() => post({ kind: 'dump', path }, null))
    },
    replace: (path) =>
      engine.inTurn(async () => {
        await thread?.end('The database was reset')
        snapshot = path
        const remove = async (): Promise<void> => {
          if (folder) await rm(folder, { recursive: true, force: true })
        }
        await remove()
        thread = await openThread({ folder, snapshot, hasPostgis }).catch(async (error: unknown) => {
          await remove()
          throw error
        })
        engine.reopened()
      }),
    memory: async () => (await opened()).memory(),
  }
}

type Thread = {
  isAlive(): boolean
  /** Runs one job at a time.
   *  @param limit Milliseconds, or null for no limit.
   *  @throws 57014 after that time, and 57P01 if the worker ends. */
  post(job: Job, limit: number | null): Promise<Uint8Array>
  memory(): Promise<number>
  end(reason: string): Promise<void>
}

async function openThread(options: OpenOptions): Promise<Thread> {
  const worker = new Worker(new URL('./worker-entry.js', import.meta.url), {
    workerData: { ...options, modules: pgliteModules() } satisfies WorkerOptions,
    resourceLimits: { stackSizeMb: THREAD_STACK },
  })
  let isAlive = true
  let waiting: { resolve(bytes: Uint8Array): void; reject(error: Error): void } | null = null
  const settle = (): typeof waiting => {
    const one = waiting
    waiting = null
    return one
  }
  async function end(reason: string, error: Error = engineLost(reason)): Promise<void> {
    isAlive = false
    settle()?.reject(error)
    await worker.terminate()
  }
  worker.on('message', (reply: Reply) => {
    if (reply.kind === 'failed') return void end(reply.message)
    settle()?.resolve(reply.bytes)
    const { fatalError } = readAsyncMessages(reply.bytes)
    // Otherwise the engine would crash or hang at its next statement.
    if (fatalError !== null) void end(fatalError)
  })
  worker.on('error', (error) => void end(`The database engine stopped: ${error.message}`))
  worker.on('exit', () => void end('The database engine stopped'))

  const reply = (): Promise<Uint8Array> => new Promise((resolve, reject) => (waiting = { resolve, reject }))
  await reply().catch((error: Error) => {
    throw new Error(`The database could not be opened: ${error.message}`)
  })
  const thread: Thread = {
    isAlive: () => isAlive,
    async post(job, limit) {
      const answer = reply()
      // A small Buffer is a view of a 64 KB pool, which structured clone would copy.
      worker.postMessage(job.kind === 'exchange' ? { ...job, bytes: new Uint8Array(job.bytes) } : job)
      const timer = limit === null ? undefined : setTimeout(() => void end('', statementTimeout(limit)), limit)
      return answer.finally(() => clearTimeout(timer))
    },
    async memory() {
      const { total_heap_size, external_memory } = await worker.getHeapStatistics()
      return total_heap_size + external_memory
    },
    end,
  }
  // A user that was never set isn't restored by the end of a transaction that sets another one.
  await thread.post({ kind: 'exchange', bytes: encodeScript(`set session authorization ${ENGINE_USER}`) }, null)
  return thread
}
