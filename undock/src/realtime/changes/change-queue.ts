import type { Db } from '../../database/db.ts'
import { queryRows } from '../../database/db.ts'
import { type Sql, sql } from '../../kernel/sql.ts'
import type { Action } from './params.ts'

/** A row's columns as JSON text, which keeps all digits of numbers. */
export type RawRow = Readonly<Record<string, string>>

/** Returns a column's value. A row may lack a column whose name all objects have as a member, such as `constructor`. */
export const valueIn = (row: RawRow | null, column: string): string | undefined =>
  row !== null && Object.hasOwn(row, column) ? row[column] : undefined

/** A captured change. DELETE has no new row, INSERT no old one. */
export type RowChange = {
  readonly entity: string
  readonly action: Action
  /** ISO 8601 in UTC with milliseconds. */
  readonly happenedAt: string
  readonly record: RawRow | null
  readonly old: RawRow | null
  /** Hash of the new row, compared with the current row's `rowVersion`; null on DELETE. */
  readonly version: string | null
}

/** Marks where in the queue the publication may have changed. */
export type PublicationMark = { readonly action: 'PUBLICATION' }

/** The row hash that `_realtime.capture` stores. @param row The table's alias; must not be the name of a column. */
export const rowVersion = (row: Sql) => sql`hashtextextended(${row}::text, 0)`

type Taken = {
  readonly taken: readonly (RowChange | PublicationMark)[]
  readonly mayBeMore: boolean
}

/** Thrown when a node can't tell which changes it has missed. */
export class LostPlaceError extends Error {
  override readonly name = 'LostPlaceError'
}

/** Thrown when the server was restarted or replaced since it issued the place. A promoted replica may lack the latest
 *  transactions and reuse their ids, so the place may cover unread changes. */
export class ReplacedServerError extends Error {
  override readonly name = 'ReplacedServerError'
}

/** Seconds the queue keeps changes for a silent node. */
const LEASE = 30
/** Milliseconds without a heartbeat of this node after which it grants the others a new lease: the database was down
 *  for all of them. */
const OUTAGE = 10_000
/** Identifies a server process: it changes on restart and failover. */
const SERVER = sql`pg_postmaster_start_time()::text`

/** One node's view of the captured changes. Its place is a snapshot: changes visible in it have been read. Comparing
 *  with a newer snapshot means transactions that commit late are read late, never skipped. */
export class ChangeQueue {
  readonly #db: Db
  readonly #node: string
  readonly #isAlone: boolean
  /** Snapshot of what has been read. */
  #place = ''
  /** The server that issued the place. */
  #server = ''
  /** Read since the place was last stored, by id and time. */
  #unstored = new Set<string>()
  /** Already read, but may be returned again. */
  #known: ReadonlySet<string> = new Set()
  /** Snapshot being read in several batches; null if all fitted into one. */
  #until: string | null = null
  /** Rest of the current snapshot: ids above this. */
  #above = 0
  /** The highest id read. */
  #highest = 0
  /** All ids up to this one have been read. */
  #floor = 0
  /** Becomes the floor once all transactions before this one have ended. */
  #nextFloor: { readonly id: number; readonly transaction: bigint } | null = null
  #renewedAt = 0
  #outageEndedAt = Number.NEGATIVE_INFINITY

  /** @param isAlone Whether this is the only node. */
  constructor(db: Db, { node, isAlone }: { readonly node: string; readonly isAlone: boolean }) {
    this.#db = db
    this.#node = node
    this.#isAlone = isAlone
  }

