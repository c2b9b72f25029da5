import type { Db } from '../../database/db.ts'
import { type Sql, sql, statement } from '../../kernel/sql.ts'
import type { Action } from './params.ts'

/** A row's columns, each as JSON text, so that numbers keep all their digits. */
export type RawRow = Readonly<Record<string, string>>

/** A captured change. The new row is missing on DELETE, the old one on INSERT. */
export type RowChange = {
  readonly entity: string
  readonly action: Action
  /** ISO 8601 in UTC with milliseconds. */
  readonly happenedAt: string
  readonly record: RawRow | null
  readonly old: RawRow | null
  /** A hash of the new row, to be compared with `rowVersion` of the row in the table; null on DELETE. */
  readonly version: string | null
}

/** Marks the point in the queue at which the publication may have changed. */
export type PublicationMark = { readonly action: 'PUBLICATION' }

/** The hash of a row that `_realtime.capture` stores. @param row The table's alias; no column may have this name. */
export const rowVersion = (row: Sql) => sql`hashtextextended(${row}::text, 0)`

/** What a node reads at a time. */
type Taken = {
  readonly taken: readonly (RowChange | PublicationMark)[]
  readonly mayBeMore: boolean
}

/** Thrown when a node can no longer tell which changes it has missed. */
export class LostPlaceError extends Error {
  override readonly name = 'LostPlaceError'
}

/** Thrown when another server answers than the one that gave the place, or the same one after a restart. A replica that took over
 *  may lack the latest transactions and gives their ids to others, so the place may show what nobody has read. */
export class ReplacedServerError extends Error {
  override readonly name = 'ReplacedServerError'
}

/** Seconds for which the queue keeps changes for a node that gives no sign of life. */
const LEASE = 30
/** Milliseconds without a sign of life of this node itself, after which it gives the others as long to give one: the database was
 *  away from all of them. */
const OUTAGE = 10_000
/** Differs between two servers, and between two starts of one. */
const SERVER = sql`pg_postmaster_start_time()::text`

/** The captured changes as one node reads them. A place in the queue is a snapshot: changes of transactions that it shows
 *  were read. The next ones are those that a newer snapshot shows and this one does not, so that a transaction which commits
 *  late is read late, and never skipped. */
export class ChangeQueue {
  readonly #db: Db
  readonly #node: string
  readonly #isAlone: boolean
  /** What it shows was read. */
  #place = ''
  /** Which server gave the place. */
  #server = ''
  /** What was read since the place was stored, by id and time. */
  #unstored = new Set<string>()
  /** What was read already and may come again. */
  #known: ReadonlySet<string> = new Set()
  /** Up to where the changes are read that do not fit into one batch; null for as far as there are any. */
  #until: string | null = null
  /** The id above which the rest of what is being read is. */
  #above = 0
  /** The largest id that was read. */
  #highest = 0
  /** Everything up to this id was read. */
  #floor = 0
  /** A floor as soon as all transactions before this one have ended. */
  #nextFloor: { readonly id: number; readonly transaction: bigint } | null = null
  #renewedAt = 0
  #outageEndedAt = Number.NEGATIVE_INFINITY

  /** @param isAlone Whether no other node reads the queue. */
  constructor(db: Db, { node, isAlone }: { readonly node: string; readonly isAlone: boolean }) {
    this.#db = db
    this.#node = node
    this.#isAlone = isAlone
  }

