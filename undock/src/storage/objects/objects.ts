import { type BucketRow, findBucket } from '../buckets/rows.ts'
import { asService, rowOf, rowsOf, runAs, type StorageCaller } from '../caller.ts'
import type { StorageDeps } from '../deps.ts'
import { storageError } from '../errors.ts'
import type { ObjectRow } from './rows.ts'
import * as rows from './rows.ts'

/** Returns the object if the caller may see it. @throws {StorageError} NoSuchKey, also if policies hide it */
export async function findObject(
  bucket: string,
  key: string,
  caller: StorageCaller,
  { db }: StorageDeps,
): Promise<ObjectRow> {
  const [found] = await runAs(db, caller, [rows.findObject(bucket, key)])
  const row = rowOf<ObjectRow>(found)
  if (!row) throw storageError('NoSuchKey')
  return row
}

/** Returns an object of a public bucket. @throws {StorageError} NoSuchBucket, also for a private one */
export async function findPublicObject(
  bucket: string,
  key: string,
  caller: StorageCaller,
  { db }: StorageDeps,
): Promise<ObjectRow> {
  const [buckets, objects] = await runAs(db, asService(caller), [findBucket(bucket), rows.findObject(bucket, key)])
  if (!rowOf<BucketRow>(buckets)?.public) throw storageError('NoSuchBucket')
  const row = rowOf<ObjectRow>(objects)
  if (!row) throw storageError('NoSuchKey')
  return row
}

/** Returns an object if its bucket is public or policies let the caller read it; without a credential a private bucket
 *  doesn't exist. @throws {StorageError} NoSuchBucket, NoSuchKey */
export async function findReadableObject(
  bucket: string,
  key: string,
  caller: StorageCaller,
  deps: StorageDeps,
): Promise<ObjectRow> {
  const [found] = await runAs(deps.db, asService(caller), [findBucket(bucket)])
  const row = rowOf<BucketRow>(found)
  if (!row || (!caller.authenticated && !row.public)) throw storageError('NoSuchBucket')
  return findObject(bucket, key, row.public ? asService(caller) : caller, deps)
}

/** @throws {StorageError} NoSuchKey; AccessDenied if policies protect it. */
export async function deleteObject(
  bucket: string,
  key: string,
  caller: StorageCaller,
  deps: StorageDeps,
): Promise<void> {
  await findObject(bucket, key, asService(caller), deps)
  const [deleted] = await deleteObjects(bucket, [key], caller, deps)
  if (!deleted) throw storageError('AccessDenied')
}

/** Deletes the objects that policies allow, and returns them. */
export async function deleteObjects(
  bucket: string,
  keys: readonly string[],
  caller: StorageCaller,
  { db, content }: StorageDeps,
): Promise<ObjectRow[]> {
  const [found] = await runAs(db, caller, [rows.deleteObjects(bucket, keys)])
  const deleted = rowsOf<ObjectRow>(found)
  // After the commit: if killed here, the next start removes the files.
  await content.remove(deleted.flatMap(({ version }) => (version === null ? [] : [{ bucket, version }])))
  return deleted
}

export const objectInfo = ({ metadata, ...row }: ObjectRow) => ({
  id: row.id,
  name: row.name,
  version: row.version,
  bucket_id: row.bucket_id,
  size: metadata?.size ?? null,
  content_type: metadata?.mimetype ?? null,
  cache_control: metadata?.cacheControl ?? null,
  etag: metadata?.eTag ?? null,
  metadata: row.user_metadata,
  last_modified: row.updated_at,
  created_at: row.created_at,
})

/** Returns a row as in copy's and remove's responses; null owners become empty text. */
export const objectBody = (row: ObjectRow) => ({
  name: row.name,
  bucket_id: row.bucket_id,
  owner: row.owner ?? '',
  owner_id: row.owner_id ?? '',
  version: row.version ?? '',
  id: row.id,
  updated_at: row.updated_at,
  created_at: row.created_at,
  last_accessed_at: row.last_accessed_at,
  metadata: row.metadata,
  user_metadata: row.user_metadata,
})
