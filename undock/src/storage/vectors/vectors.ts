import type { z } from 'zod'
import type { Db } from '../../database/db.ts'
import { empty, join, keyword, type Sql, sql } from '../../kernel/sql.ts'
import { type StorageError, storageError } from '../errors.ts'
import { filterToSql } from './filter.ts'
import { distanceOf, findIndex, type IndexRow, ordered, SETTINGS, tableOf } from './indexes.ts'
import type {
  DeleteVectorsBody,
  GetVectorsBody,
  ListVectorsBody,
  Metadata,
  NewVector,
  PutVectorsBody,
  QueryVectorsBody,
} from './schemas.ts'

// storage-api's limits on a vector's metadata.
const MAX_METADATA_KEYS = 50
const MAX_METADATA = 40 * 1024
const MAX_FILTERABLE_METADATA = 2048

type VectorRow = { key: string; embedding?: string; metadata?: Metadata; distance?: number }

/** Stores vectors, replacing those with the same keys, all or none.
 *  @throws {StorageError} NotFoundException, InvalidParameter */
export async function putVectors({ vectors, ...target }: z.infer<typeof PutVectorsBody>, db: Db): Promise<void> {
  const index = await findIndex(target, db)
  if (new Set(vectors.map(({ key }) => key)).size < vectors.length) {
    throw invalid('Request must not contain duplicate keys')
  }
  const nonFilterable = nonFilterableKeys(index)
  const rows = vectors.map((vector) => {
    checkMetadata(vector, nonFilterable)
    const embedding = literal(vector.data.float32, index, `record for key '${vector.key}'`)
    return { key: vector.key, embedding, metadata: vector.metadata ?? {} }
  })
  await db.run({
    settings: SETTINGS,
    statements: [
      sql`insert into ${tableOf(index)} (key, embedding, metadata)
        select key, embedding::vector, metadata
        from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as given (key text, embedding text, metadata jsonb)
        on conflict (key) do update set embedding = excluded.embedding, metadata = excluded.metadata`,
    ],
  })
}

/** @throws {StorageError} NotFoundException */
export async function getVectors(
  { keys, returnData, returnMetadata, ...target }: z.infer<typeof GetVectorsBody>,
  db: Db,
) {
  const index = await findIndex(target, db)
  const rows = await select(
    db,
    sql`select ${columns({ data: returnData, metadata: returnMetadata })} from ${tableOf(index)} where key = any(${keys}::text[])`,
  )
  return { vectors: rows.map(bodyOf) }
}

/** @throws {StorageError} NotFoundException */
export async function deleteVectors({ keys, ...target }: z.infer<typeof DeleteVectorsBody>, db: Db): Promise<void> {
  const index = await findIndex(target, db)
  await select(db, sql`delete from ${tableOf(index)} where key = any(${keys}::text[])`)
}

/** Lists vectors by key, in pages; segments divide them among parallel clients.
 *  @throws {StorageError} NotFoundException, InvalidParameter */
export async function listVectors(target: z.infer<typeof ListVectorsBody>, db: Db) {
  const { maxResults, nextToken, returnData, returnMetadata, segmentCount, segmentIndex } = target
  if ((segmentCount === undefined) !== (segmentIndex === undefined)) {
    throw invalid('segmentCount and segmentIndex must be provided together')
  }
  if (segmentCount !== undefined && segmentIndex !== undefined && segmentIndex >= segmentCount) {
    throw invalid('segmentIndex must be less than segmentCount')
  }
  const index = await findIndex(target, db)
  const segment =
    segmentCount === undefined
      ? empty
      : sql`and mod(abs(hashtext(key)::bigint), ${segmentCount}::bigint) = ${segmentIndex}::bigint`
  const rows = await select(
    db,
    sql`select ${columns({ data: returnData, metadata: returnMetadata })} from ${tableOf(index)}
      where key > ${nextToken ?? ''} ${segment} order by key limit ${maxResults + 1}::int`,
  )
  const page = rows.slice(0, maxResults)
  return { vectors: page.map(bodyOf), nextToken: rows.length > maxResults ? page.at(-1)?.key : undefined }
}

