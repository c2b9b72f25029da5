import { randomUUID } from 'node:crypto'
import type { Db } from '../../database/db.ts'
import { createSerialQueue } from '../../kernel/close-all.ts'
import type { Claims } from '../../kernel/service.ts'
import { sql, statement } from '../../kernel/sql.ts'
import type { Version } from '../protocol/frame.ts'
import {
  type Action,
  bindingId,
  type ChangeParams,
  type Filter,
  parseChangeParams,
  SubscriptionError,
} from './params.ts'
import {
  deleteStatements,
  insertStatement,
  orphanStatements,
  requestsStatement,
  tablesStatement,
} from './subscription-statements.ts'
import { isTransient } from './transient-errors.ts'

/** What the feed needs of a channel. */
export type ChangeListener = {
  readonly topic: string
  readonly version: Version
  readonly request: { readonly legacy: boolean }
  deliver(wire: Buffer): void
  /** Tells the client that it has to join again. @param message Why. */
  fail(message: string): void
}

/** A filter on one table, with how to compare its values. */
export type TableFilter = Filter & {
  /** Quoted and with its schema, as SQL takes it. */
  readonly type: string
  /** The value (for `in`: the values) as the column's type writes it, where equal text means equal values; else null. */
  readonly canonical: readonly string[] | null
}

/** One binding of one channel on one table. */
export type TableSubscription = {
  readonly listener: ChangeListener
  readonly bindingId: number
  readonly action: Action | '*'
  readonly columns: readonly string[] | null
  readonly filters: readonly TableFilter[]
  readonly role: string
  /** JSON. Row security is evaluated once for all subscribers with the same claims. */
  readonly claims: string
}

/** What a channel asked for when it joined. */
export type SubscriptionRequest = {
  readonly bindings: readonly Readonly<Record<string, unknown>>[]
  readonly claims: Claims
  /** Whether every binding has to name a published table. Otherwise it waits for one that is published later. */
  readonly isNew: boolean
}

type Wanted = { readonly id: string; readonly bindingId: number; readonly params: ChangeParams }
type Matched = { readonly id: string; readonly entity: string; readonly filters: readonly TableFilter[] }
type Inserted = Pick<SubscriptionRequest, 'claims' | 'isNew'> & {
  readonly wanted: readonly Wanted[]
  readonly tables: readonly Matched[]
}
type Held = {
  readonly ids: readonly string[]
  /** How many of the ids match a published table. */
  readonly matched: number
  readonly current: OnTables
  /** Subscriptions to tables that are not published any more, for changes that were captured before. */
  readonly former: OnTables
}
/** By the table's oid. */
type OnTables = ReadonlyMap<string, readonly TableSubscription[]>

/** The subscriptions of all channels of this node by table. The database has them in realtime.subscription, and the bindings they came
 *  from in _realtime.requests, by which it decides which tables are captured. */
export class Subscriptions {
  readonly #db: Db
  readonly #node: string
  readonly #tables = new Map<string, Set<TableSubscription>>()
  readonly #held = new Map<ChangeListener, Held>()
  readonly #turns = new WeakMap<ChangeListener, ReturnType<typeof createSerialQueue>>()

  constructor(db: Db, node: string) {
    this.#db = db
    this.#node = node
  }

  /** @param entity The table's oid. */
  on(entity: string): Iterable<TableSubscription> {
    return this.#tables.get(entity) ?? []
  }

  /** Replaces the listener's subscriptions, without a gap in which it has none.
   *  @throws {SubscriptionError} when a binding makes no sense, names no published table or a column it may not read: the
   *  listener has no subscriptions then. Transient errors of the database leave its subscriptions unchanged. */
  set(listener: ChangeListener, request: SubscriptionRequest): Promise<void> {
    // One after another: two overlapping calls would both replace the same earlier subscriptions.
    return this.#inTurn(listener, () => this.#set(listener, request))
  }

