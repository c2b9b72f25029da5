import { openNatsBus } from '../bus/nats-bus.ts'
import { openPostgresBus, readBusKey } from '../bus/postgres-bus.ts'
import type { Bus } from '../kernel/bus.ts'
import type { Log } from '../kernel/service.ts'
import { openTestDatabase, type TestDatabase } from './database.ts'
import { startNatsServer } from './nats-server.ts'
import { type RealtimeServer, startRealtimeNode } from './realtime-server.ts'

/** @property bus What the node publishes on. @property logged What its bus logged. */
export type RealtimeNode = RealtimeServer & { readonly bus: Bus; readonly logged: readonly string[] }

export type RealtimeNodes = {
  readonly database: TestDatabase
  readonly nodes: readonly RealtimeNode[]
  /** Starts another node, which is stopped with the others. */
  add(): Promise<RealtimeNode>
  /** Ends all clients so far. */
  disconnect(): Promise<void>
  close(): Promise<void>
}

/** Several nodes of Realtime on one database, each with sessions, an HTTP server and clients of its own. */
export async function startRealtimeNodes(
  count: number,
  { script = '', driver = 'postgres' }: { readonly script?: string; readonly driver?: 'postgres' | 'nats' } = {},
): Promise<RealtimeNodes> {
  const database = await openTestDatabase()
  if (script) await database.db.exec(script)
  const nats = driver === 'nats' ? await startNatsServer() : null
  const nodes: RealtimeNode[] = []

  async function add(): Promise<RealtimeNode> {
    const { db, close } = await database.openNode()
    const logged: string[] = []
    const note = (message: string) => void logged.push(message)
    const log: Log = { info: note, warn: note, error: (message, error) => note(`${message}: ${error}`) }
    const bus = nats
      ? await openNatsBus({ url: nats.url, key: await readBusKey(db), log, onFetching() {} })
      : await openPostgresBus(db, log)
    const server = await startRealtimeNode(db, { bus })
    let isOpen = true
    const node: RealtimeNode = {
      ...server,
      bus,
      logged,
      async close() {
        if (!isOpen) return
        isOpen = false
        await server.close()
        await bus.close()
        await close()
      },
    }
    nodes.push(node)
    return node
  }

  for (let started = 0; started < count; started++) await add()
  return {
    database,
    nodes,
    add,
    async disconnect() {
      for (const node of nodes) await node.disconnect()
    },
    async close() {
      for (const node of nodes) await node.close()
      await nats?.stop()
      await database.close()
    },
  }
}