/** Returns the nearest vectors, nearest first. @throws {StorageError} NotFoundException, InvalidParameter */
export async function queryVectors(target: z.infer<typeof QueryVectorsBody>, db: Db) {
  const { topK, returnDistance, returnMetadata, queryVector } = target
  const index = await findIndex(target, db)
  const vector = sql`${literal(queryVector.float32, index, 'query vector')}::text`
  const where = target.filter === undefined ? empty : sql`where ${filterToSql(target.filter, nonFilterableKeys(index))}`
  const shown = [
    keyword('key'),
    ...(returnMetadata ? [keyword('metadata')] : []),
    ...(returnDistance ? [sql`embedding ${distanceOf(index)} ${vector}::vector as distance`] : []),
  ]
  const rows = await select(
    db,
    sql`select ${join(shown)} from ${tableOf(index)} ${where} order by ${ordered(index, vector)} limit ${topK}::int`,
    // The graph search continues until enough rows pass the filter.
    { 'hnsw.ef_search': String(Math.max(topK, 40)), 'hnsw.iterative_scan': 'strict_order' },
  )
  return { vectors: rows.map(bodyOf), distanceMetric: index.distance_metric }
}

async function select(db: Db, query: Sql, settings: Record<string, string> = {}): Promise<VectorRow[]> {
  const [result] = await db.run({ settings: { ...SETTINGS, ...settings }, statements: [query] })
  return (result?.rows ?? []) as VectorRow[]
}

const columns = ({ data, metadata }: { readonly data: boolean; readonly metadata: boolean }): Sql =>
  join([
    keyword('key'),
    ...(data ? [keyword('embedding::text as embedding')] : []),
    ...(metadata ? [keyword('metadata')] : []),
  ])

const bodyOf = ({ key, embedding, metadata, distance }: VectorRow) => ({
  key,
  data: embedding === undefined ? undefined : { float32: JSON.parse(embedding) as number[] },
  metadata,
  distance,
})

/** Encodes a vector for pgvector. @throws {StorageError} InvalidParameter if it doesn't fit the index */
function literal(values: readonly number[], { dimension, distance_metric }: IndexRow, what: string): string {
  if (values.length !== dimension) {
    throw invalid(`Invalid ${what}: vector must have length ${dimension}, but has length ${values.length}`)
  }
  if (values.some((value) => !Number.isFinite(Math.fround(value)))) {
    throw invalid(`Invalid ${what}: vector must hold finite 32-bit numbers only`)
  }
  // A zero vector has no angle to any other.
  if (distance_metric === 'cosine' && values.every((value) => Math.fround(value) === 0)) {
    throw invalid(`Invalid ${what}: cosine distance needs a vector that is not zero`)
  }
  return `[${values.join(',')}]`
}

function nonFilterableKeys({ metadata_configuration }: IndexRow): ReadonlySet<string> {
  return new Set(metadata_configuration?.nonFilterableMetadataKeys)
}

function checkMetadata({ key, metadata = {} }: NewVector, nonFilterable: ReadonlySet<string>): void {
  const size = (values: Metadata) => Buffer.byteLength(JSON.stringify(values))
  const fault = (text: string) => invalid(`Invalid record for key '${key}': ${text}`)
  if (Object.keys(metadata).length > MAX_METADATA_KEYS) {
    throw fault(`Metadata must have at most ${MAX_METADATA_KEYS} keys`)
  }
  if (size(metadata) > MAX_METADATA) throw fault(`Total metadata must have at most ${MAX_METADATA} bytes`)
  const filterable = Object.fromEntries(Object.entries(metadata).filter(([name]) => !nonFilterable.has(name)))
  if (size(filterable) > MAX_FILTERABLE_METADATA) {
    throw fault(`Filterable metadata must have at most ${MAX_FILTERABLE_METADATA} bytes`)
  }
}

const invalid = (message: string): StorageError => storageError('InvalidParameter', { message })
