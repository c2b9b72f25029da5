import { randomUUID } from 'node:crypto'
import type { Db } from '../../database/db.ts'
import type { Claims } from '../../kernel/service.ts'
import { sql, statement } from '../../kernel/sql.ts'
import type { Version } from '../protocol/frame.ts'
import {
  type Action,
  bindingId,
  type ChangeParams,
  type Filter,
  parseChangeParams,
  SubscriptionRefused,
} from './params.ts'

/** What the feed needs of a channel. */
export type ChangeListener = {
  readonly topic: string
  readonly version: Version
  readonly request: { readonly legacy: boolean }
  deliver(wire: Buffer): void
}

/** A filter on one table, with what tells how to compare. */
export type TableFilter = Filter & {
  /** Quoted and with its schema, as SQL takes it. */
  readonly type: string
  /** The value (for `in`: the values) as the column's type writes it, where equal text means equal values; else null. */
  readonly canonical: readonly string[] | null
}

/** One wish of one channel on one table. */
export type TableSubscription = {
  readonly listener: ChangeListener
  readonly bindingId: number
  readonly action: Action | '*'
  readonly columns: readonly string[] | null
  readonly filters: readonly TableFilter[]
  readonly role: string
  /** JSON of the claims: subscribers with the same are asked for together. */
  readonly claims: string
}

type Wanted = { readonly id: string; readonly bindingId: number; readonly params: ChangeParams }
type Held = { readonly ids: readonly string[]; readonly entities: Set<string> }

/** Who listens to which table. The database holds the same in realtime.subscription: it decides there which tables
 *  are captured. */
export class Subscriptions {
  readonly #db: Db
  readonly #tables = new Map<string, Set<TableSubscription>>()
  readonly #held = new Map<ChangeListener, Held>()

  constructor(db: Db) {
    this.#db = db
  }

  /** @param entity The table's oid. */
  on(entity: string): Iterable<TableSubscription> {
    return this.#tables.get(entity) ?? []
  }

  /** Replaces what the listener had; where it fails, the listener has nothing.
   *  @throws {SubscriptionRefused} when a wish makes no sense, names no published table or a column it may not read. */
  async set(
    listener: ChangeListener,
    wishes: readonly Readonly<Record<string, unknown>>[],
    claims: Claims,
  ): Promise<void> {
    const wanted = wishes.map((wish) => ({
      id: randomUUID(),
      bindingId: bindingId(wish),
      params: parseChangeParams(wish),
    }))
    const old = this.#held.get(listener)
    const tables = await this.#insert(wanted, claims, old?.ids ?? []).catch(async (error) => {
      if (this.#held.get(listener) === old) await this.delete(listener)
      throw error
    })
    // Two calls may overlap: what the other one stored in the meantime is replaced too.
    if (this.#held.get(listener) !== old) await this.delete(listener)
    this.#forget(listener)
    const entities = new Set<string>()
    for (const { id, entity, filters } of tables) {
      const wish = wanted.find((one) => one.id === id)
      if (!wish) continue
      const { action, columns } = wish.params
      const subscription: TableSubscription = {
        listener,
        bindingId: wish.bindingId,
        action,
        columns,
        filters,
        role: claims.role,
        claims: JSON.stringify(claims),
      }
      entities.add(entity)
      const present = this.#tables.get(entity)
      if (present) present.add(subscription)
      else this.#tables.set(entity, new Set([subscription]))
    }
    this.#held.set(listener, { ids: wanted.map(({ id }) => id), entities })
  }

