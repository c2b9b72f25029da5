import { randomUUID } from 'node:crypto'
import type { z } from 'zod'
import type { Config } from '../../config/config.ts'
import type { Db, Transaction } from '../../database/db.ts'
import { queryRows } from '../../database/db.ts'
import { identifier, keyword, type Sql, sql } from '../../kernel/sql.ts'
import { storageError } from '../errors.ts'
import { lock, notFound, seconds } from './buckets.ts'
import type { CreateIndexBody, DistanceMetric, IndexBody, ListIndexesBody } from './schemas.ts'

export type IndexRow = {
  id: string
  name: string
  bucket_id: string
  data_type: string
  dimension: number
  distance_metric: DistanceMetric
  metadata_configuration: { nonFilterableMetadataKeys?: string[] } | null
  created_at: Date
}

const COLUMNS = keyword(
  'id, name, bucket_id, data_type, dimension, distance_metric, metadata_configuration, created_at',
)

/** Projects usually create pgvector's types in these schemas. */
export const SETTINGS = { search_path: 'extensions, public' }

/** pgvector indexes single precision up to 2,000 dimensions, half precision up to 4,000; longer vectors are scanned. */
const MAX_INDEXED = 2000
const MAX_INDEXED_HALF = 4000

type Operators = { readonly distance: string; readonly full: string; readonly half: string }

const OPERATORS: Readonly<Record<DistanceMetric, Operators>> = {
  cosine: { distance: '<=>', full: 'vector_cosine_ops', half: 'halfvec_cosine_ops' },
  euclidean: { distance: '<->', full: 'vector_l2_ops', half: 'halfvec_l2_ops' },
  dotproduct: { distance: '<#>', full: 'vector_ip_ops', half: 'halfvec_ip_ops' },
}

/** Returns the table of an index's vectors, named after the row's generated id. */
export const tableOf = ({ id }: Pick<IndexRow, 'id'>): Sql => identifier('storage_vectors', `vector_${id}`)

export const distanceOf = ({ distance_metric }: IndexRow): Sql => keyword(OPERATORS[distance_metric].distance)

/** The ordering expression must match the index's. */
export function ordered(index: IndexRow, vector: Sql): Sql {
  const { dimension } = index
  if (dimension <= MAX_INDEXED || dimension > MAX_INDEXED_HALF) {
    return sql`embedding ${distanceOf(index)} ${vector}::vector`
  }
  const half = keyword(`halfvec(${dimension})`)
  return sql`embedding::${half} ${distanceOf(index)} ${vector}::${half}`
}

/** Creates an index: a table for its vectors, and pgvector's graph over them.
 *  @throws {StorageError} NotFoundException, ConflictException, S3VectorMaxIndexesExceeded */
export async function createIndex(
  body: z.infer<typeof CreateIndexBody>,
  db: Db,
  { max_indexes: most }: Config['storage']['vector'],
): Promise<void> {
  const { vectorBucketName: bucket, indexName: name, dimension, distanceMetric } = body
  const id = randomUUID()
  await db.transaction({ settings: SETTINGS }, async (tx) => {
    const run = (query: Sql) => tx.query(query)
    await run(lock(bucket))
    const [state] = await queryRows<{ bucket: boolean; taken: boolean; count: number }>(tx)`select exists (select
      from storage.buckets_vectors where id = ${bucket}) as bucket,
      exists (select from storage.vector_indexes where bucket_id = ${bucket} and name = ${name}) as taken,
      (select count(*) from storage.vector_indexes where bucket_id = ${bucket})::int as count`
    if (!state?.bucket) throw notFound(bucket)
    if (state.taken) throw storageError('ConflictException', { message: `vector index "${name}" already exists` })
    if (state.count >= most) {
      throw storageError('S3VectorMaxIndexesExceeded', {
        message: `Maximum number of indexes exceeded. Max allowed is ${most}. Set [storage.vector] max_indexes to raise it.`,
      })
    }
    await run(sql`insert into storage.vector_indexes
        (id, bucket_id, name, data_type, dimension, distance_metric, metadata_configuration)
      values (${id}, ${bucket}, ${name}, ${body.dataType}, ${dimension}, ${distanceMetric}, ${body.metadataConfiguration ?? null})`)
    await createTable({ id, dimension, distance_metric: distanceMetric }, tx)
  })
}

async function createTable(
  index: Pick<IndexRow, 'id' | 'dimension' | 'distance_metric'>,
  tx: Transaction,
): Promise<void> {
  const { dimension, distance_metric } = index
  const { full, half } = OPERATORS[distance_metric]
  const run = (query: Sql) => tx.query(query)
  await run(sql`create extension if not exists vector with schema extensions`)
  await run(sql`create schema if not exists storage_vectors`)
  // A type's length can't be a parameter; it's a validated number.
  await run(sql`create table ${tableOf(index)} (
    key text collate "C" primary key, embedding ${keyword(`vector(${dimension})`)} not null, metadata jsonb not null)`)
  if (dimension > MAX_INDEXED_HALF) return
  const by =
    dimension <= MAX_INDEXED ? keyword(`embedding ${full}`) : keyword(`(embedding::halfvec(${dimension})) ${half}`)
  await run(sql`create index on ${tableOf(index)} using hnsw (${by})`)
}

/** @throws {StorageError} NotFoundException */
export async function findIndex({ vectorBucketName, indexName }: z.infer<typeof IndexBody>, db: Db): Promise<IndexRow> {
  const [index] = await queryRows<IndexRow>(db)`select ${COLUMNS} from storage.vector_indexes
    where bucket_id = ${vectorBucketName} and name = ${indexName}`
  if (!index) throw notFound(indexName)
  return index
}

export async function getIndex(target: z.infer<typeof IndexBody>, db: Db) {
  const index = await findIndex(target, db)
  return {
    index: {
      indexName: index.name,
      vectorBucketName: index.bucket_id,
      dataType: index.data_type,
      dimension: index.dimension,
      distanceMetric: index.distance_metric,
      metadataConfiguration: index.metadata_configuration ?? undefined,
      creationTime: seconds(index.created_at),
    },
  }
}

/** @throws {StorageError} NotFoundException */
export async function listIndexes(
  { vectorBucketName: bucket, maxResults, nextToken, prefix }: z.infer<typeof ListIndexesBody>,
  db: Db,
) {
  const limit = Math.floor(maxResults)
  const [buckets, indexes] = await db.run({
    statements: [
      sql`select from storage.buckets_vectors where id = ${bucket}`,
      sql`select name, created_at from storage.vector_indexes
        where bucket_id = ${bucket} and starts_with(name, ${prefix ?? ''}) and name > ${nextToken ?? ''}
        order by name limit ${limit + 1}::int`,
    ],
  })
  if (buckets?.rowCount === 0) throw notFound(bucket)
  const rows = (indexes?.rows ?? []) as Pick<IndexRow, 'name' | 'created_at'>[]
  const page = rows.slice(0, limit)
  return {
    indexes: page.map(({ name, created_at }) => ({
      indexName: name,
      vectorBucketName: bucket,
      creationTime: seconds(created_at),
    })),
    nextToken: rows.length > limit ? page.at(-1)?.name : undefined,
  }
}

/** Deletes an index with its vectors. @throws {StorageError} NotFoundException */
export async function deleteIndex(target: z.infer<typeof IndexBody>, db: Db): Promise<void> {
  const index = await findIndex(target, db)
  await db.run({
    statements: [
      lock(index.bucket_id),
      sql`delete from storage.vector_indexes where id = ${index.id}`,
      sql`drop table if exists ${tableOf(index)}`,
    ],
  })
}
