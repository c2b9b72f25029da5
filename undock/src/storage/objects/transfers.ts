import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { checkBucketName, checkKey } from '../buckets/limits.ts'
import { asService, ownerOf, rowOf, runAs, type StorageCaller } from '../caller.ts'
import type { StorageDeps } from '../deps.ts'
import { storageError } from '../errors.ts'
import { checkHeaderValues } from '../http/header-values.ts'
import { findObject as findVisible } from './objects.ts'
import { findObject, findObjectForUpdate, lockObject, moveObject as moveRow, type ObjectRow } from './rows.ts'
import { checkUpload, commitObject, keyTaken, targetOf } from './upload.ts'

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
  const target = targetOf({ bucket: destinationBucket, key: destinationKey, upsert }, caller)
  checkHeaderValues({ mimetype: metadata?.mimetype, cacheControl: metadata?.cacheControl })
  await checkUpload({ target, metadata: object.metadata, userMetadata: object.userMetadata }, caller, deps)
  await deps.content.copy(
    { bucket: bucketId, version: source.version },
    { bucket: destinationBucket, version: object.version },
  )
  return commitObject(object, upsert, caller, deps)
}

/** Moves an object, also between buckets, if the caller may see it and update its row.
 *  @throws {StorageError} NoSuchKey, AccessDenied, KeyAlreadyExists */
export async function moveObject(
  { bucketId, sourceKey, destinationBucket = bucketId, destinationKey }: z.infer<typeof MoveBody>,
  caller: StorageCaller,
  { db, content }: StorageDeps,
): Promise<ObjectRow> {
  checkBucketName(bucketId)
  checkBucketName(destinationBucket)
  checkKey(destinationKey)
  const version = randomUUID()
  const move = moveRow({
    fromBucket: bucketId,
    fromKey: sourceKey,
    toBucket: destinationBucket,
    toKey: destinationKey,
    version,
    owner: ownerOf(caller),
  })
  const [seen, allowed] = await runAs(db, caller, [findObject(bucketId, sourceKey), move], 'rollback').catch(
    (error) => {
      throw keyTaken(error)
    },
  )
  const source = rowOf<ObjectRow>(seen)
  if (!source || allowed?.rowCount !== 1 || source.version === null) throw storageError('NoSuchKey')
  if (bucketId === destinationBucket && sourceKey === destinationKey) return source

  const from = { bucket: bucketId, version: source.version }
  const to = { bucket: destinationBucket, version }
  await content.copy(from, to)
  const [, current, moved] = await runAs(db, asService(caller), [
    lockObject(bucketId, sourceKey),
    findObjectForUpdate(bucketId, sourceKey),
    move,
  ]).catch(async (error) => {
    await content.remove([to])
    throw keyTaken(error)
  })
  const replaced = rowOf<ObjectRow>(current)
  const result = rowOf<ObjectRow>(moved)
  if (!replaced || !result || replaced.version !== source.version) {
    // The object was replaced or deleted between the queries: the copied content isn't the moved row's.
    if (replaced?.version && result) await content.copy({ bucket: bucketId, version: replaced.version }, to)
    else await content.remove([to])
  }
  if (!result) throw storageError('NoSuchKey')
  await content.remove([{ bucket: bucketId, version: replaced?.version ?? source.version }])
  return result
}
