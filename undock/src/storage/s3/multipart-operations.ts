import { z } from 'zod'
import { bucketOf } from '../buckets/buckets.ts'
import { checkBucketName, checkKey, checkMimeType, sizeLimit } from '../buckets/limits.ts'
import { ownerOf, rowsOf, runAs } from '../caller.ts'
import { storageError } from '../errors.ts'
import { parse, wholeNumber } from '../http/validation.ts'
import { findObject } from '../objects/objects.ts'
import { checkUpload, commitObject, metadataOf } from '../objects/upload.ts'
import { readDocument } from './body.ts'
import { copySourceOf, encodingOf, numberOf, type S3Call, userMetadataOf, xml } from './call.ts'
import { MAX_PARTS } from './multipart.ts'
import { listUploads } from './multipart-rows.ts'
import { checkSource, withPreconditions } from './writing.ts'

export async function createMultipartUpload({ request, caller, deps, ...call }: S3Call): Promise<Response> {
  const bucket = checkBucketName(call.bucket)
  const key = checkKey(call.key)
  const row = await bucketOf(bucket, caller, deps)
  const mimetype = request.headers.get('content-type') ?? undefined
  if (mimetype) checkMimeType(mimetype, row.allowed_mime_types)
  const userMetadata = userMetadataOf(request.headers)
  await checkUpload({ bucket, key, owner: ownerOf(caller), metadata: { mimetype }, userMetadata }, true, caller, deps)
  const id = await call.multipart.create(
    {
      bucket_id: bucket,
      key,
      owner_id: ownerOf(caller),
      user_metadata: userMetadata,
      metadata: { mimetype, cacheControl: request.headers.get('cache-control') ?? undefined },
    },
    caller,
  )
  return xml('InitiateMultipartUploadResult', { Bucket: bucket, Key: key, UploadId: id })
}

export async function uploadPart({ bucket, key, query, caller, body, multipart, deps }: S3Call): Promise<Response> {
  if (body.length === undefined) throw storageError('MissingContentLength')
  const limit = sizeLimit(await bucketOf(bucket, caller, deps), key, deps)
  const number = partNumberOf(query)
  const upload = await multipart.find(uploadIdOf(query), bucket, key, caller)
  const { etag } = await multipart.put(upload, { number, length: body.length, bytes: body.bytes }, limit, caller)
  return new Response(null, { headers: { etag } })
}

/** Stores a part from an existing object, or a range of it. */
export async function uploadPartCopy(call: S3Call): Promise<Response> {
  const { request, bucket, key, query, caller, multipart, deps } = call
  const source = copySourceOf(request)
  const row = await findObject(source.bucket, source.key, caller, deps)
  checkSource(request)(row)
  if (row.version === null) throw storageError('NoSuchKey')
  const location = { bucket: source.bucket, version: row.version }
  const range = rangeOf(request.headers.get('x-amz-copy-source-range'), await deps.content.size(location))
  const limit = sizeLimit(await bucketOf(bucket, caller, deps), key, deps)
  const upload = await multipart.find(uploadIdOf(query), bucket, key, caller)
  const opened = await deps.content.open(location, range !== undefined)
  const length = range ? range.end - range.start + 1 : opened.size
  const bytes = opened.stream(range)
  try {
    const { etag, created } = await multipart.put(upload, { number: partNumberOf(query), length, bytes }, limit, caller)
    return xml('CopyPartResult', { ETag: etag, LastModified: created })
  } finally {
    bytes.destroy()
  }
}

const CompleteBody = z.object({
  CompleteMultipartUpload: z
    .object({
      Part: z.array(z.object({ PartNumber: wholeNumber(1, MAX_PARTS), ETag: z.string() })).default([]),
    })
    .or(z.string().transform(() => ({ Part: [] })))
    .optional(),
})

export async function completeMultipartUpload(call: S3Call): Promise<Response> {
  const { request, bucket, key, query, caller, body, multipart, deps } = call
  const document = await readDocument(body, request.headers.get('content-type'))
  const named = (parse(CompleteBody, document, 'body').CompleteMultipartUpload?.Part ?? []).map((part) => ({
    number: part.PartNumber,
    etag: part.ETag,
  }))
  if (named.some(({ number }, index) => index > 0 && number <= (named[index - 1]?.number ?? 0))) {
    throw storageError('InvalidPartOrder')
  }
  const upload = await multipart.find(uploadIdOf(query), bucket, key, caller)
  const limit = sizeLimit(await bucketOf(bucket, caller, deps), key, deps)
  const { version } = upload
  const stored = await withPreconditions(call, async (replace) => {
    const written = await multipart.assemble(upload, named, limit, caller)
    const metadata = metadataOf(written, {
      mimeType: upload.metadata?.mimetype || 'application/octet-stream',
      cacheControl: upload.metadata?.cacheControl ?? 'no-cache',
      robotsTag: undefined,
    })
    const object = { bucket, key, owner: upload.owner_id, version, metadata, userMetadata: upload.user_metadata ?? {} }
    return commitObject(object, replace, caller, deps)
  })
  await multipart.remove(upload, caller)
  return xml('CompleteMultipartUploadResult', {
    Location: `${bucket}/${key}`,
    Bucket: bucket,
    Key: key,
    ETag: stored.metadata?.eTag,
  })
}

