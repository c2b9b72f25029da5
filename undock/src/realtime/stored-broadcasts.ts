import { asProjectUser } from '../database/as-project-user.ts'
import type { Db } from '../database/db.ts'
import { queryRows } from '../database/db.ts'
import type { Log } from '../kernel/service.ts'
import type { Tracer } from '../kernel/tracer.ts'
import { type BroadcastReceiver, sendBroadcast, withholdsUnreadable } from './delivery.ts'
import type { Limits } from './limits.ts'
import type { PubSub } from './pub-sub.ts'
import { storedBroadcast } from './replay.ts'

type Announced = { readonly id: string; readonly insertedAt: string }
type StoredRow = {
  id: string
  topic: string
  event: string
  private: boolean | null
  payload: string | null
  binary_payload: Buffer | null
}

type RelayDeps = {
  readonly pubSub: PubSub<BroadcastReceiver>
  readonly limits: Limits
  readonly tracer: Tracer
  readonly log: Log
}

const BATCH = 500

/** Relays messages stored by `realtime.send` and `realtime.broadcast_changes` to subscribers, in commit order. @returns
 *  a function that stops it. */
export async function relayStoredBroadcasts(
  db: Db,
  { pubSub, limits, tracer, log }: RelayDeps,
): Promise<() => Promise<void>> {
  const announced: Announced[] = []
  let running: Promise<void> | null = null

  async function relay(): Promise<void> {
    while (announced.length > 0) {
      const task = { service: 'realtime', method: 'DELIVER', path: 'realtime.messages', parent: null }
      await tracer.task(
        task,
        () => relayTogether(announced.splice(0, BATCH)),
        () => 200,
      )
    }
  }

  /** Any role may NOTIFY: an invalid announcement must not fail its batch. */
  async function relayTogether(batch: readonly Announced[]): Promise<void> {
    try {
      await relayBatch(batch)
    } catch (error) {
      if (!isMalformed(error)) throw error
      if (batch.length === 1) log.warn('UnableToBroadcastChanges', { reason: 'a notification names no message' })
      else for (const one of batch) await relayTogether([one])
    }
  }

  async function relayBatch(batch: readonly Announced[]): Promise<void> {
    const rows = await queryRows<StoredRow>(asProjectUser(db))`
      select m.id::text, m.topic, m.event, m.private, m.payload::text as payload, m.binary_payload
      from unnest(${batch.map(({ id }) => id)}::uuid[], ${batch.map(({ insertedAt }) => insertedAt)}::timestamp[])
        with ordinality as a(id, inserted_at, position)
      join realtime.messages m on m.id = a.id and m.inserted_at = a.inserted_at
      order by a.position`
    for (const row of rows) publish(row)
  }

  function publish(row: StoredRow): void {
    const broadcast = storedBroadcast(row)
    if (row.private === null || broadcast.payload.length > limits.payloadBytes) {
      log.warn('UnableToBroadcastChanges', { topic: row.topic, bytes: broadcast.payload.length })
      return
    }
    sendBroadcast(
      { pubSub, tracer },
      {
        topic: row.topic,
        isPrivate: row.private,
        message: { kind: 'broadcast', broadcast },
        withholds: (channel) => (channel.replayed.has(row.id) ? 'replayed' : withholdsUnreadable(channel)),
      },
    )
  }

  const stop = await db.listen('realtime_messages', (payload) => {
    const [id = '', ...time] = payload.split(' ')
    announced.push({ id, insertedAt: time.join(' ') })
    running ??= Promise.resolve()
      .then(relay)
      .catch((error) => log.error('UnableToBroadcastChanges', error))
      .finally(() => {
        running = null
      })
  })
  return async () => {
    await stop()
    await running
  }
}

/** SQLSTATE class 22: invalid UUID or time. */
const isMalformed = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && String(error.code).startsWith('22')
