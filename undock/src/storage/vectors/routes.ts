import type { z } from 'zod'
import type { StorageDeps } from '../deps.ts'
import { errorBody, storageError } from '../errors.ts'
import { type Call, json, NOT_KEPT, type Route, route } from '../http/router.ts'
import { readJson } from '../http/validation.ts'
import { createBucket, deleteBucket, getBucket, listBuckets } from './buckets.ts'
import { createIndex, deleteIndex, getIndex, listIndexes } from './indexes.ts'
import * as schemas from './schemas.ts'
import { deleteVectors, getVectors, listVectors, putVectors, queryVectors } from './vectors.ts'

/** Bytes: five hundred of the longest vectors. */
const MAX_BODY = 20 * 1024 * 1024

type Answer<T> = (body: T, db: StorageDeps['db'], config: StorageDeps['config']['vector']) => Promise<unknown>

/** `/vector/…`: vector buckets on pgvector, only for the service role. @see storage-api src/http/routes/vector */
export const vectorRoutes: readonly Route[] = [
  vectorRoute('CreateVectorBucket', 'bucket.create', schemas.BucketBody, createBucket),
  vectorRoute('DeleteVectorBucket', 'bucket.delete', schemas.BucketBody, deleteBucket),
  vectorRoute('GetVectorBucket', 'bucket.get', schemas.BucketBody, getBucket),
  vectorRoute('ListVectorBuckets', 'bucket.list', schemas.ListBucketsBody, listBuckets),
  vectorRoute('CreateIndex', 'index.create', schemas.CreateIndexBody, createIndex),
  vectorRoute('DeleteIndex', 'index.delete', schemas.IndexBody, deleteIndex),
  vectorRoute('GetIndex', 'index.get', schemas.IndexBody, getIndex),
  vectorRoute('ListIndexes', 'index.list', schemas.ListIndexesBody, listIndexes),
  vectorRoute('PutVectors', 'vectors.put', schemas.PutVectorsBody, putVectors),
  vectorRoute('GetVectors', 'vectors.get', schemas.GetVectorsBody, getVectors),
  vectorRoute('ListVectors', 'vectors.list', schemas.ListVectorsBody, listVectors),
  vectorRoute('QueryVectors', 'vectors.query', schemas.QueryVectorsBody, queryVectors),
  vectorRoute('DeleteVectors', 'vectors.delete', schemas.DeleteVectorsBody, deleteVectors),
]

function vectorRoute<T>(name: string, operation: string, schema: z.ZodType<T>, answer: Answer<T>): Route {
  const handle = async ({ request, deps }: Call): Promise<Response> => {
    const { vector } = deps.config
    if (!vector.enabled) {
      throw storageError('FeatureNotEnabled', {
        message: 'Vector buckets are off on this stack: set enabled = true in [storage.vector] of config.toml',
      })
    }
    const result = await answer(await readJson(request, schema, MAX_BODY, true), deps.db, vector)
    return result === undefined ? new Response(null) : json(result)
  }
  return {
    ...route('POST', `/vector/${name}`, 'service', `storage.vector.${operation}`, handle),
    // Unlike the rest of storage, vector buckets respond with the error's own status.
    refuse: (error) => json(errorBody(error), { status: error.status, headers: NOT_KEPT }),
  }
}