export async function abortMultipartUpload({ bucket, key, query, caller, multipart }: S3Call): Promise<Response> {
  const upload = await multipart.find(uploadIdOf(query), bucket, key, caller)
  await multipart.remove(upload, caller)
  return new Response(null)
}

export async function listParts({ bucket, key, query, caller, multipart }: S3Call): Promise<Response> {
  const uploadId = uploadIdOf(query)
  const limit = Math.min(numberOf(query, 'max-parts', { least: 0 }) || 1000, 1000)
  const marker = numberOf(query, 'part-number-marker', { least: 0, most: MAX_PARTS })
  await multipart.find(uploadId, bucket, key, caller)
  const parts = await multipart.list(uploadId, marker ?? 0, limit + 1, caller)
  const page = parts.slice(0, limit)
  const isTruncated = parts.length > limit
  return xml('ListPartsResult', {
    Bucket: bucket,
    Key: key,
    UploadId: uploadId,
    PartNumberMarker: marker,
    NextPartNumberMarker: isTruncated ? page.at(-1)?.part_number : undefined,
    MaxParts: limit,
    IsTruncated: isTruncated,
    Part: page.map((part) => ({
      PartNumber: part.part_number,
      LastModified: part.created_at,
      ETag: part.etag,
      Size: Number(part.size),
    })),
  })
}

type Listed = { key: string; id: string | null; created_at: Date }

export async function listMultipartUploads({ bucket, query, caller, deps }: S3Call): Promise<Response> {
  const limit = numberOf(query, 'max-uploads', { least: 1, most: 1000 }) ?? 1000
  const encoding = encodingOf(query)
  const [keyMarker, idMarker] = [query.get('key-marker') || undefined, query.get('upload-id-marker') || undefined]
  const prefix = query.get('prefix') ?? ''
  const delimiter = query.get('delimiter') ?? ''
  await bucketOf(bucket, caller, deps)
  const filter = { bucket, prefix, delimiter, afterKey: fromMarker(keyMarker), afterId: fromMarker(idMarker) }
  // Policies decide which rows the caller sees; without one only the service sees any.
  const [found] = await runAs(deps.db, caller, [listUploads({ ...filter, limit: limit + 1 })])
  const listed = rowsOf<Listed>(found)
  const page = listed.slice(0, limit)
  const last = listed.length > limit ? page.at(-1) : undefined
  const encode = (text: string) => (encoding === 'url' ? encodeURIComponent(text) : text)
  return xml('ListMultipartUploadsResult', {
    Bucket: bucket,
    Name: bucket,
    Prefix: prefix,
    KeyMarker: keyMarker,
    UploadIdMarker: idMarker,
    NextKeyMarker: last && toMarker(last.key),
    NextUploadIdMarker: last && toMarker(last.id ?? ''),
    Upload: page.flatMap(({ key, id, created_at }) =>
      id === null ? [] : [{ Key: encode(key), Initiated: created_at, UploadId: id, StorageClass: 'STANDARD' }],
    ),
    IsTruncated: last !== undefined,
    MaxUploads: limit,
    Delimiter: delimiter || undefined,
    EncodingType: encoding,
    KeyCount: page.length,
    CommonPrefixes: page.flatMap(({ key, id }) => (id === null ? [{ Prefix: encode(key) }] : [])),
  })
}

/** Markers are base64, like upstream's; others count as the key or id itself. */
const toMarker = (text: string): string => Buffer.from(`l:${text}`).toString('base64')

function fromMarker(marker: string | undefined): string {
  if (marker === undefined) return ''
  const text = Buffer.from(marker, 'base64').toString('utf8')
  return text.startsWith('l:') ? text.slice(2) : marker
}

function uploadIdOf(query: URLSearchParams): string {
  const id = query.get('uploadId')
  if (!id) throw storageError('InvalidUploadId')
  return id
}

function partNumberOf(query: URLSearchParams): number {
  const number = numberOf(query, 'partNumber', { least: 1, most: MAX_PARTS })
  if (number === undefined) throw storageError('MissingParameter', { message: 'Missing Required Parameter PartNumber' })
  return number
}

/** Stricter than a download's range: both ends are required and inside. */
function rangeOf(header: string | null, size: number): { start: number; end: number } | undefined {
  if (header === null) return undefined
  const [, first, last] = /^bytes=(\d{1,15})-(\d{1,15})$/.exec(header) ?? []
  const range = { start: Number(first), end: Number(last) }
  if (first === undefined || range.start > range.end || range.end >= size) {
    throw storageError('InvalidRange', { httpStatus: 400 })
  }
  return range
}
