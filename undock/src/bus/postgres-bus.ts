import { randomBytes, randomUUID } from 'node:crypto'
import type { Db } from '../database/db.ts'
import { execute, queryRows } from '../database/db.ts'
import type { Bus } from '../kernel/bus.ts'
import { createSerialQueue } from '../kernel/promises.ts'
import type { Log } from '../kernel/service.ts'
import { sql } from '../kernel/sql.ts'
import { type Carrier, openSharedBus } from './shared-bus.ts'

const CHANNEL = 'undock_bus'
/** NOTIFY payloads are limited to 8,000 bytes, and base64 adds a third. */
const MAX_BYTES = 5_900
/** Prefixes the id of an envelope stored in a table because it exceeds a payload; not a base64 character. */
const STORED = '#'
/** Milliseconds between deletions of stored envelopes; nodes read them long before. */
const PRUNE_INTERVAL = 30_000

/** Opens a bus over NOTIFY, on the node's existing LISTEN connection. Every database role may use the channel, so
 *  envelopes are sealed with the key in `_realtime.bus_keys`, which only the stack and the project's owner can read. */
export async function openPostgresBus(db: Db, log: Log): Promise<Bus> {
  return openSharedBus({ key: await readBusKey(db), log, open: (receive) => openCarrier(db, log, receive) })
}

/** Returns the cluster's key; the first node creates it. */
export async function readBusKey(db: Db): Promise<Buffer> {
  await execute(db)`insert into _realtime.bus_keys (key) values (${randomBytes(32)}) on conflict do nothing`
  const [made] = await queryRows<{ key: Buffer }>(db)`select key from _realtime.bus_keys`
  if (!made) throw new Error('The database has no key for the bus between the nodes')
  return made.key
}

async function openCarrier(db: Db, log: Log, receive: (envelope: Buffer) => void): Promise<Carrier> {
  let prunedAt = performance.now()
  // Later envelopes wait while a stored one is fetched.
  const inTurn = createSerialQueue()
  let fetching = 0

  const stop = await db.listen(CHANNEL, (payload) => {
    const isStored = payload.startsWith(STORED)
    if (!isStored && fetching === 0) return receive(Buffer.from(payload, 'base64'))
    fetching += 1
    void inTurn(async () => {
      const envelope = isStored ? await fetchStored(db, payload.slice(1)) : Buffer.from(payload, 'base64')
      if (envelope) receive(envelope)
    })
      .catch((error) => log.error('A message of another node could not be fetched', error))
      .finally(() => {
        fetching -= 1
      })
  })

  return {
    comfortableBytes: MAX_BYTES,
    async send(envelopes) {
      const stored = envelopes.flatMap((body) => (body.length > MAX_BYTES ? [{ id: randomUUID(), body }] : []))
      const payloads = envelopes.map((envelope) => {
        const id = stored.find(({ body }) => body === envelope)?.id
        return id ? STORED + id : envelope.toString('base64')
      })
      const store = sql`
        insert into _realtime.bus_envelopes (id, body)
        select * from unnest(${stored.map(({ id }) => id)}::uuid[], ${stored.map(({ body }) => body)}::bytea[])`
      const notify = sql`select pg_notify(${CHANNEL}, p) from unnest(${payloads}::text[]) p`
      const isDue = stored.length > 0 && performance.now() - prunedAt > PRUNE_INTERVAL
      if (isDue) prunedAt = performance.now()
      await db.run({ statements: [...(stored.length > 0 ? [store] : []), notify, ...(isDue ? [PRUNE] : [])] })
    },
    close: stop,
  }
}

const PRUNE = sql`delete from _realtime.bus_envelopes where sent_at < now() - interval '1 minute'`

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/

async function fetchStored(db: Db, id: string): Promise<Buffer | null> {
  // Any role may NOTIFY.
  if (!UUID.test(id)) return null
  const rows = await queryRows<{ body: Buffer }>(db)`select body from _realtime.bus_envelopes where id = ${id}::uuid`
  return rows[0]?.body ?? null
}
