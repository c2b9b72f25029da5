import { z } from 'zod'
import { bucketOf } from '../buckets/buckets.ts'
import { checkBucketName, MAX_OBJECTS_PER_REQUEST, sizeLimit } from '../buckets/limits.ts'
import { asService, ownerOf, rowsOf, runAs } from '../caller.ts'
import { invalidRequest, StorageError, storageError } from '../errors.ts'
import { parse } from '../http/validation.ts'
import { deleteObject as drop, deleteObjects as dropMany, findObject } from '../objects/objects.ts'
import { findObjectNames, type ObjectRow } from '../objects/rows.ts'
import { copyObject as copy } from '../objects/transfers.ts'
import { type Replace, storeObject, type UploadTarget } from '../objects/upload.ts'
import { readDocument } from './body.ts'
import {
  conditionsOf,
  copySourceOf,
  evaluateConditions,
  matchesEntityTag,
  preconditionFailed,
  type S3Call,
  userMetadataOf,
  xml,
} from './call.ts'

/** PutObject. If-None-Match: * only creates, If-Match only replaces the named version. */
export async function putObject(call: S3Call): Promise<Response> {
  const { request, caller, deps, body } = call
  const bucket = checkBucketName(call.bucket)
  // Dashboards and clients create folders this way; Storage keeps them with a placeholder.
  const key = call.key.endsWith('/') && body.length === 0 ? `${call.key}.emptyFolderPlaceholder` : call.key
  const row = await bucketOf(bucket, caller, deps)
  const limit = sizeLimit(row, key, deps)
  if (body.length !== undefined && body.length > limit) throw storageError('EntityTooLarge')
  const source = {
    mimeType: request.headers.get('content-type') || 'application/octet-stream',
    cacheControl: request.headers.get('cache-control') ?? 'no-cache',
    userMetadata: userMetadataOf(request.headers),
    robotsTag: undefined,
    declaredLength: body.length,
    contentLength: body.length,
    body: body.bytes,
  }
  const stored = await withPreconditions({ ...call, key }, (replace) => {
    const target: UploadTarget = { bucket, key, upsert: replace !== false, owner: ownerOf(caller) }
    return storeObject({ source, target, bucket: row, replace }, caller, deps)
  })
  return new Response(null, { headers: { etag: stored.metadata?.eTag ?? '' } })
}

/** Runs a write if the request's conditions on the object to replace are met.
 *  @throws {StorageError} PreconditionFailed, NoSuchKey */
export async function withPreconditions<T>(
  { request, bucket, key, caller, deps }: Pick<S3Call, 'request' | 'bucket' | 'key' | 'caller' | 'deps'>,
  write: (replace: Replace) => Promise<T>,
): Promise<T> {
  const { match, noneMatch } = conditionsOf(request)
  if (noneMatch !== null && noneMatch.trim() !== '*') {
    throw storageError('NotImplemented', { message: 'If-None-Match of a write takes * only' })
  }
  if (noneMatch !== null) return write(false).catch(asPrecondition('KeyAlreadyExists'))
  if (match === null) return write(true)
  const current = await findObject(bucket, key, caller, deps)
  if (!matchesEntityTag(match, current) || current.version === null) throw preconditionFailed()
  return write({ version: current.version }).catch(asPrecondition('NoSuchKey'))
}

const asPrecondition = (code: string) => (error: unknown) => {
  throw error instanceof StorageError && error.code === code ? preconditionFailed(error) : error
}

/** CopyObject, with the source's metadata or, with the directive REPLACE, the request's. */
export async function copyObject({ request, bucket, key, caller, deps }: S3Call): Promise<Response> {
  const { headers } = request
  const source = copySourceOf(request)
  const replaces = headers.get('x-amz-metadata-directive') === 'REPLACE'
  const row = await copy(
    {
      bucketId: source.bucket,
      sourceKey: source.key,
      destinationBucket: bucket,
      destinationKey: key,
      copyMetadata: !replaces,
      metadata: {
        cacheControl: headers.get('cache-control') ?? 'no-cache',
        mimetype: headers.get('content-type') ?? 'binary/octet-stream',
      },
    },
    { upsert: true, userMetadata: userMetadataOf(headers), check: checkSource(request) },
    caller,
    deps,
  )
  return xml('CopyObjectResult', { ETag: row.metadata?.eTag, LastModified: row.metadata?.lastModified })
}

/** An unmodified source fails too, because a copy can't answer 304. */
export const checkSource = (request: Request) => (row: ObjectRow) => {
  if (evaluateConditions(row, conditionsOf(request, 'x-amz-copy-source-')) === 'not modified')
    throw preconditionFailed()
}

/** DeleteObject: a missing object counts as deleted; a missing bucket is an error. */
export async function deleteObject({ bucket, key, caller, deps }: S3Call): Promise<Response> {
  await drop(bucket, key, caller, deps).catch(async (error: unknown) => {
    if (!(error instanceof StorageError) || error.code !== 'NoSuchKey') throw error
    await bucketOf(bucket, caller, deps)
  })
  return new Response(null, { status: 204 })
}

const DeleteBody = z.object({
  Delete: z.object({
    Object: z.array(z.object({ Key: z.string() })).default([]),
    Quiet: z.stringbool().optional(),
  }),
})

/** DeleteObjects: reports for each key whether it's gone; those protected by policies are errors. */
export async function deleteObjects({ request, bucket, caller, body, deps }: S3Call): Promise<Response> {
  const document = await readDocument(body, request.headers.get('content-type'))
  const { Delete } = parse(DeleteBody, document, 'body')
  const keys = Delete.Object.map(({ Key }) => Key)
  if (keys.length > MAX_OBJECTS_PER_REQUEST) {
    throw invalidRequest(`Bulk object requests are limited to ${MAX_OBJECTS_PER_REQUEST} objects per request.`)
  }
  const deleted = new Set((await dropMany(bucket, keys, caller, deps)).map(({ name }) => name))
  const [found] = await runAs(deps.db, asService(caller), [findObjectNames(bucket, keys)])
  const names = new Set(rowsOf<{ name: string }>(found).map(({ name }) => name))
  if (deleted.size === 0 && names.size === 0) await bucketOf(bucket, caller, deps)
  // A key recreated after its deletion counts as deleted.
  const isKept = (key: string) => names.has(key) && !deleted.has(key)
  return xml('DeleteResult', {
    Deleted: Delete.Quiet ? undefined : keys.filter((key) => !isKept(key)).map((Key) => ({ Key })),
    Error: keys.filter(isKept).map((Key) => ({ Key, Code: 'AccessDenied', Message: 'Access Denied' })),
  })
}
