import pg from 'pg'
import { createSerialQueue } from '../../kernel/promises.ts'
import type { Notification } from '../db.ts'
import { CLOSE_LIMIT, socketOf } from './server-session.ts'

/** Milliseconds before the second reconnect, and at most between two. Waits double, with jitter between processes. */
const [FIRST_WAIT, MAX_WAIT] = [500, 5_000]

export type NotificationListener = {
  run(script: string): Promise<void>
  /** Resolves when earlier notifications have arrived: a server sends them before the response to a later query. */
  flush(): Promise<void>
  disconnect(): Promise<void>
  close(): Promise<void>
}

export type NotificationListenerOptions = {
  address(): pg.ClientConfig
  /** Milliseconds without an answer before the connection is dropped, also if it leads to a standby, which doesn't
   *  accept LISTEN. Without a limit, that's up to the operating system. */
  readonly silenceLimit?: number | undefined
  onNotification(notification: Notification): void
  /** Called after reconnecting: LISTEN has to be sent again. */
  onReconnected(): void
  /** Called when the connection was dropped. @param since When the server was asked: `performance.now()`. */
  onSilence(since: number): void
}

/** Receives notifications by its own connection, opened when first needed and reopened when lost. */
export function createNotificationListener({
  address,
  silenceLimit,
  onNotification,
  onReconnected,
  onSilence,
}: NotificationListenerOptions): NotificationListener {
  let current: Promise<pg.Client> | null = null
  let closed = false
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
    for (let wait = FIRST_WAIT; !closed; wait = Math.min(2 * wait, MAX_WAIT)) {
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

  /** Asks whether the server responds and accepts LISTEN, which a standby doesn't, and otherwise ends the connection.
   *  When the other end vanishes, nothing arrives and nothing fails for a quarter of an hour.
   *  @throws if the connection was ended. */
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
    // The lost connection's handler opens another one.
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