  /** Begins with what is committed from now on. */
  async join(): Promise<void> {
    const forget = this.#isAlone
      ? [statement(sql`delete from _realtime.nodes`), statement(sql`delete from _realtime.changes`)]
      : [FORGET_SILENT]
    const results = await this.#db.run({
      statements: [
        ...forget,
        statement(sql`
          insert into _realtime.nodes (id) values (${this.#node}::uuid)
          on conflict (id) do update set position = excluded.position, seen_at = excluded.seen_at
          returning position::text as place, ${SERVER} as server`),
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

  /** Goes back to the place that this server knows of the node: it has the transaction that stored it, and so all that it shows.
   *  @throws {LostPlaceError} when it knows none. */
  async goBack(): Promise<void> {
    const { rows } = await this.#db.query<Stored>(
      statement(sql`
        select position::text as place, ${SERVER} as server from _realtime.nodes where id = ${this.#node}::uuid`),
    )
    const [stored] = rows
    if (!stored) throw new LostPlaceError('Another server took over, and knows nothing of this node')
    this.#known = new Set([...this.#known, ...this.#unstored])
    this.#begin(stored)
  }

  /** Reads the next changes and marks in the order in which they happened.
   *  @throws {LostPlaceError | ReplacedServerError} */
  async take(most: number): Promise<Taken> {
    if (performance.now() - this.#renewedAt > (LEASE * 1_000) / 2) await this.renew()
    const [place, server] = [this.#place, this.#server]
    const { rows } = await this.#db.query<(RowChange | PublicationMark) & Seen>(
      statement(sql`
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
        order by c.id`),
    )
    const [first] = rows
    // It has begun again meanwhile.
    if (place !== this.#place || server !== this.#server) return { taken: [], mayBeMore: true }
    if (first && !this.#isAlone && first.server !== server) throw new ReplacedServerError('Another server answers')
    // Transaction ids have begun again: a server took over that did not have the latest ones, or a copy was put in place.
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
    // What was read before is all in what a new place shows.
    if (this.#until === null) this.#known = new Set()
    return unknown
  }

  /** Everything that the snapshot shows was read. */
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

  /** Tells the other nodes that this one is there and what it has read, and deletes what all of them have read.
   *  @returns whether a node has gone.
   *  @throws {LostPlaceError | ReplacedServerError} the first when the others no longer waited for this one. */
  async renew(): Promise<boolean> {
    const [place, highest, now] = [this.#place, this.#highest, performance.now()]
    // Half of a batch is in no place yet.
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
        statement(sql`select ${SERVER} as server`),
        statement(sql`
          update _realtime.nodes set position = ${place}::pg_snapshot, seen_at = clock_timestamp()
          where id = ${this.#node}::uuid and (${this.#isAlone} or ${SERVER} = ${this.#server})
          returning pg_current_xact_id()::text as transaction`),
        ...(mayForget ? [FORGET_SILENT] : []),
        PRUNE,
      ],
    })
    const [own] = renewed?.rows ?? []
    if (!own && asked?.rows[0]?.server !== this.#server) throw new ReplacedServerError('Another server answers')
    if (!own) throw new LostPlaceError('This node gave no sign of life for too long')
    // A transaction that has begun since takes larger ids than those that were read before.
    this.#nextFloor ??= { id: highest, transaction: BigInt(String(own.transaction)) }
    this.#renewedAt = performance.now()
    return mayForget && cleaned[0]?.rowCount !== 0
  }

  /** Nothing waits for this node any more. */
  async leave(): Promise<void> {
    await this.#db.run({
      statements: [statement(sql`delete from _realtime.nodes where id = ${this.#node}::uuid`), PRUNE],
    })
  }
}

/** @property id Null when there is no change. */
type Seen = {
  readonly now: string
  readonly isOlder: boolean
  readonly server: string
  readonly id: string | null
}

type Stored = { readonly place: string; readonly server: string }

/** A server that took over may give the id of a change that it lacks to another one, but not at the same time. */
const keyOf = (one: (RowChange | PublicationMark) & Seen): string =>
  `${one.id} ${'happenedAt' in one ? one.happenedAt : ''}`

const SILENCE = `${LEASE} s`

const FORGET_SILENT = statement(
  sql`delete from _realtime.nodes where id in (
    select id from _realtime.nodes where seen_at < clock_timestamp() - ${SILENCE}::interval for update skip locked
  )`,
)

/** One node at a time is enough. */
const PRUNE = statement(sql`
  delete from _realtime.changes c
  where (select pg_try_advisory_xact_lock(7286436)) and not exists (
    select from _realtime.nodes n where not pg_visible_in_snapshot(c.xid, n.position)
  )`)
