import { randomBytes, randomUUID } from 'node:crypto'
import type { Db } from '../database/db.ts'
import type { Bus } from '../kernel/bus.ts'
import { createSerialQueue } from '../kernel/close-all.ts'
import type { Log } from '../kernel/service.ts'
import { sql, statement } from '../kernel/sql.ts'
import { type Carrier, openSharedBus } from './shared-bus.ts'

const CHANNEL = 'undock_bus'
/** Postgres takes payloads of less than 8,000 bytes; base64 makes four bytes of three. */
const MOST_BYTES = 5_900
/** Marks the id of an envelope that is too large for a payload, which base64 cannot begin with. */
const STORED = '#'
/** Milliseconds between two deletions of stored envelopes, which every node has read long before. */
const PRUNE_INTERVAL = 30_000

/** The bus by NOTIFY, over the connection on which the node listens anyway. Every role of the database may listen and
 *  notify there, so everything is sealed with the key in `_realtime.bus_keys`, which only the stack and the project's owner may read. */
export async function openPostgresBus(db: Db, log: Log): Promise<Bus> {
  return openSharedBus({ key: await readBusKey(db), log, open: (receive) => openCarrier(db, log, receive) })
}

/** The key of the project's nodes, which the first of them makes. */
export async function readBusKey(db: Db): Promise<Buffer> {
  await db.query(
    statement(sql`insert into _realtime.bus_keys (key) values (${randomBytes(32)}) on conflict do nothing`),
  )
  const { rows } = await db.query<{ key: Buffer }>(statement(sql`select key from _realtime.bus_keys`))
  const [made] = rows
  if (!made) throw new Error('The database has no key for the bus between the nodes')
  return made.key
}

async function openCarrier(db: Db, log: Log, receive: (envelope: Buffer) => void): Promise<Carrier> {
  let prunedAt = performance.now()
  // A stored envelope is fetched first, and those behind it wait for it.
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
    comfortableBytes: MOST_BYTES,
    async send(envelopes) {
      const stored = envelopes.flatMap((body) => (body.length > MOST_BYTES ? [{ id: randomUUID(), body }] : []))
      const payloads = envelopes.map((envelope) => {
        const id = stored.find(({ body }) => body === envelope)?.id
        return id ? STORED + id : envelope.toString('base64')
      })
      const store = statement(sql`
        insert into _realtime.bus_envelopes (id, body)
        select * from unnest(${stored.map(({ id }) => id)}::uuid[], ${stored.map(({ body }) => body)}::bytea[])`)
      const notify = statement(sql`select pg_notify(${CHANNEL}, p) from unnest(${payloads}::text[]) p`)
      const isDue = stored.length > 0 && performance.now() - prunedAt > PRUNE_INTERVAL
      if (isDue) prunedAt = performance.now()
      await db.run({ statements: [...(stored.length > 0 ? [store] : []), notify, ...(isDue ? [PRUNE] : [])] })
    },
    close: stop,
  }
}

const PRUNE = statement(sql`delete from _realtime.bus_envelopes where sent_at < now() - interval '1 minute'`)

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/

async function fetchStored(db: Db, id: string): Promise<Buffer | null> {
  // Anybody may send a notification.
  if (!UUID.test(id)) return null
  const { rows } = await db.query<{ body: Buffer }>(
    statement(sql`select body from _realtime.bus_envelopes where id = ${id}::uuid`),
  )
  return rows[0]?.body ?? null
}
