import type { Lifecycle } from '../../kernel/service.ts'
import { sql, statement } from '../../kernel/sql.ts'
import type { ExtensionWorker, ExtensionWorkersOptions } from './worker.ts'

/** The shims notify this channel of changes, with the extension's name. */
const CHANNEL = 'undock'

const LOADERS: Readonly<Record<string, (options: ExtensionWorkersOptions) => Promise<ExtensionWorker>>> = {
  pg_net: async (options) => (await import('./net/sender.ts')).startSender(options),
  pg_cron: async (options) => (await import('./cron/scheduler.ts')).startScheduler(options),
}

/** Does the work of the extensions' background processes. Each is loaded when there is something for it to do. */
export async function startExtensionWorkers(options: ExtensionWorkersOptions): Promise<Lifecycle> {
  const { db, log } = options
  const workers = new Map<string, Promise<ExtensionWorker>>()
  let closed = false

  function wake(name: string): void {
    const load = LOADERS[name]
    if (!load || closed) return
    const known = workers.get(name)
    const worker = known ?? load(options)
    workers.set(name, worker)
    // One that has just started has looked.
    if (known) known.then((one) => one.look()).catch(() => undefined)
    else worker.catch((error: unknown) => log.error(`${name} could not be started`, error))
  }

  async function lookAll(): Promise<void> {
    const { rows } = await db.query<{ name: string }>(statement(PRESENT))
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
    async onDatabaseReplaced(replacement) {
      // A reset and a restore have reopened the database before.
      if (replacement === 'reopened') look()
    },
    async close() {
      closed = true
      await unlisten()
      for (const worker of workers.values()) await (await worker.catch(() => null))?.close()
    },
  }
}

/** A server may have the real extensions, which do their work themselves: only undock's own have `_tell`. pg_net is in every
 *  project: it is woken for what waits in its queue only. */
const PRESENT = sql`
  select 'pg_cron' as name where to_regprocedure('cron._tell()') is not null
  union all
  select 'pg_net' where to_regprocedure('net._tell()') is not null
    and pg_relation_size(to_regclass('net.http_request_queue')) > 0`
