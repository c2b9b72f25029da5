import type { Lifecycle } from '../../kernel/service.ts'
import { sql } from '../../kernel/sql.ts'
import type { ExtensionWorker, ExtensionWorkersOptions, WorkerActivity } from './worker.ts'

const CHANNEL = 'undock'

/** A map, because any role may NOTIFY any name, such as `constructor`. */
const LOADERS = new Map<string, (options: ExtensionWorkersOptions) => Promise<ExtensionWorker>>([
  ['pg_net', async (options) => (await import('./net/sender.ts')).startSender(options)],
  ['pg_cron', async (options) => (await import('./cron/scheduler.ts')).startScheduler(options)],
])

/** @property activity What each loaded worker does. */
export type ExtensionWorkers = Lifecycle & { activity(): Promise<readonly WorkerActivity[]> }

/** Does the work of the extensions' background processes. Each is loaded when it has something to do. */
export async function startExtensionWorkers(options: ExtensionWorkersOptions): Promise<ExtensionWorkers> {
  const { db, log } = options
  const workers = new Map<string, Promise<ExtensionWorker>>()
  let closed = false

  function wake(name: string): void {
    const load = LOADERS.get(name)
    if (!load || closed || options.isPaused) return
    const loaded = workers.get(name)
    const worker = loaded ?? load(options)
    workers.set(name, worker)
    if (loaded) loaded.then((one) => one.look()).catch(() => undefined)
    else worker.catch((error: unknown) => log.error(`${name} could not be started`, error))
  }

  async function lookAll(): Promise<void> {
    const { rows } = await db.query<{ name: string }>(PRESENT)
    for (const { name } of rows) wake(name)
  }
  const look = (): void => {
    lookAll().catch((error: unknown) => {
      if (!closed) log.error('The extensions with work to do were not found', error)
    })
  }

  const unlisten = await db.listen(CHANNEL, wake)
  look()
  return {
    async activity() {
      const loaded = await Promise.all([...workers.values()].map((worker) => worker.catch(() => null)))
      return loaded.flatMap((worker) => worker?.activity ?? [])
    },
    async onDatabaseReplaced(replacement) {
      // After a reset or restore the database is already reopened.
      if (replacement === 'reopened') look()
    },
    async close() {
      closed = true
      await unlisten()
      for (const worker of workers.values()) await (await worker.catch(() => null))?.close()
    },
  }
}

/** Real extensions do their own work: only our shims have `_tell`. pg_net is in every project, so check its queue. */
const PRESENT = sql`
  select 'pg_cron' as name where to_regprocedure('cron._tell()') is not null
  union all
  select 'pg_net' where to_regprocedure('net._tell()') is not null
    and pg_relation_size(to_regclass('net.http_request_queue')) > 0`
