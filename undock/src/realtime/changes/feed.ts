import type { Db } from '../../database/db.ts'
import type { Log } from '../../kernel/service.ts'
import { encodeText } from '../protocol/frame.ts'
import { wireFrame } from '../protocol/wire.ts'
import { type Audience, findAudience } from './audience.ts'
import { groupBy } from './group-by.ts'
import { changePayload } from './payload.ts'
import type { Subscriptions, TableSubscription } from './subscriptions.ts'
import { describeTables, type Table } from './tables.ts'
import { type Change, takeChanges } from './take.ts'

/** Changes taken at a time: between two batches every other user of the database has its turn. */
const BATCH = 250

/** A change and those who get it. */
type Delivery = { readonly change: Change; readonly table: Table; readonly subscriptions: TableSubscription[] }

/** Empties the queue of captured changes into the subscribers' sockets, in the order in which they happened. */
export class Feed {
  readonly #db: Db
  readonly #subscriptions: Subscriptions
  readonly #log: Log
  #running: Promise<void> | null = null
  #again = false

  constructor(db: Db, subscriptions: Subscriptions, log: Log) {
    this.#db = db
    this.#subscriptions = subscriptions
    this.#log = log
  }

  /** There may be something new. */
  wake(): void {
    this.#again = true
    this.#running ??= this.#drain()
      .catch((error) => this.#log.error('PoolingReplicationError', error))
      .finally(() => {
        this.#running = null
        if (this.#again) this.wake()
      })
  }

  /** Resolves when the run that is under way has ended. */
  async idle(): Promise<void> {
    await this.#running
  }

  async #drain(): Promise<void> {
    this.#again = false
    for (;;) {
      const changes = await takeChanges(this.#db, BATCH)
      if (changes.length > 0) await this.#distribute(changes)
      if (changes.length < BATCH) return
    }
  }

  async #distribute(taken: readonly Change[]): Promise<void> {
    const entities = [...new Set(taken.map(({ entity }) => entity))].filter((entity) =>
      any(this.#subscriptions.on(entity)),
    )
    if (entities.length === 0) return
    const roles = new Set(entities.flatMap((entity) => [...this.#subscriptions.on(entity)].map(({ role }) => role)))
    const tables = await describeTables(this.#db, entities, [...roles])
    const changes = taken.map((change) => asPublished(change, tables.get(change.entity)))
    const audience: Audience = new Map()
    for (const table of tables.values()) {
      const own = changes.filter(({ entity }) => entity === table.entity)
      const found = await findAudience(this.#db, this.#log, table, own, this.#subscriptions.on(table.entity))
      for (const [change, subscriptions] of found) audience.set(change, subscriptions)
    }
    for (const change of changes) {
      const table = tables.get(change.entity)
      const subscriptions = audience.get(change)
      if (table && subscriptions) deliver({ change, table, subscriptions })
    }
  }
}

/** Of an old row only what the replica identity keeps was ever published: no filter may ask about the rest. */
function asPublished(change: Change, table: Table | undefined): Change {
  const { old } = change
  if (!old || !table) return change
  const kept = table.columns.filter(({ name, isIdentity }) => isIdentity && name in old)
  return { ...change, old: Object.fromEntries(kept.map(({ name }) => [name, old[name] ?? 'null'])) }
}

/** Each payload is made once for subscribers that see the same, and encoded once for those on the same topic. */
function deliver({ change, table, subscriptions }: Delivery): void {
  const frames = new Map<string, Buffer>()
  const payloads = new Map<string, string>()
  for (const bindings of groupBy(subscriptions, ({ listener }) => listener)) {
    // One channel may hold several bindings on a table; those that see the same share a message.
    for (const alike of groupBy(bindings, ({ role, columns }) => `${role}\n${columns}`)) {
      const [{ listener, role, columns }] = alike as [TableSubscription]
      const seenAs = `${role}\n${columns}`
      const payload = payloads.get(seenAs) ?? changePayload(table, change, role, columns)
      payloads.set(seenAs, payload)
      const ids = alike.map(({ bindingId }) => bindingId)
      const { topic, version, request } = listener
      const frameKey = JSON.stringify([seenAs, topic, version, request.legacy, ids])
      let frame = frames.get(frameKey)
      if (!frame) {
        const message = request.legacy
          ? { event: change.action, payload }
          : { event: 'postgres_changes', payload: `{"ids":${JSON.stringify(ids)},"data":${payload}}` }
        frame = wireFrame(encodeText({ ...message, topic, ref: null, joinRef: null }, version), false)
        frames.set(frameKey, frame)
      }
      listener.deliver(frame)
    }
  }
}

function any(items: Iterable<unknown>): boolean {
  for (const _ of items) return true
  return false
}
