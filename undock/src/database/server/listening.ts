import pg from 'pg'
import { createTurns } from '../../kernel/turns.ts'
import type { Notification } from '../db.ts'

/** Milliseconds between attempts to connect again. */
const PAUSE = 500

export type Listening = {
  /** Runs LISTEN or UNLISTEN. */
  run(script: string): Promise<void>
  /** A server tells of notifications before it answers. */
  heard(): Promise<void>
  /** Ends the connection, and connects again with the next `run`. */
  rest(): Promise<void>
  close(): Promise<void>
}

/** A connection of its own for notifications, made when first needed and again whenever it is lost.
 *  @param onLost Called once it is there again: what was listened to must be asked for anew. */
export function createListening(
  url: () => string,
  onNotification: (notification: Notification) => void,
  onLost: () => void,
): Listening {
  let current: Promise<pg.Client> | null = null
  let closed = false
  // node-postgres wants one question at a time.
  const inTurn = createTurns()

  async function connect(): Promise<pg.Client> {
    const client = new pg.Client({ connectionString: url(), application_name: 'undock listens', keepAlive: true })
    client.on('error', () => undefined)
    client.on('notification', ({ channel, payload = '' }) => onNotification({ channel, payload }))
    await client.connect()
    client.on('end', () => {
      if (closed || current === null) return
      current = null
      void reconnect()
    })
    return client
  }

  async function reconnect(): Promise<void> {
    while (!closed && current === null) {
      const attempt = connect()
      try {
        current = Promise.resolve(await attempt)
        onLost()
      } catch {
        await new Promise((resolve) => setTimeout(resolve, PAUSE).unref())
      }
    }
  }

  async function end(): Promise<void> {
    const client = current
    current = null
    await (await client?.catch(() => null))?.end()
  }

  return {
    async run(script) {
      current ??= connect()
      try {
        const client = await current
        await inTurn(() => client.query(script))
      } catch (error) {
        // A server that could not be reached is tried again with the next call.
        await current?.catch(() => {
          current = null
        })
        throw error
      }
    },
    async heard() {
      const client = await current
      if (client) await inTurn(() => client.query('select'))
    },
    rest: end,
    async close() {
      closed = true
      await end()
    },
  }
}
