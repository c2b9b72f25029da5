import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { checkBucketName, checkKey } from '../buckets/limits.ts'
import { asService, ownerOf, rowOf, runAs, type StorageCaller } from '../caller.ts'
import type { StorageDeps } from '../deps.ts'
import { storageError } from '../errors.ts'
import { checkHeaderValues } from '../http/header-values.ts'
import { findObject as findVisible } from './objects.ts'
import { findObject, lockObject, moveObject as moveRow, type ObjectRow } from './rows.ts'
import { commitObject, keyTaken } from './upload.ts'

export const MoveBody = z.object({
  bucketId: z.string(),
  sourceKey: z.string(),
  sourceVersionId: z.string().optional(),
  destinationBucket: z.string().optional(),
  destinationKey: z.string(),
})

export const CopyBody = MoveBody.extend({
  metadata: z.object({ cacheControl: z.string().optional(), mimetype: z.string().optional() }).optional(),
  copyMetadata: z.boolean().default(true),
})

export type CopyOptions = {
  readonly upsert: boolean
  readonly userMetadata: Record<string, unknown> | null
  readonly check?: (source: ObjectRow) => void
}

/** Copies an object if the caller may read the source and write the target. Shares the bytes on disk.
 *  @throws {StorageError} NoSuchKey, AccessDenied, KeyAlreadyExists */
export async function copyObject(
  {
    bucketId,
    sourceKey,
    destinationBucket = bucketId,
    destinationKey,
    metadata,
    copyMetadata,
  }: z.infer<typeof CopyBody>,
  { upsert, userMetadata, check }: CopyOptions,
  caller: StorageCaller,
  deps: StorageDeps,
): Promise<ObjectRow> {
  checkBucketName(bucketId)
  checkBucketName(destinationBucket)
  checkKey(destinationKey)
  const source = await findVisible(bucketId, sourceKey, caller, deps)
  if (source.version === null) throw storageError('NoSuchKey')
  check?.(source)

  const now = new Date(Math.floor(deps.clock.now().getTime() / 1000) * 1000).toISOString()
  const own = copyMetadata
    ? {}
    : Object.fromEntries(Object.entries(metadata ?? {}).filter(([, value]) => value !== undefined))
  const object = {
    bucket: destinationBucket,
    key: destinationKey,
    owner: ownerOf(caller),
    version: randomUUID(),
    metadata: { ...source.metadata, ...own, lastModified: now },
    userMetadata: copyMetadata ? source.user_metadata : userMetadata,
  }
  checkHeaderValues({ mimetype: metadata?.mimetype, cacheControl: metadata?.cacheControl })
  await deps.content.copy(
    { bucket: bucketId, version: source.version },
    { bucket: destinationBucket, version: object.version },
  )
  return commitObject(object, upsert, caller, deps)
}

/** Moves an object, also between buckets, if the caller may see it and update its row.
 *  @throws {StorageError} NoSuchKey, also if it was replaced or deleted in the meantime; AccessDenied, KeyAlreadyExists */
export async function moveObject(
  { bucketId, sourceKey, destinationBucket = bucketId, destinationKey }: z.infer<typeof MoveBody>,
  caller: StorageCaller,
  { db, content }: StorageDeps,
): Promise<ObjectRow> {
  checkBucketName(bucketId)
  checkBucketName(destinationBucket)
  checkKey(destinationKey)
  const version = randomUUID()
  const move = {
    fromBucket: bucketId,
    fromKey: sourceKey,
    toBucket: destinationBucket,
    toKey: destinationKey,
    version,
    owner: ownerOf(caller),
  }
  const statements = [findObject(bucketId, sourceKey), moveRow(move)]
  const [seen, allowed] = await runAs(db, caller, statements, 'rollback').catch((error) => {
    throw keyTaken(error)
  })
  const source = rowOf<ObjectRow>(seen)
  if (!source || allowed?.rowCount !== 1 || source.version === null) throw storageError('NoSuchKey')
  if (bucketId === destinationBucket && sourceKey === destinationKey) return source

  const from = { bucket: bucketId, version: source.version }
  const to = { bucket: destinationBucket, version }
  await content.copy(from, to)
  const commit = [lockObject(bucketId, sourceKey), moveRow(move, source.version)]
  const moved = await runAs(db, asService(caller), commit).catch(async (error) => {
    await content.remove([to])
    throw keyTaken(error)
  })
  const result = rowOf<ObjectRow>(moved[1])
  await content.remove([result ? from : to])
  if (!result) throw storageError('NoSuchKey')
  return result
}
