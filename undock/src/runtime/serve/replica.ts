import type { Db } from '../../database/db.ts'
import { queryRows } from '../../database/db.ts'
import { createDb } from '../../database/engine-db.ts'
import type { ServerEngine } from '../../database/postgres/server-engine.ts'
import type { Log } from '../../kernel/service.ts'
import { openNodeEngine, withoutPooler } from './database.ts'
import type { NodeSettings, Problem } from './settings.ts'

/** Milliseconds between attempts to reach a replica. */
const REPLICA_RETRY = 5_000

/** Opens a read replica, which may come and go while a node serves.
 *  @returns `find` gives null until it was first reached. */
export function openReplica(
  { settings }: Pick<NodeSettings, 'settings'>,
  url: string,
  log: Log,
): { find(): Db | null; close(): Promise<void> } {
  let opened: { readonly engine: ServerEngine; readonly db: Db } | null = null
  let isClosed = false
  const attempt = async (): Promise<void> => {
    try {
      const engine = await openNodeEngine({ databaseUrl: url, settings: withoutPooler(settings) })
      if (isClosed) return engine.close()
      opened = { engine, db: createDb(engine) }
      clearInterval(timer)
    } catch (error) {
      log.warn(`Reads go to the primary: ${error instanceof Error ? error.message : error}`)
    }
  }
  const timer = setInterval(() => void attempt(), REPLICA_RETRY)
  void attempt()
  return {
    find: () => opened?.db ?? null,
    async close() {
      isClosed = true
      clearInterval(timer)
      await opened?.engine.close()
    },
  }
}

/** Returns what prevents reads from using the replica.
 *  @throws {UnreachableServerError} */
export async function checkReplica({ settings }: Pick<NodeSettings, 'settings'>): Promise<Problem[]> {
  const { replica_url: url } = settings.serve
  if (!url) return []
  const engine = await openNodeEngine({ databaseUrl: url, settings: withoutPooler(settings) }, 1)
  try {
    const rows = await queryRows<{ standby: boolean }>(createDb(engine))`select pg_is_in_recovery() as standby`
    if (rows[0]?.standby) return []
    return [
      {
        what: 'The server of UNDOCK_SERVE_REPLICA_URL is not a replica.',
        remedy: 'Use one that streams from the primary, or unset the variable.',
      },
    ]
  } finally {
    await engine.close()
  }
}