  async #set(listener: ChangeListener, { bindings, claims, isNew }: SubscriptionRequest): Promise<void> {
    try {
      const wanted = bindings.map((binding) => ({
        id: randomUUID(),
        bindingId: bindingId(binding),
        params: parseChangeParams(binding),
      }))
      const tables = await this.#insert(wanted, claims, this.#held.get(listener)?.ids ?? [])
      this.#hold(listener, { wanted, tables, claims, isNew })
      const missing = isNew && wanted.find(({ id }) => !tables.some((table) => table.id === id))
      if (missing) throw refusal('Please check Realtime is enabled for the given connect parameters', missing.params)
    } catch (error) {
      if (error instanceof SubscriptionError) await this.#remove(listener)
      throw error
    }
  }

  #hold(listener: ChangeListener, { wanted, tables, claims, isNew }: Inserted) {
    const current = new Map<string, TableSubscription[]>()
    for (const { id, entity, filters } of tables) {
      const binding = wanted.find((one) => one.id === id)
      if (!binding) continue
      const { action, columns } = binding.params
      const subscription: TableSubscription = {
        listener,
        bindingId: binding.bindingId,
        action,
        columns,
        filters,
        role: claims.role,
        claims: JSON.stringify(claims),
      }
      current.set(entity, [...(current.get(entity) ?? []), subscription])
    }
    const before = isNew ? [] : (this.#held.get(listener)?.current ?? [])
    const former = new Map([...before].filter(([entity]) => !current.has(entity)))
    this.#forget(listener)
    const matched = new Set(tables.map(({ id }) => id)).size
    this.#held.set(listener, { ids: wanted.map(({ id }) => id), matched, current, former })
    for (const [entity, subscriptions] of [...current, ...former]) {
      const present = this.#tables.get(entity) ?? new Set()
      this.#tables.set(entity, present)
      for (const subscription of subscriptions) present.add(subscription)
    }
  }

  /** Ends delivery to the listener at once. */
  delete(listener: ChangeListener): Promise<void> {
    this.#forget(listener)
    return this.#inTurn(listener, () => this.#remove(listener))
  }

  /** Deletes subscriptions of listeners that are gone and whose deletion failed at the time. */
  async deleteOthers(kept: { has(listener: ChangeListener): boolean }): Promise<void> {
    for (const listener of this.#held.keys()) if (!kept.has(listener)) await this.delete(listener)
  }

  async #remove(listener: ChangeListener): Promise<void> {
    this.#forget(listener)
    const held = this.#held.get(listener)
    if (!held) return
    await this.#db.run({ statements: deleteStatements(held.ids) })
    this.#held.delete(listener)
  }

  /** Whether the database still has all subscriptions. */
  async areKept(): Promise<boolean> {
    const { rows } = await this.#db.query<{ requested: number; stored: number }>(
      statement(sql`
        select count(*)::int as requested, count(*) filter (where exists (
          select from realtime.subscription s where s.subscription_id = r.subscription_id
        ))::int as stored
        from _realtime.requests r where r.node = ${this.#node}::uuid`),
    )
    const held = [...this.#held.values()]
    return (
      rows[0]?.requested === held.reduce((sum, { ids }) => sum + ids.length, 0) &&
      rows[0]?.stored === held.reduce((sum, { matched }) => sum + matched, 0)
    )
  }

  /** Forgets all subscriptions. */
  clear(): void {
    this.#tables.clear()
    this.#held.clear()
  }

  /** Deletes the subscriptions of nodes that have gone. */
  async deleteOrphans(): Promise<void> {
    await this.#db.run({ statements: orphanStatements })
  }

  #inTurn<T>(listener: ChangeListener, work: () => Promise<T>): Promise<T> {
    const turns = this.#turns.get(listener) ?? createSerialQueue()
    this.#turns.set(listener, turns)
    return turns(work)
  }

  #forget(listener: ChangeListener): void {
    const { current = [], former = [] } = this.#held.get(listener) ?? {}
    for (const [entity, subscriptions] of [...current, ...former]) {
      const present = this.#tables.get(entity)
      for (const subscription of subscriptions) present?.delete(subscription)
      if (present?.size === 0) this.#tables.delete(entity)
    }
  }

  /** @returns the published tables that each binding matches. */
  async #insert(wanted: readonly Wanted[], claims: Claims, replaced: readonly string[]): Promise<readonly Matched[]> {
    const ids = wanted.map(({ id }) => id)
    const params = wanted.map((one) => one.params)
    const results = await this.#db
      .run({
        statements: [
          requestsStatement(ids, params, this.#node),
          ...wanted.map((one) => insertStatement(one.id, one.params, claims)),
          ...deleteStatements(replaced),
          tablesStatement(ids),
        ],
      })
      .catch((error: unknown) => {
        // The request itself is not at fault: it is tried again.
        if (isTransient(error)) throw error
        if (!(error instanceof Error && 'code' in error && typeof error.code === 'string')) throw error
        throw refusal(
          'An exception happened so please check your connect parameters',
          params[0],
          `. Exception: ERROR ${error.code} ${error.message}`,
          error,
        )
      })
    return (results.at(-1)?.rows ?? []) as Matched[]
  }
}

/** In upstream's words. */
const refusal = (reason: string, params: ChangeParams | undefined, end = '', cause?: unknown) =>
  new SubscriptionError(`Unable to subscribe to changes with given parameters. ${reason}: [${textOf(params)}]${end}`, {
    cause,
  })

function textOf(params: ChangeParams | undefined): string {
  if (!params) return ''
  const { action, schema, table, filters, columns } = params
  const shown = filters.map(
    ({ column, operator, value, negate }) =>
      `{${[column, operator, value].map((text) => JSON.stringify(text)).join(', ')}, ${negate}}`,
  )
  return `event: ${action}, schema: ${schema}, table: ${table}, filters: [${shown.join(', ')}], select: ${columns ? JSON.stringify(columns) : 'nil'}`
}
