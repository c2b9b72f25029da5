import { randomUUID } from 'node:crypto'
import { type BucketRow, findBucket } from './bucket-rows.ts'
import { asService, type Caller, checkAs, ownerOf, rowOf, runAs } from './caller.ts'
import type { Written } from './content.ts'
import type { StorageDeps } from './deps.ts'
import { StorageError, storageError } from './errors.ts'
import { checkKey, checkMimeType, isEmptyFolder } from './limits.ts'
import {
  findObjectForUpdate,
  insertObject,
  insertObjectReturning,
  lockObject,
  type NewObject,
  type ObjectMetadata,
  type ObjectRow,
  replaceObject,
  upsertObject,
} from './object-rows.ts'
import { readUpload, type UploadSource } from './upload-source.ts'

export type UploadTarget = {
  readonly bucket: string
  readonly key: string
  readonly upsert: boolean
  readonly owner: string | null
}

/** Stores a request's body or form as an object.
 *
 *  First the row operation is tried as the caller and taken back (so policies decide before a byte is read), then the
 *  content is written beside the live one, then the row moves over to it: whatever moment the process dies at, the
 *  old object or the new one is there, whole.
 *  @throws {StorageError} */
export async function uploadObject(
  request: Request,
  target: UploadTarget,
  caller: Caller,
  deps: StorageDeps,
): Promise<ObjectRow> {
  const bucket = await bucketOf(target.bucket, caller, deps)
  const limit = sizeLimit(bucket, target.key, deps)
  return storeObject(await readUpload(request, limit), target, bucket, caller, deps)
}

/** Whether an object that is there may be replaced: never, always, or only while it is a certain version. */
export type Replace = boolean | { readonly version: string }

/** Stores what a source brings, whatever protocol it came by.
 *  @throws {StorageError} */
export async function storeObject(
  source: UploadSource,
  target: UploadTarget,
  bucket: BucketRow,
  caller: Caller,
  deps: StorageDeps,
  replace: Replace = target.upsert,
): Promise<ObjectRow> {
  const limit = sizeLimit(bucket, target.key, deps)
  if (!isEmptyFolder(target.key)) checkMimeType(source.mimeType, bucket.allowed_mime_types)
  checkKey(target.key)
  await checkUpload(target, sizeAndType(source), source.userMetadata, caller, deps)

  const version = randomUUID()
  const location = { bucket: target.bucket, version }
  const written = await deps.content.write(location, source.body, limit)
  if (source.contentLength !== undefined && source.contentLength !== written.size) {
    await deps.content.remove([location])
    throw storageError('InvalidRequest', { message: 'The upload ended before its content was complete' })
  }
  const metadata = metadataOf(written, source)
  const object = { ...target, version, metadata, userMetadata: source.userMetadata ?? {} }
  return commitObject(object, replace, caller, deps)
}

/** @throws {StorageError} NoSuchBucket */
export async function bucketOf(id: string, caller: Caller, { db }: StorageDeps): Promise<BucketRow> {
  const [found] = await runAs(db, asService(caller), [findBucket(id)])
  const bucket = rowOf<BucketRow>(found)
  if (!bucket) throw storageError('NoSuchBucket')
  return bucket
}

/** The most bytes that an object may have: the storage's limit or the bucket's, whichever is less. */
export function sizeLimit(bucket: BucketRow, key: string, { config }: StorageDeps): number {
  if (isEmptyFolder(key)) return 0
  const own = bucket.file_size_limit === null ? 0 : Number(bucket.file_size_limit)
  return own > 0 ? Math.min(own, config.file_size_limit) : config.file_size_limit
}

/** Asks the database whether the caller may store this, without storing it.
 *  @throws {StorageError} AccessDenied, KeyAlreadyExists, … */
export async function checkUpload(
  { bucket, key, upsert, owner }: UploadTarget,
  metadata: Readonly<Record<string, unknown>>,
  userMetadata: Readonly<Record<string, unknown>> | null,
  caller: Caller,
  { db }: StorageDeps,
): Promise<void> {
  const object: NewObject = { bucket, key, owner, version: '1', metadata, userMetadata }
  try {
    await checkAs(db, caller, upsert ? upsertObject(object) : insertObject(object))
  } catch (error) {
    throw keyTaken(error)
  }
}

/** Points the row at a content that is already on disk and removes the one it pointed at. When the database refuses,
 *  the new content goes and the old one stays.
 *  @param replace Also for an object that came in the meantime: who may only insert must not replace it.
 *  @throws {StorageError} KeyAlreadyExists, NoSuchKey when the version to replace is gone, … */
export async function commitObject(
  object: NewObject,
  replace: Replace,
  caller: Caller,
  { db, content }: StorageDeps,
): Promise<ObjectRow> {
  const { bucket, key, version } = object
  try {
    const [, previous, stored] = await runAs(db, asService(caller), [
      lockObject(bucket, key),
      findObjectForUpdate(bucket, key),
      writeRow(object, replace),
    ])
    const row = rowOf<ObjectRow>(stored)
    if (!row) throw storageError('NoSuchKey')
    const old = rowOf<ObjectRow>(previous)
    if (old?.version && old.version !== version) await content.remove([{ bucket, version: old.version }])
    return row
  } catch (error) {
    // After any other failure the row may or may not have been committed: the sweep at start will know.
    if (error instanceof StorageError && error.status < 500) await content.remove([{ bucket, version }])
    throw keyTaken(error)
  }
}

function writeRow(object: NewObject, replace: Replace) {
  if (typeof replace === 'object') return replaceObject(object, replace.version)
  return replace ? upsertObject(object) : insertObjectReturning(object)
}

export const metadataOf = (
  { size, etag, modified }: Written,
  source: Pick<UploadSource, 'mimeType' | 'cacheControl' | 'robotsTag'>,
): ObjectMetadata => ({
  eTag: etag,
  size,
  mimetype: source.mimeType,
  cacheControl: source.cacheControl,
  // Whole seconds, as the header that is made of it.
  lastModified: new Date(Math.floor(modified.getTime() / 1000) * 1000).toISOString(),
  contentLength: size,
  httpStatusCode: 200,
  ...(source.robotsTag !== undefined && { xRobotsTag: source.robotsTag }),
})

/** An insert that meets a row of the same name; the same code on any other table stays what it is. */
export function keyTaken(error: unknown): unknown {
  return error instanceof StorageError && error.code === 'ResourceAlreadyExists'
    ? storageError('KeyAlreadyExists', { cause: error })
    : error
}

/** What a policy can know of a content before it is there. */
const sizeAndType = ({ mimeType, declaredLength }: UploadSource) => ({
  mimetype: mimeType,
  ...(declaredLength !== undefined && { contentLength: declaredLength }),
})

export const targetOf = (bucket: string, key: string, upsert: boolean, caller: Caller): UploadTarget => ({
  bucket,
  key,
  upsert,
  owner: ownerOf(caller),
})
