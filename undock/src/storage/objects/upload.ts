import { randomUUID } from 'node:crypto'
import type { Db } from '../../database/db.ts'
import { bucketOf } from '../buckets/buckets.ts'
import { checkKey, checkMimeType, isEmptyFolder, sizeLimit } from '../buckets/limits.ts'
import type { BucketRow } from '../buckets/rows.ts'
import { asService, checkAs, ownerOf, rowOf, runAs, type StorageCaller } from '../caller.ts'
import type { StorageDeps } from '../deps.ts'
import { StorageError, storageError } from '../errors.ts'
import type { Written } from '../files/contents.ts'
import { checkHeaderValues } from '../http/header-values.ts'
import {
  findObject,
  findObjectForUpdate,
  insertObject,
  insertObjectReturning,
  lockObject,
  type NewObject,
  type ObjectMetadata,
  type ObjectRow,
  replaceObject,
  upsertObject,
} from './rows.ts'
import { readUpload, type UploadSource } from './upload-source.ts'

export type UploadTarget = {
  readonly bucket: string
  readonly key: string
  readonly upsert: boolean
  readonly owner: string | null
}

/** Stores a request's body or form as an object. First the row operation runs as the caller and is rolled back, so that
 *  policies decide before a large content is read; then it is written next to the current one; then the row is
 *  switched. If the process dies, either the old or the new object exists completely.
 *  @throws {StorageError} */
export async function uploadObject(
  request: Request,
  target: UploadTarget,
  caller: StorageCaller,
  deps: StorageDeps,
): Promise<ObjectRow> {
  const bucket = await bucketOf(target.bucket, caller, deps)
  const limit = sizeLimit(bucket, target.key, deps)
  return storeObject({ source: await readUpload(request, limit), target, bucket }, caller, deps)
}

/** Whether an existing object may be replaced: never, always, or only in a certain version. */
export type Replace = boolean | { readonly version: string }

/** Bytes of a content for which policies decide only once it has arrived. */
const SMALL = 65_536

/** Stores a source's content, for any protocol. @throws {StorageError} */
export async function storeObject(
  {
    source,
    target,
    bucket,
    replace = target.upsert,
  }: {
    readonly source: UploadSource
    readonly target: UploadTarget
    readonly bucket: BucketRow
    readonly replace?: Replace
  },
  caller: StorageCaller,
  deps: StorageDeps,
): Promise<ObjectRow> {
  const limit = sizeLimit(bucket, target.key, deps)
  if (!isEmptyFolder(target.key)) checkMimeType(source.mimeType, bucket.allowed_mime_types)
  checkKey(target.key)
  checkHeaderValues({ contentType: source.mimeType, cacheControl: source.cacheControl })
  const checked = { ...target, metadata: sizeAndType(source), userMetadata: source.userMetadata }
  if ((source.declaredLength ?? Infinity) > SMALL) await checkUpload(checked, target.upsert, caller, deps)

  const version = randomUUID()
  const location = { bucket: target.bucket, version }
  const written = await deps.content.write(location, source.body, limit, source.declaredLength)
  if (source.contentLength !== undefined && source.contentLength !== written.size) {
    await deps.content.remove([location])
    throw storageError('InvalidRequest', { message: 'The upload ended before its content was complete' })
  }
  const metadata = metadataOf(written, source)
  const object = { ...target, version, metadata, userMetadata: source.userMetadata ?? {} }
  return commitObject(object, replace, caller, deps)
}

/** Checks in the database whether the caller may store this, without storing it.
 *  @throws {StorageError} AccessDenied, KeyAlreadyExists, … */
export async function checkUpload(
  object: Omit<NewObject, 'version'>,
  upsert: boolean,
  caller: StorageCaller,
  { db }: StorageDeps,
): Promise<void> {
  const checked: NewObject = { ...object, version: '1' }
  try {
    await checkAs(db, caller, upsert ? upsertObject(checked) : insertObject(checked))
  } catch (error) {
    throw keyTaken(error)
  }
}

/** Points the row at a stored content and removes the previous one; if the database refuses, removes the new one.
 *  Policies decide again, because rights and objects may have changed while the content arrived.
 *  @throws {StorageError} KeyAlreadyExists, NoSuchKey if the version to replace is gone, … */
export async function commitObject(
  object: NewObject,
  replace: Replace,
  caller: StorageCaller,
  deps: StorageDeps,
): Promise<ObjectRow> {
  const { db, content } = deps
  const { bucket, key, version } = object
  try {
    await checkUpload(object, replace !== false, caller, deps)
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
    // After other failures the row may have been committed; the repair finds out. Another process may also have stored
    // the same upload's content, which is then refused here.
    const isRefused = error instanceof StorageError && error.status < 500
    if (isRefused && !(await isStored(object, caller, db))) await content.remove([{ bucket, version }])
    throw keyTaken(error)
  }
}

export async function isStored(
  { bucket, key, version }: Pick<NewObject, 'bucket' | 'key' | 'version'>,
  caller: StorageCaller,
  db: Db,
): Promise<boolean> {
  const [found] = await runAs(db, asService(caller), [findObject(bucket, key)])
  return rowOf<ObjectRow>(found)?.version === version
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
  // Whole seconds, like the header made from it.
  lastModified: new Date(Math.floor(modified.getTime() / 1000) * 1000).toISOString(),
  contentLength: size,
  httpStatusCode: 200,
  ...(source.robotsTag !== undefined && { xRobotsTag: source.robotsTag }),
})

/** A row of the same name exists; on other tables the code keeps its meaning. */
export function keyTaken(error: unknown): unknown {
  return error instanceof StorageError && error.code === 'ResourceAlreadyExists'
    ? storageError('KeyAlreadyExists', { cause: error })
    : error
}

/** The metadata that policies see before the content is stored. */
const sizeAndType = ({ mimeType, declaredLength }: UploadSource) => ({
  mimetype: mimeType,
  ...(declaredLength !== undefined && { contentLength: declaredLength }),
})

export const targetOf = (
  { bucket, key, upsert }: { readonly bucket: string; readonly key: string; readonly upsert: boolean },
  caller: StorageCaller,
): UploadTarget => ({
  bucket,
  key,
  upsert,
  owner: ownerOf(caller),
})
