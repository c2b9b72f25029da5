import type { Db } from '../../database/db.ts'
import { isUnreachable } from '../../database/protocol/errors.ts'
import type { Log } from '../../kernel/service.ts'
import type { Tracer, WithholdReason } from '../../kernel/tracer.ts'
import { WithheldList } from '../delivery.ts'
import { isTransient } from '../errors.ts'
import { encodeText, wireFrame } from '../protocol/frame.ts'
import { type Audience, findAudience } from './audience.ts'
import type { ChangeQueue, PublicationMark, RowChange } from './change-queue.ts'
import { changePayload } from './payload.ts'
import type { Subscriptions, TableSubscription } from './subscriptions.ts'
import { describeTables, type Table } from './tables.ts'
import { groupBy } from './visibility.ts'

/** Changes per batch; the engine serves other clients between batches. */
const BATCH = 250
const PAUSE = 250
/** Attempts per batch while a server answers, by kind of error. An example of `other` is a table that was just dropped. */
const ATTEMPTS = { transient: 120, other: 3 }

type Delivery = { readonly change: RowChange; readonly table: Table; readonly subscriptions: TableSubscription[] }

type FeedDeps = {
  readonly db: Db
  readonly queue: Pick<ChangeQueue, 'take'>
  readonly subscriptions: Subscriptions
  readonly log: Log
  readonly tracer: Tracer
}

/** Sends captured changes to subscribers in order. */
export class Feed {
  readonly #db: Db
  readonly #queue: FeedDeps['queue']
  readonly #subscriptions: Subscriptions
  readonly #log: Log
  readonly #tracer: Tracer
  readonly #followPublication: () => Promise<void>
  #taken: readonly (RowChange | PublicationMark)[] = []
  #mayBeMore = true
  #failures = 0
  #running: Promise<void> | null = null
  #again = false
  #pause: NodeJS.Timeout | null = null
  #isClosed = false

  /** @param followPublication Matches the subscriptions to the current publication. */
  constructor({ db, queue, subscriptions, log, tracer }: FeedDeps, followPublication: () => Promise<void>) {
    this.#tracer = tracer
    this.#db = db
    this.#queue = queue
    this.#subscriptions = subscriptions
    this.#log = log
    this.#followPublication = followPublication
  }

  wake(): void {
    this.#again = true
    if (this.#isClosed || this.#pause) return
    this.#running ??= this.#drain()
      .catch((error) => this.#retryLater(error))
      .finally(() => {
        this.#running = null
        if (this.#again) this.wake()
      })
  }

  /** Starts no further run and waits for the current one. */
  async close(): Promise<void> {
    this.#isClosed = true
    if (this.#pause) clearTimeout(this.#pause)
    await this.#running
  }

  #retryLater(error: unknown): void {
    this.#failures += 1
    if (this.#failures === ATTEMPTS.other) this.#log.error('PoolingReplicationError', error)
    this.#pause = setTimeout(() => {
      this.#pause = null
      this.wake()
    }, PAUSE).unref()
  }

  async #drain(): Promise<void> {
    this.#again = false
    do {
      if (this.#taken.length === 0) {
        const { taken, mayBeMore } = await this.#queue.take(BATCH)
        this.#taken = taken
        this.#mayBeMore = mayBeMore
      }
      while (this.#taken.length > 0) {
        const [first] = this.#taken
        const end = this.#taken.findIndex((one) => isMark(one) !== isMark(first))
        const run = end < 0 ? this.#taken : this.#taken.slice(0, end)
        await this.#send(run)
        this.#failures = 0
        this.#taken = this.#taken.slice(run.length)
      }
    } while (this.#mayBeMore)
  }

  /** @throws errors worth retrying; nothing was sent then. */
  async #send(run: readonly (RowChange | PublicationMark)[]): Promise<void> {
    try {
      if (isMark(run[0])) await this.#followPublication()
      else await this.#distribute(run.filter((one): one is RowChange => !isMark(one)))
    } catch (error) {
      // While no server answers, retry indefinitely.
      if (isUnreachable(error) || this.#failures < ATTEMPTS[isTransient(error) ? 'transient' : 'other']) throw error
      this.#log.error('PoolingReplicationError', error, { dropped: run.length })
    }
  }

  async #distribute(taken: readonly RowChange[]): Promise<void> {
    const entities = [...new Set(taken.map(({ entity }) => entity))].filter((entity) =>
      any(this.#subscriptions.on(entity)),
    )
    if (entities.length === 0) return
    const roles = new Set(entities.flatMap((entity) => [...this.#subscriptions.on(entity)].map(({ role }) => role)))
    const tables = await describeTables(this.#db, entities, [...roles])
    const path = [...tables.values()].map(nameOf).join(', ')
    await this.#tracer.task(
      { service: 'realtime', method: 'DELIVER', path, parent: null },
      () => this.#deliverOf(taken, tables),
      () => 200,
    )
  }

  async #deliverOf(taken: readonly RowChange[], tables: ReadonlyMap<string, Table>): Promise<void> {
    const changes = taken.map((change) => asPublished(change, tables.get(change.entity)))
    const audience: Audience = new Map()
    const report = this.#tracer.isOn ? new Map<RowChange, WithheldList>() : null
    for (const table of tables.values()) {
      const own = changes.filter(({ entity }) => entity === table.entity)
      const result = await findAudience(this.#db, this.#log, {
        table,
        changes: own,
        subscriptions: this.#subscriptions.on(table.entity),
        ...(report && { onWithheld: (change, subscription, reason) => withhold(report, change, subscription, reason) }),
      })
      for (const [change, subscriptions] of result) audience.set(change, subscriptions)
    }
    for (const change of changes) {
      const table = tables.get(change.entity)
      const subscriptions = audience.get(change)
      if (!table) continue
      if (subscriptions) deliver({ change, table, subscriptions })
      this.#tracer.note(() => ({
        kind: 'delivery',
        event: change.action,
        topic: nameOf(table),
        receivers: new Set(subscriptions?.map(({ listener }) => listener)).size,
        withheld: report?.get(change)?.list() ?? [],
      }))
    }
  }
}

const nameOf = ({ schema, name }: Table): string => `${schema}.${name}`

function withhold(
  report: Map<RowChange, WithheldList>,
  change: RowChange,
  { role, claims }: TableSubscription,
  reason: WithholdReason,
): void {
  const list = report.get(change) ?? new WithheldList()
  report.set(change, list)
  list.add({ role, claims: JSON.parse(claims) }, reason)
}

const isMark = (one: RowChange | PublicationMark | undefined): one is PublicationMark => one?.action === 'PUBLICATION'

/** Old rows are published with their replica identity only, so filters on other columns don't match. */
function asPublished(change: RowChange, table: Table | undefined): RowChange {
  const { old } = change
  if (!old || !table) return change
  const identity = table.columns.filter(({ name, isIdentity }) => isIdentity && Object.hasOwn(old, name))
  return { ...change, old: Object.fromEntries(identity.map(({ name }) => [name, old[name] ?? 'null'])) }
}

/** Builds each payload once per distinct view, and encodes it once per topic. */
function deliver({ change, table, subscriptions }: Delivery): void {
  const frames = new Map<string, Buffer>()
  const payloads = new Map<string, string>()
  for (const bindings of groupBy(subscriptions, ({ listener }) => listener)) {
    // Bindings of one channel that see the same share a message.
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