  /** Starts with changes committed from now on. */
  async join(): Promise<void> {
    const forget = this.#isAlone
      ? [sql`delete from _realtime.nodes`, sql`delete from _realtime.changes`]
      : [FORGET_SILENT]
    const results = await this.#db.run({
      statements: [
        ...forget,
        sql`
          insert into _realtime.nodes (id) values (${this.#node}::uuid)
          on conflict (id) do update set position = excluded.position, seen_at = excluded.seen_at
          returning position::text as place, ${SERVER} as server`,
      ],
    })
    const [row] = results.at(-1)?.rows ?? []
    this.#begin({ place: String(row?.place), server: String(row?.server) })
    this.#known = new Set()
    this.#renewedAt = performance.now()
  }

  #begin({ place, server }: Stored): void {
    this.#place = place
    this.#server = server
    this.#until = null
    this.#above = this.#highest = this.#floor = 0
    this.#nextFloor = null
    this.#unstored = new Set()
  }

  /** Returns to the place stored on this server. A server that has the transaction storing the place also has
   *  everything the place covers.
   *  @throws {LostPlaceError} if none is stored. */
  async goBack(): Promise<void> {
    const [stored] = await queryRows<Stored>(this.#db)`
      select position::text as place, ${SERVER} as server from _realtime.nodes where id = ${this.#node}::uuid`
    if (!stored) throw new LostPlaceError('Another server took over, and does not know this node')
    this.#known = new Set([...this.#known, ...this.#unstored])
    this.#begin(stored)
  }

  /** Reads the next changes and publication marks, in order.
   *  @throws {LostPlaceError | ReplacedServerError} */
  async take(most: number): Promise<Taken> {
    if (performance.now() - this.#renewedAt > (LEASE * 1_000) / 2) await this.renew()
    const [place, server] = [this.#place, this.#server]
    const rows = await queryRows<(RowChange | PublicationMark) & Seen>(this.#db)`
      select s.now::text, pg_snapshot_xmax(s.now) < pg_snapshot_xmax(${place}::pg_snapshot) as "isOlder",
        ${SERVER} as server, c.id, c.entity::text, c.action, c.version::text,
        to_char(c.happened_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as "happenedAt",
        (select json_object_agg(key, value::text) from jsonb_each(c.record)) as record,
        (select json_object_agg(key, value::text) from jsonb_each(c.old_record)) as old
      from (select pg_current_snapshot() as now) s
      left join lateral (
        select * from _realtime.changes
        where id > ${this.#above}::bigint and not pg_visible_in_snapshot(xid, ${place}::pg_snapshot)
          and pg_visible_in_snapshot(xid, coalesce(${this.#until}::pg_snapshot, s.now))
        order by id limit ${most}::int
      ) c on true
      order by c.id`
    const [first] = rows
    // The queue was rejoined in the meantime.
    if (place !== this.#place || server !== this.#server) return { taken: [], mayBeMore: true }
    if (first && !this.#isAlone && first.server !== server) throw new ReplacedServerError('Another server answers')
    // Transaction ids went backwards: a promoted replica lacked the latest ones, or a backup was restored.
    if (!first || first.isOlder) throw new LostPlaceError('The database has lost transactions')
    const taken = first.id === null ? [] : rows
    const mayBeMore = taken.length === most
    const last = Number(taken.at(-1)?.id ?? 0)
    this.#highest = Math.max(this.#highest, last)
    this.#until ??= first.now
    if (mayBeMore) this.#above = last
    else this.#pass(this.#until)
    return { taken: this.#isAlone ? taken : this.#unknownOf(taken), mayBeMore }
  }

  #unknownOf(taken: readonly (Taken['taken'][number] & Seen)[]): Taken['taken'] {
    for (const one of taken) this.#unstored.add(keyOf(one))
    if (this.#known.size === 0) return taken
    const unknown = taken.filter((one) => !this.#known.has(keyOf(one)))
    if (this.#until === null) this.#known = new Set()
    return unknown
  }

  #pass(until: string): void {
    this.#place = until
    this.#until = null
    const [oldestRunning = '0'] = until.split(':')
    if (this.#nextFloor && BigInt(oldestRunning) > this.#nextFloor.transaction) {
      this.#floor = this.#nextFloor.id
      this.#nextFloor = null
    }
    this.#above = this.#floor
  }

  /** Renews this node's lease, stores its place and deletes changes that all nodes have read.
   *  @returns whether a node has left.
   *  @throws {LostPlaceError | ReplacedServerError} the first if the others stopped waiting for this node. */
  async renew(): Promise<boolean> {
    const [place, highest, now] = [this.#place, this.#highest, performance.now()]
    // A partly read snapshot isn't in any place yet.
    const stored = this.#until === null ? this.#unstored : new Set<string>()
    if (this.#until === null) this.#unstored = new Set()
    try {
      return await this.#renew({ place, highest, now })
    } catch (error) {
      this.#unstored = new Set([...stored, ...this.#unstored])
      throw error
    }
  }

  async #renew({ place, highest, now }: { place: string; highest: number; now: number }): Promise<boolean> {
    if (now - this.#renewedAt > OUTAGE) this.#outageEndedAt = now
    const mayForget = now - this.#outageEndedAt > OUTAGE
    const [asked, renewed, ...cleaned] = await this.#db.run({
      statements: [
        sql`select ${SERVER} as server`,
        sql`
          update _realtime.nodes set position = ${place}::pg_snapshot, seen_at = clock_timestamp()
          where id = ${this.#node}::uuid and (${this.#isAlone} or ${SERVER} = ${this.#server})
          returning pg_current_xact_id()::text as transaction`,
        ...(mayForget ? [FORGET_SILENT] : []),
        PRUNE,
      ],
    })
    const [own] = renewed?.rows ?? []
    if (!own && asked?.rows[0]?.server !== this.#server) throw new ReplacedServerError('Another server answers')
    if (!own) throw new LostPlaceError('This node was silent for too long')
    // Transactions that began since get higher ids.
    this.#nextFloor ??= { id: highest, transaction: BigInt(String(own.transaction)) }
    this.#renewedAt = performance.now()
    return mayForget && cleaned[0]?.rowCount !== 0
  }

  async leave(): Promise<void> {
    await this.#db.run({
      statements: [sql`delete from _realtime.nodes where id = ${this.#node}::uuid`, PRUNE],
    })
  }
}

/** @property id Null if there's no change. */
type Seen = {
  readonly now: string
  readonly isOlder: boolean
  readonly server: string
  readonly id: string | null
}

type Stored = { readonly place: string; readonly server: string }

/** A promoted server may reuse ids, but not with the same time. */
const keyOf = (one: (RowChange | PublicationMark) & Seen): string =>
  `${one.id} ${'happenedAt' in one ? one.happenedAt : ''}`

const SILENCE = `${LEASE} s`

const FORGET_SILENT = sql`delete from _realtime.nodes where id in (
    select id from _realtime.nodes where seen_at < clock_timestamp() - ${SILENCE}::interval for update skip locked
  )`

const PRUNE = sql`
  delete from _realtime.changes c
  where (select pg_try_advisory_xact_lock(7286436)) and not exists (
    select from _realtime.nodes n where not pg_visible_in_snapshot(c.xid, n.position)
  )`