  async delete(listener: ChangeListener): Promise<void> {
    const held = this.#held.get(listener)
    if (!held) return
    this.#forget(listener)
    await this.#db.query(
      statement(sql`delete from realtime.subscription where subscription_id = any(${held.ids}::uuid[])`),
    )
  }

  /** Whether the database still has them all. */
  async areKept(): Promise<boolean> {
    const held = [...this.#held.values()].reduce((sum, { ids }) => sum + ids.length, 0)
    const { rows } = await this.#db.query<{ stored: number }>(
      statement(sql`select count(distinct subscription_id)::int as stored from realtime.subscription`),
    )
    return rows[0]?.stored === held
  }

  /** What an earlier run left behind, or all at the end. */
  async clear(): Promise<void> {
    this.#tables.clear()
    this.#held.clear()
    await this.#db.run({
      statements: [statement(sql`delete from realtime.subscription`), statement(sql`delete from _realtime.changes`)],
    })
  }

  #forget(listener: ChangeListener): void {
    const held = this.#held.get(listener)
    this.#held.delete(listener)
    for (const entity of held?.entities ?? []) {
      const present = this.#tables.get(entity)
      for (const subscription of present ?? []) if (subscription.listener === listener) present?.delete(subscription)
      if (present?.size === 0) this.#tables.delete(entity)
    }
  }

  async #insert(wanted: readonly Wanted[], claims: Claims, replaced: readonly string[]) {
    const results = await this.#db
      .run({
        statements: [
          statement(sql`delete from realtime.subscription where subscription_id = any(${replaced}::uuid[])`),
          ...wanted.map(({ id, params }) => insertStatement(id, params, claims)),
          tablesStatement(wanted.map(({ id }) => id)),
        ],
      })
      .catch((error: unknown) => {
        const [{ params } = { params: null }] = wanted
        if (!(error instanceof Error && 'code' in error && typeof error.code === 'string')) throw error
        throw new SubscriptionRefused(
          `Unable to subscribe to changes with given parameters. An exception happened so please check your connect parameters: [${textOf(params)}]. Exception: ERROR ${error.code} ${error.message}`,
          { cause: error },
        )
      })
    const tables = (results.at(-1)?.rows ?? []) as { id: string; entity: string; filters: TableFilter[] }[]
    const missing = wanted.find(({ id }) => !tables.some((table) => table.id === id))
    if (!missing) return tables
    await this.#db.query(
      statement(
        sql`delete from realtime.subscription where subscription_id = any(${wanted.map(({ id }) => id)}::uuid[])`,
      ),
    )
    throw new SubscriptionRefused(
      `Unable to subscribe to changes with given parameters. Please check Realtime is enabled for the given connect parameters: [${textOf(missing.params)}]`,
    )
  }
}

function insertStatement(id: string, { action, schema, table, filters, columns }: ChangeParams, claims: Claims) {
  const part = (field: keyof Filter) => filters.map((filter) => filter[field])
  return statement(sql`
    insert into realtime.subscription (subscription_id, entity, filters, claims, action_filter, selected_columns)
    select ${id}::uuid, t.entity, (
        select coalesce(array_agg(row(c, o::realtime.equality_op, v, n)::realtime.user_defined_filter), '{}')
        from unnest(${part('column')}::text[], ${part('operator')}::text[], ${part('value')}::text[],
          ${part('negate')}::boolean[]) as f(c, o, v, n)
      ), ${JSON.stringify(claims)}::jsonb, ${action}, ${columns ? [...columns] : null}::text[]
    from (
      select distinct format('%I.%I', p.schemaname, p.tablename)::regclass as entity
      from pg_publication_tables p
      where p.pubname = 'supabase_realtime'
        and (${schema} = '*' or p.schemaname = ${schema}) and (${table} = '*' or p.tablename = ${table})
    ) t`)
}

/** The tables that the subscriptions came to, and for each filter how to compare. Text stands for the value where the
 *  type writes equal values alike and compares nothing else. */
const tablesStatement = (ids: readonly string[]) =>
  statement(sql`
    select s.subscription_id::text as id, s.entity::oid::text as entity, coalesce((
      select json_agg(json_build_object(
        'column', f.column_name, 'operator', f.op, 'value', f.value, 'negate', coalesce(f.negate, false),
        'type', format('%I.%I', n.nspname, y.typname),
        'canonical', case
          when not (y.typtype = 'e' or y.oid = any ('{bool,int2,int4,int8,uuid,text,varchar}'::regtype[]))
            or not coalesce((select c.collisdeterministic from pg_collation c where c.oid = a.attcollation), true)
            then null
          when f.op in ('eq', 'neq') then json_build_array(realtime.cast(f.value, y.oid) #>> '{}')
          when f.op = 'in' then (
            select coalesce(json_agg(e.value), '[]')
            from jsonb_array_elements_text(realtime.cast(f.value, (y.oid::regtype::text || '[]')::regtype)) e
            where e.value is not null
          )
        end
      ))
      from unnest(s.filters) f
      join pg_attribute a on a.attrelid = s.entity and a.attname = f.column_name
      join pg_type y on y.oid = a.atttypid
      join pg_namespace n on n.oid = y.typnamespace
    ), '[]') as filters
    from realtime.subscription s where s.subscription_id = any(${ids}::uuid[])`)

function textOf(params: ChangeParams | null): string {
  if (!params) return ''
  const { action, schema, table, filters, columns } = params
  const shown = filters.map(
    ({ column, operator, value, negate }) =>
      `{${[column, operator, value].map((text) => JSON.stringify(text)).join(', ')}, ${negate}}`,
  )
  return `event: ${action}, schema: ${schema}, table: ${table}, filters: [${shown.join(', ')}], select: ${columns ? JSON.stringify(columns) : 'nil'}`
}
