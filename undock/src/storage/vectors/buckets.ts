import type { z } from 'zod'
import type { Config } from '../../config/config.ts'
import type { Db } from '../../database/db.ts'
import { execute, queryRows } from '../../database/db.ts'
import { type Sql, sql } from '../../kernel/sql.ts'
import { rowOf } from '../caller.ts'
import { storageError } from '../errors.ts'
import type { BucketBody, ListBucketsBody } from './schemas.ts'

type BucketRow = { id: string; created_at: Date }

export const notFound = (resource: string) =>
  storageError('NotFoundException', { message: `resource "${resource}" not found` })

export const seconds = (time: Date): number => Math.floor(time.getTime() / 1000)

/** Held while buckets are counted and created, so that two requests can't both take the last place. */
export const lock = (name: string): Sql =>
  sql`select pg_advisory_xact_lock(hashtextextended(${`storage.vectors/${name}`}, 0))`

/** @throws {StorageError} ConflictException, S3VectorMaxBucketsExceeded */
export async function createBucket(
  { vectorBucketName: id }: z.infer<typeof BucketBody>,
  db: Db,
  { max_buckets: most }: Config['storage']['vector'],
): Promise<void> {
  const [, counted] = await db.run({
    statements: [
      lock('buckets'),
      sql`select (select count(*) from storage.buckets_vectors)::int as count,
        exists (select from storage.buckets_vectors where id = ${id}) as taken`,
      sql`insert into storage.buckets_vectors (id) select ${id}
        where (select count(*) from storage.buckets_vectors) < ${most}::int on conflict do nothing`,
    ],
  })
  const state = rowOf<{ count: number; taken: boolean }>(counted)
  if (state?.taken) throw storageError('ConflictException', { message: `vector bucket "${id}" already exists` })
  if (state && state.count >= most) {
    throw storageError('S3VectorMaxBucketsExceeded', {
      message: `Maximum number of buckets exceeded. Max allowed is ${most}. Set [storage.vector] max_buckets to raise it.`,
    })
  }
}

/** @throws {StorageError} NotFoundException, VectorBucketNotEmpty */
export async function deleteBucket({ vectorBucketName: id }: z.infer<typeof BucketBody>, db: Db): Promise<void> {
  const [, occupied, deleted] = await db.run({
    statements: [
      lock(id),
      sql`select from storage.vector_indexes where bucket_id = ${id} limit 1`,
      sql`delete from storage.buckets_vectors where id = ${id}
        and not exists (select from storage.vector_indexes where bucket_id = ${id})`,
    ],
  })
  if (occupied?.rowCount) throw storageError('VectorBucketNotEmpty', { message: `Vector Bucket "${id}" not empty` })
  if (deleted?.rowCount === 0) throw notFound(id)
}

/** @throws {StorageError} NotFoundException */
export async function getBucket({ vectorBucketName: id }: z.infer<typeof BucketBody>, db: Db) {
  const [bucket] = await queryRows<BucketRow>(db)`select id, created_at from storage.buckets_vectors where id = ${id}`
  if (!bucket) throw notFound(id)
  return { vectorBucket: bodyOf(bucket) }
}

export async function listBuckets({ maxResults, nextToken, prefix }: z.infer<typeof ListBucketsBody>, db: Db) {
  const limit = Math.floor(maxResults)
  const rows = await queryRows<BucketRow>(db)`select id, created_at from storage.buckets_vectors
    where starts_with(id, ${prefix ?? ''}) and (${nextToken ?? null}::text is null or id > ${nextToken ?? ''})
    order by id limit ${limit + 1}::int`
  const page = rows.slice(0, limit)
  return { vectorBuckets: page.map(bodyOf), nextToken: rows.length > limit ? page.at(-1)?.id : undefined }
}

const bodyOf = ({ id, created_at }: BucketRow) => ({ vectorBucketName: id, creationTime: seconds(created_at) })

/** Creates the buckets of `[storage.vector.buckets]`. */
export async function applyConfiguredVectorBuckets({ enabled, buckets }: Config['storage']['vector'], db: Db) {
  const names = Object.keys(buckets)
  if (!enabled || names.length === 0) return
  await execute(db)`insert into storage.buckets_vectors (id) select unnest(${names}::text[]) on conflict do nothing`
}
