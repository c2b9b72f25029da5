import type { Db, Result } from '../../database/db.ts'
import { keyword, type Sql, sql } from '../../kernel/sql.ts'
import { rowOf, rowsOf } from '../caller.ts'
import { fromDatabase, storageError } from '../errors.ts'

export type Metadata = Record<string, string | null>

export type UploadRecord = {
  readonly id: string
  readonly size: number | null
  readonly metadata: Metadata
  /** For finishing the upload without its client. */
  readonly owner: string | null
  readonly upsert: boolean
  readonly created: Date
  /** Whether the object's row exists; the partial bytes are then gone. */
  readonly isCommitted: boolean
  /** A remote store's state. @property received Bytes, including the tail. @property tail Bytes too few for a part. */
  readonly stored: {
    readonly upload: string | null
    readonly received: number
    readonly tail: string | null
  }
}

export type NewUpload = Pick<UploadRecord, 'id' | 'size' | 'metadata' | 'owner' | 'upsert' | 'created'>
export type UploadPart = { readonly number: number; readonly size: number; readonly etag: string }

export type Lease = { readonly id: string; readonly holder: string }

/** How long a dead holder blocks others. */
const LEASE = keyword("interval '5 seconds'")
const NOW = keyword('clock_timestamp()')

const COLUMNS = keyword(`id, size::float8 as size, metadata, owner_id as owner, upsert, created_at as created,
  is_committed as "isCommitted",
  json_build_object('upload', store_upload, 'received', received, 'tail', tail) as stored`)

/** Rows of resumable uploads. Changing an upload's bytes requires its lease, so a process that was suspended can't. */
export class Uploads {
  readonly #db: Db

  /** @param db The database as the stack itself. */
  constructor(db: Db) {
    this.#db = db
  }

  async find(id: string): Promise<UploadRecord | undefined> {
    const [found] = await this.#run(sql`select ${COLUMNS} from _undock.uploads where id = ${id}`)
    return rowOf<UploadRecord>(found)
  }

  async insert({ id, size, metadata, owner, upsert, created }: NewUpload): Promise<void> {
    await this.#run(sql`insert into _undock.uploads (id, size, metadata, owner_id, upsert, created_at)
      values (${id}, ${size}::bigint, ${JSON.stringify(metadata)}::json, ${owner}, ${upsert}, ${created})`)
  }

  async declareSize(id: string, size: number): Promise<void> {
    await this.#run(sql`update _undock.uploads set size = ${size}::bigint where id = ${id}`)
  }

  async commit(id: string): Promise<void> {
    await this.#run(sql`update _undock.uploads set is_committed = true where id = ${id}`)
  }

  async delete(id: string): Promise<void> {
    await this.#run(sql`delete from _undock.uploads where id = ${id}`)
  }

  /** Deletes uploads that began before a time, and returns them. */
  async expire(before: Date): Promise<UploadRecord[]> {
    const [gone] = await this.#run(sql`delete from _undock.uploads where created_at < ${before} returning ${COLUMNS}`)
    return rowsOf<UploadRecord>(gone)
  }

  async ids(): Promise<Set<string>> {
    const [found] = await this.#run(sql`select id from _undock.uploads`)
    return new Set(rowsOf<{ id: string }>(found).map(({ id }) => id))
  }

  /** Takes a free upload, or records that someone is waiting. */
  async take({ id, holder }: Lease): Promise<'taken' | 'busy' | 'missing'> {
    const [taken, wanted] = await this.#run(
      sql`update _undock.uploads set holder = ${holder}, held_until = ${NOW} + ${LEASE}, is_wanted = false
        where id = ${id} and (holder is null or held_until < ${NOW})`,
      sql`update _undock.uploads set is_wanted = true where id = ${id} and holder <> ${holder}::uuid`,
    )
    if (taken?.rowCount === 1) return 'taken'
    return wanted?.rowCount === 1 ? 'busy' : 'missing'
  }

  /** @returns whether someone is waiting, or null if the lease is lost. */
  async renew({ id, holder }: Lease): Promise<boolean | null> {
    const [held] = await this.#run(sql`update _undock.uploads set held_until = ${NOW} + ${LEASE}
      where id = ${id} and holder = ${holder} returning is_wanted`)
    return rowOf<{ is_wanted: boolean }>(held)?.is_wanted ?? null
  }

  async release({ id, holder }: Lease): Promise<void> {
    await this.#run(sql`update _undock.uploads set holder = null where id = ${id} and holder = ${holder}`)
  }

  /** A folder belongs to one process, so earlier holders are gone. */
  async releaseAll(): Promise<void> {
    await this.#run(sql`update _undock.uploads set holder = null where holder is not null`)
  }

  async begin(lease: Lease, storeUpload: string): Promise<void> {
    await this.#change(lease, sql`update _undock.uploads set store_upload = ${storeUpload}`)
  }

  /** Returns an unused part number, so that what a process without its lease still sends never counts as a part. */
  async reservePart(lease: Lease): Promise<number> {
    const changed = await this.#change(
      lease,
      sql`update _undock.uploads set next_part = next_part + 1, held_until = ${NOW} + ${LEASE}`,
      sql`next_part - 1 as number`,
    )
    return rowOf<{ number: number }>(changed)?.number ?? 0
  }

  /** Records a stored part, which starts with the former tail. @param received Bytes in all parts. */
  async addPart(lease: Lease, { number, size, etag }: UploadPart, received: number): Promise<void> {
    const added = sql`with changed as (
        update _undock.uploads set received = ${received}::bigint, tail = null, tail_size = 0
        where id = ${lease.id} and holder = ${lease.holder} returning id
      )
      insert into _undock.upload_parts (upload_id, number, size, etag)
      select id, ${number}::int, ${size}::bigint, ${etag} from changed returning upload_id`
    const [found] = await this.#run(added)
    if (found?.rowCount !== 1) throw storageError('ResourceLocked')
  }

  async setTail(lease: Lease, tail: string, size: number, received: number): Promise<void> {
    await this.#change(
      lease,
      sql`update _undock.uploads set tail = ${tail}, tail_size = ${size}::bigint, received = ${received}::bigint`,
    )
  }

  async parts(id: string): Promise<UploadPart[]> {
    const [found] = await this.#run(
      sql`select number, size, etag from _undock.upload_parts where upload_id = ${id} order by number`,
    )
    const rows = rowsOf<{ number: number; size: string; etag: string }>(found)
    return rows.map(({ number, size, etag }) => ({ number, size: Number(size), etag }))
  }

  async #change({ id, holder }: Lease, update: Sql, answer: Sql = sql`id`): Promise<Result> {
    const [found] = await this.#run(sql`${update} where id = ${id} and holder = ${holder} returning ${answer}`)
    if (found?.rowCount !== 1) throw storageError('ResourceLocked')
    return found
  }

  async #run(...statements: readonly Sql[]): Promise<Result[]> {
    try {
      return await this.#db.run({ statements })
    } catch (error) {
      throw fromDatabase(error)
    }
  }
}
