import pg from 'pg'
import { createSerialQueue } from '../../kernel/serial-queue.ts'
import type { Notification } from '../db.ts'

/** Milliseconds until the second attempt to reconnect, and at most between two: each waits twice as long as the one before, and not quite
 *  as long as those of other processes. */
const [FIRST_WAIT, MOST_WAIT] = [500, 5_000]

export type NotificationListener = {
  /** Runs LISTEN or UNLISTEN. */
  run(script: string): Promise<void>
  /** Resolves when earlier notifications have arrived: a server sends them before the response to a later query. */
  flush(): Promise<void>
  /** Ends the connection; the next `run` opens another one. */
  disconnect(): Promise<void>
  close(): Promise<void>
}

/** Receives notifications by a connection of its own, which is opened when it is first needed and reopened whenever it is lost.
 *  @param onReconnected Called after it was reopened: LISTEN has to be sent again. */
export function createNotificationListener(
  address: () => pg.ClientConfig,
  onNotification: (notification: Notification) => void,
  onReconnected: () => void,
): NotificationListener {
  let current: Promise<pg.Client> | null = null
  let closed = false
  // node-postgres supports one query at a time.
  const inTurn = createSerialQueue()

  async function connect(): Promise<pg.Client> {
    const client = new pg.Client({ ...address(), application_name: 'undock listens', keepAlive: true })
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
    for (let wait = FIRST_WAIT; !closed; wait = Math.min(2 * wait, MOST_WAIT)) {
      try {
        // A LISTEN may have opened the connection in the meantime.
        current ??= connect()
        await current
        return onReconnected()
      } catch {
        current = null
        await new Promise((resolve) => setTimeout(resolve, wait * (0.5 + Math.random() / 2)).unref())
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
        // If the server could not be reached, the next call tries again.
        await current?.catch(() => {
          current = null
        })
        throw error
      }
    },
    async flush() {
      const client = await current
      if (client) await inTurn(() => client.query('select'))
    },
    disconnect: end,
    async close() {
      closed = true
      await end()
    },
  }
}
