import cluster, { type Worker } from 'node:cluster'
import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { AggregatorRegistry } from 'prom-client'
import { type MetricValues, startAdmin } from './admin.ts'
import { type Node, READY_LIMIT, refuseTakenPort } from './node.ts'
import type { NodeSettings } from './settings.ts'

/** Workers without a setting: each opens its own database sessions, so a large machine must not start one per core. */
const MAX_DEFAULT_WORKERS = 4
/** Milliseconds before a worker that ended is started again. */
const RESTART_DELAY = 1_000

type ToWorker = { readonly undock: 'drain' } | { readonly undock: 'report'; readonly id: number }
type Report = { readonly unreadiness: string | null; readonly metrics: MetricValues }
type FromWorker =
  | { readonly undock: 'serving'; readonly port: number }
  | ({ readonly undock: 'report'; readonly id: number } & Report)

/** How many processes serve, by the setting `serve.workers` (0: one per core, up to four). */
export const workersOf = ({ settings }: NodeSettings): number =>
  settings.serve.workers || Math.min(availableParallelism(), MAX_DEFAULT_WORKERS)

/** Serves as one of a node's workers until the primary process asks it to drain.
 *  @returns whether all requests were answered. */
export async function serveAsWorker(node: Node): Promise<boolean> {
  const send = (message: FromWorker): boolean => process.send?.(message) ?? false
  const drained = new Promise<void>((resolve) => {
    process.on('message', async (message: ToWorker) => {
      if (message.undock === 'drain') resolve()
      if (message.undock === 'report') send({ undock: 'report', id: message.id, ...(await node.report()) })
    })
  })
  send({ undock: 'serving', port: node.port })
  await drained
  return node.drain()
}

/** A node of several processes. */
export type Workers = Pick<Node, 'port' | 'adminPort' | 'drain'> & {
  /** Replaces the workers one after another: each is drained when its successor serves.
   *  @returns false if a successor didn't start; the remaining workers continue. */
  replace(): Promise<boolean>
}

/** Starts the processes that share a node's port, and starts another for each that ends. Each is a node of its own towards the database;
 *  the primary process only accepts connections, hands them out in turn, and answers `/health`, `/ready` and `/metrics` for all.
 *
 *  @param tell Gets a sentence about each worker that ends unexpectedly.
 *  @returns null if the first one doesn't start; it has reported why.
 *  @throws {NodeError} if the port of `/health` is taken. */
export async function startWorkers(
  count: number,
  { settings: { host, serve } }: NodeSettings,
  tell: (sentence: string) => void,
): Promise<Workers | null> {
  const workers = new Set<Worker>()
  let isDraining = false

  /** @returns the port; null if the worker ended before it could serve. */
  const start = async (): Promise<number | null> => {
    const worker = cluster.fork()
    const ended = once(worker, 'exit')
    const serving = new Promise<number>((resolve) => {
      worker.on('message', (message: FromWorker) => message.undock === 'serving' && resolve(message.port))
    })
    const port = await Promise.race([serving, ended.then(() => null)])
    if (port === null) return null
    workers.add(worker)
    void ended.then(([code, signal]) => {
      if (!workers.delete(worker) || isDraining) return
      tell(`Worker ${worker.process.pid} ended with ${signal ?? `code ${code}`}; starting another.`)
      void keepStarting()
    })
    return port
  }
  const keepStarting = async (): Promise<void> => {
    do await sleep(RESTART_DELAY)
    while (!isDraining && (await start()) === null)
    tell('The new worker is serving.')
  }
  /** @returns whether it answered all its requests. */
  const drain = async (worker: Worker): Promise<boolean> => {
    workers.delete(worker)
    if (worker.isDead()) return false
    tellWorker(worker, { undock: 'drain' })
    const [code] = await once(worker, 'exit')
    return code === 0
  }

  // The first one reports what prevents a start, once.
  const port = await start()
  if (port === null) return null
  const admin = await startAdmin({
    host,
    port: serve.admin_port,
    async unreadiness() {
      if (isDraining) return 'draining'
      const reports = await reportsOf(workers)
      return reports.some(({ unreadiness }) => unreadiness === null)
        ? null
        : (reports[0]?.unreadiness ?? 'no worker is responding')
    },
    metrics: async () =>
      AggregatorRegistry.aggregate((await reportsOf(workers)).map(({ metrics }) => metrics)).metrics(),
  }).catch(refuseTakenPort(serve.admin_port, 'UNDOCK_SERVE_ADMIN_PORT'))
  await Promise.all(
    Array.from({ length: count - 1 }, async () => {
      if ((await start()) === null) void keepStarting()
    }),
  )

  return {
    port,
    adminPort: admin.port,
    async replace() {
      for (const worker of [...workers]) {
        if ((await start()) === null) return false
        await drain(worker)
      }
      return true
    },
    async drain() {
      isDraining = true
      const answered = await Promise.all([...workers].map(drain))
      await admin.close()
      return answered.every(Boolean)
    },
  }
}

/** Ignores a worker that has just ended: its `exit` is handled elsewhere. */
const tellWorker = (worker: Worker, message: ToWorker): boolean => worker.send(message, () => undefined)

let lastReport = 0

/** Asks all workers. Those that don't answer in time are left out. */
async function reportsOf(workers: ReadonlySet<Worker>): Promise<Report[]> {
  const reports = [...workers].map(async (worker) => {
    const id = ++lastReport
    const { promise, resolve } = Promise.withResolvers<Report | null>()
    const listen = (message: FromWorker): void => {
      if (message.undock === 'report' && message.id === id) resolve(message)
    }
    worker.on('message', listen)
    tellWorker(worker, { undock: 'report', id })
    try {
      return await Promise.race([promise, sleep(2 * READY_LIMIT, null, { ref: false })])
    } finally {
      worker.off('message', listen)
    }
  })
  return (await Promise.all(reports)).filter((one) => one !== null)
}
