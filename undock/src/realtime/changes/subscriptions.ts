import { randomUUID } from 'node:crypto'
import type { Db } from '../../database/db.ts'
import { queryRows } from '../../database/db.ts'
import { createSerialQueue } from '../../kernel/promises.ts'
import type { Claims } from '../../kernel/service.ts'
import { isTransient } from '../errors.ts'
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

export type ChangeListener = {
  readonly topic: string
  readonly version: Version
  readonly request: { readonly legacy: boolean }
  deliver(wire: Buffer): void
  fail(message: string): void
}

export type TableFilter = Filter & {
  /** Schema-qualified and quoted. */
  readonly type: string
  /** The value (for `in`: the values) as the column's type prints it, if equal text means equal values; else null. */
  readonly canonical: readonly string[] | null
}

export type TableSubscription = {
  readonly listener: ChangeListener
  readonly bindingId: number
  readonly action: Action | '*'
  readonly columns: readonly string[] | null
  readonly filters: readonly TableFilter[]
  readonly role: string
  /** JSON. Row security is evaluated once per distinct claims. */
  readonly claims: string
}

export type SubscriptionRequest = {
  readonly bindings: readonly Readonly<Record<string, unknown>>[]
  readonly claims: Claims
  /** Whether every binding must match a published table now; otherwise it may match one published later. */
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
  readonly matched: number
  readonly current: OnTables
  /** Subscriptions to tables no longer published, for changes captured earlier. */
  readonly former: OnTables
}
type OnTables = ReadonlyMap<string, readonly TableSubscription[]>

/** All subscriptions of this node by table. Mirrors realtime.subscription; the bindings are in _realtime.requests,
 *  which determines the tables to capture. */
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

  set(listener: ChangeListener, request: SubscriptionRequest): Promise<void> {
    // Serialized: overlapping calls would both replace the same subscriptions.
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

  delete(listener: ChangeListener): Promise<void> {
    this.#forget(listener)
    return this.#inTurn(listener, () => this.#remove(listener))
  }

  /** Retries failed deletions of removed listeners' subscriptions. */
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
    const rows = await queryRows<{ requested: number; stored: number }>(this.#db)`
      select count(*)::int as requested, count(*) filter (where exists (
        select from realtime.subscription s where s.subscription_id = r.subscription_id
      ))::int as stored
      from _realtime.requests r where r.node = ${this.#node}::uuid`
    const held = [...this.#held.values()]
    return (
      rows[0]?.requested === held.reduce((sum, { ids }) => sum + ids.length, 0) &&
      rows[0]?.stored === held.reduce((sum, { matched }) => sum + matched, 0)
    )
  }

  clear(): void {
    this.#tables.clear()
    this.#held.clear()
  }

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

  /** @returns the published tables each binding matches. */
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
        // The request isn't at fault: retry.
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

/** Upstream's wording. */
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
