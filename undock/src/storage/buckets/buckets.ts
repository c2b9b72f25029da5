import { z } from 'zod'
import type { Config } from '../../config/config.ts'
import { asService, ownerOf, rowOf, rowsOf, runAs, type StorageCaller } from '../caller.ts'
import type { StorageDeps } from '../deps.ts'
import { StorageError, storageError } from '../errors.ts'
import { wholeNumber } from '../http/validation.ts'
import { checkVersioningStatus, deleteAllObjects, VersioningStatus } from '../objects/rows.ts'
import { checkAllowedMimeTypes, checkBucketName, parseFileSize } from './limits.ts'
import type { BucketRow } from './rows.ts'
import * as rows from './rows.ts'

const SizeLimit = z.union([wholeNumber(0), z.string(), z.null()]).optional()
const MimeTypes = z.array(z.string()).nullish()

export const CreateBucketBody = z.object({
  name: z.string(),
  id: z.string().optional(),
  public: z.boolean().optional(),
  type: z.enum(['STANDARD', 'ANALYTICS']).optional(),
  file_size_limit: SizeLimit,
  allowed_mime_types: MimeTypes,
  versioning_status: VersioningStatus,
})

export const UpdateBucketBody = z.object({
  public: z.boolean().optional(),
  file_size_limit: SizeLimit,
  allowed_mime_types: MimeTypes,
  versioning_status: VersioningStatus,
})

export const BucketQuery = z.object({
  limit: wholeNumber(1).optional(),
  offset: wholeNumber(0).optional(),
  sortColumn: z.enum(['id', 'name', 'created_at', 'updated_at']).optional(),
  sortOrder: z.enum(['asc', 'desc']).optional(),
  search: z.string().optional(),
})

/** @throws {StorageError} InvalidBucketName, BucketAlreadyExists, AccessDenied, FeatureNotEnabled */
export async function createBucket(
  body: z.infer<typeof CreateBucketBody>,
  caller: StorageCaller,
  { db, config }: StorageDeps,
): Promise<{ name: string }> {
  if (body.type === 'ANALYTICS') {
    throw storageError('FeatureNotEnabled', { message: 'Analytics buckets (Iceberg) are not available on this stack' })
  }
  checkVersioningStatus(body.versioning_status)
  const { name } = body
  if (name.trim() !== name) throw storageError('InvalidBucketName')
  checkBucketName(name)
  const bucket = {
    id: body.id || name,
    name,
    public: body.public ?? false,
    owner: ownerOf(caller),
    fileSizeLimit: sizeLimitOf(body.file_size_limit, config.file_size_limit) ?? null,
    allowedMimeTypes: mimeTypesOf(body.allowed_mime_types) ?? null,
  }
  checkBucketName(bucket.id)
  try {
    await runAs(db, caller, [rows.insertBucket(bucket)])
  } catch (error) {
    throw error instanceof StorageError && error.code === 'ResourceAlreadyExists'
      ? storageError('BucketAlreadyExists', { cause: error })
      : error
  }
  return { name }
}

/** @throws {StorageError} NoSuchBucket, also if policies hide it */
export async function getBucket(id: string, caller: StorageCaller, { db }: StorageDeps): Promise<BucketRow> {
  const [found] = await runAs(db, caller, [rows.findBucket(id)])
  const bucket = rowOf<BucketRow>(found)
  if (!bucket) throw storageError('NoSuchBucket')
  return bucket
}

/** Returns a bucket even if policies hide it from the caller. @throws {StorageError} NoSuchBucket */
export const bucketOf = (id: string, caller: StorageCaller, deps: StorageDeps): Promise<BucketRow> =>
  getBucket(id, asService(caller), deps)

export async function listBuckets(
  page: rows.BucketPage,
  caller: StorageCaller,
  { db }: StorageDeps,
): Promise<BucketRow[]> {
  const [found] = await runAs(db, caller, [rows.listBuckets(page)])
  return rowsOf<BucketRow>(found)
}

