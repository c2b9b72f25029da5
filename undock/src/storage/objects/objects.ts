import { type BucketRow, findBucket } from '../buckets/rows.ts'
import { asService, rowOf, rowsOf, runAs, type StorageCaller } from '../caller.ts'
import type { StorageDeps } from '../deps.ts'
import { storageError } from '../errors.ts'
import type { ObjectRow } from './rows.ts'
import * as rows from './rows.ts'

/** The object as the caller may see it. @throws {StorageError} NoSuchKey, also for one that policies hide */
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

/** The object of a public bucket, whoever asks. @throws {StorageError} NoSuchBucket for a private one too */
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

/** The object for anyone if its bucket is public, else for those whom the policies let read it; without a credential
 *  a private bucket does not exist. @throws {StorageError} NoSuchBucket, NoSuchKey */
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

/** @throws {StorageError} NoSuchKey; AccessDenied when it is there and policies keep it. */
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

/** Deletes the objects that the policies allow, and returns them. */
export async function deleteObjects(
  bucket: string,
  keys: readonly string[],
  caller: StorageCaller,
  { db, content }: StorageDeps,
): Promise<ObjectRow[]> {
  const [found] = await runAs(db, caller, [rows.deleteObjects(bucket, keys)])
  const deleted = rowsOf<ObjectRow>(found)
  // After the commit: a file that is left by a kill here is removed at the next start.
  await content.remove(deleted.flatMap(({ version }) => (version === null ? [] : [{ bucket, version }])))
  return deleted
}

/** `GET /object/info`. */
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

/** A row as copy and remove answer it; owners that are null come as empty text. */
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
