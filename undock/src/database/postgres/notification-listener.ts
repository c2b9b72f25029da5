import pg from 'pg'
import { createSerialQueue } from '../../kernel/serial-queue.ts'
import type { Notification } from '../db.ts'
import { CLOSE_LIMIT, socketOf } from './server-session.ts'

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

export type NotificationListenerOptions = {
  address(): pg.ClientConfig
  /** Milliseconds without an answer after which the connection is given up; a standby is not listened to then, which takes no LISTEN.
   *  Without it the connection is kept until the system takes it for lost. */
  readonly silenceLimit?: number | undefined
  onNotification(notification: Notification): void
  /** Called after the connection was reopened: LISTEN has to be sent again. */
  onReconnected(): void
  /** Called when the connection was given up. @param since When the server was asked: `performance.now()`. */
  onSilence(since: number): void
}

/** Receives notifications by a connection of its own, which is opened when it is first needed and reopened whenever it is lost. */
export function createNotificationListener({
  address,
  silenceLimit,
  onNotification,
  onReconnected,
  onSilence,
}: NotificationListenerOptions): NotificationListener {
  let current: Promise<pg.Client> | null = null
  let closed = false
  // node-postgres supports one query at a time.
  const inTurn = createSerialQueue()

  async function connect(): Promise<pg.Client> {
    const client = new pg.Client({
      ...address(),
      application_name: 'undock listens',
      keepAlive: true,
      connectionTimeoutMillis: silenceLimit ?? 0,
    })
    client.on('error', () => undefined)
    client.on('notification', ({ channel, payload = '' }) => onNotification({ channel, payload }))
    await client.connect()
    if (silenceLimit !== undefined) await askPrimary(client, silenceLimit)
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
    const ending = current
    current = null
    const client = await ending?.catch(() => null)
    if (!client) return
    const limit = setTimeout(() => socketOf(client).destroy(), CLOSE_LIMIT)
    await client.end()
    clearTimeout(limit)
  }

  /** Asks whether the server is there and takes LISTEN, which a standby does not, and ends the connection when it does not. Where
   *  the other end has gone without a word, nothing arrives and nothing fails, for a quarter of an hour.
   *  @throws when the connection is ended. */
  async function askPrimary(client: pg.Client, limit: number): Promise<void> {
    const since = performance.now()
    const timer = setTimeout(() => {
      socketOf(client).destroy()
      if (!closed) onSilence(since)
    }, limit)
    try {
      const { rows } = await inTurn(() => client.query<{ standby: boolean }>('select pg_is_in_recovery() as standby'))
      if (rows[0]?.standby) throw new Error('The server is a standby')
    } catch (error) {
      socketOf(client).destroy()
      throw error
    } finally {
      clearTimeout(timer)
    }
  }

  let isAsking = false
  async function ask(limit: number): Promise<void> {
    const client = await current?.catch(() => null)
    if (!client || isAsking) return
    isAsking = true
    // What ended the connection makes another one.
    await askPrimary(client, limit).catch(() => undefined)
    isAsking = false
  }
  const asking =
    silenceLimit === undefined ? undefined : setInterval(() => void ask(silenceLimit), silenceLimit / 2).unref()

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
      clearInterval(asking)
      await end()
    },
  }
}