/** @throws {StorageError} NoSuchBucket, FeatureNotEnabled */
export async function updateBucket(
  id: string,
  body: z.infer<typeof UpdateBucketBody>,
  caller: StorageCaller,
  { db, config }: StorageDeps,
): Promise<void> {
  checkBucketName(id)
  checkVersioningStatus(body.versioning_status)
  const changes = {
    public: body.public,
    fileSizeLimit: sizeLimitOf(body.file_size_limit, config.file_size_limit),
    allowedMimeTypes: mimeTypesOf(body.allowed_mime_types),
  }
  if (Object.values(changes).every((change) => change === undefined)) {
    throw storageError('InvalidRequest', { message: 'No content provided' })
  }
  const [updated] = await runAs(db, caller, [rows.updateBucket(id, changes)])
  if (updated?.rowCount === 0) throw storageError('NoSuchBucket')
}

/** @throws {StorageError} NoSuchBucket, ResourceNotEmpty */
export async function deleteBucket(id: string, caller: StorageCaller, { db }: StorageDeps): Promise<void> {
  const [found, content] = await runAs(db, asService(caller), [rows.findBucket(id), rows.bucketHasObjects(id)])
  if (found?.rowCount === 0) throw storageError('NoSuchBucket')
  if (rowOf<{ occupied: boolean }>(content)?.occupied) throw storageError('ResourceNotEmpty')
  // An object added in the meantime holds the row by its foreign key.
  const [deleted] = await runAs(db, caller, [rows.deleteBucket(id)])
  if (deleted?.rowCount === 0) throw storageError('NoSuchBucket')
}

/** Empties a bucket immediately; upstream queues it for up to an hour. @throws {StorageError} NoSuchBucket */
export async function emptyBucket(id: string, caller: StorageCaller, deps: StorageDeps): Promise<void> {
  await getBucket(id, caller, deps)
  const [found] = await runAs(deps.db, asService(caller), [deleteAllObjects(id, deps.clock.now())])
  const deleted = rowsOf<{ version: string | null }>(found)
  await deps.content.remove(deleted.flatMap(({ version }) => (version === null ? [] : [{ bucket: id, version }])))
}

/** Creates or updates the buckets of config.toml. */
export async function applyConfiguredBuckets(config: Config['storage'], caller: StorageCaller, { db }: StorageDeps) {
  const statements = Object.entries(config.buckets).map(([name, bucket]) =>
    rows.upsertBucket({
      id: name,
      name,
      public: bucket.public,
      owner: null,
      fileSizeLimit: bucket.file_size_limit > 0 ? bucket.file_size_limit : null,
      allowedMimeTypes: bucket.allowed_mime_types.length > 0 ? bucket.allowed_mime_types : null,
    }),
  )
  if (statements.length > 0) await runAs(db, caller, statements)
}

/** Returns a bucket as clients see it: a null owner becomes empty text, times are in milliseconds. */
export const bucketBody = (row: BucketRow) => ({
  id: row.id,
  name: row.name,
  owner: row.owner ?? '',
  public: row.public ?? false,
  file_size_limit: row.file_size_limit === null ? null : Number(row.file_size_limit),
  allowed_mime_types: row.allowed_mime_types,
  created_at: row.created_at,
  updated_at: row.updated_at,
})

/** Lists include the type, in its place. */
export function listedBucketBody(row: BucketRow) {
  const { id, name, owner, public: isPublic, ...rest } = bucketBody(row)
  return { id, name, owner, public: isPublic, type: row.type, ...rest }
}

function sizeLimitOf(limit: number | string | null | undefined, most: number): number | null | undefined {
  if (limit === null || limit === undefined) return limit
  const bytes = typeof limit === 'string' ? parseFileSize(limit) : limit
  if (bytes > most) throw storageError('EntityTooLarge')
  return bytes
}

function mimeTypesOf(types: string[] | null | undefined): string[] | null | undefined {
  if (!types) return types
  const named = types.filter((type) => type !== '')
  checkAllowedMimeTypes(named)
  return named
}
