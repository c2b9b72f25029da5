import { storageError } from '../errors.ts'
import { guardContent, isHeaderValue } from '../http/header-values.ts'
import { lastModified, respond } from '../objects/download.ts'
import { findObject } from '../objects/objects.ts'
import { contentTypeOf, headerText, type ObjectRow } from '../objects/rows.ts'
import * as buckets from './buckets.ts'
import { conditionsOf, evaluateConditions, metadataHeaders, type Operation, type S3Call, xml } from './call.ts'
import { listObjects, listObjectsV2, listObjectVersions } from './listing.ts'
import * as multipart from './multipart-operations.ts'
import { copyObject, deleteObject, deleteObjects, putObject } from './writing.ts'

/** GetObject: whole, or a range of it; the query may override stored headers. */
async function getObject({ request, query, bucket, key, caller, deps }: S3Call): Promise<Response> {
  const row = await findObject(bucket, key, caller, deps)
  const headers = objectHeaders(row)
  if (evaluateConditions(row, conditionsOf(request)) === 'not modified')
    return new Response(null, { status: 304, headers })
  override(headers, query)
  guardContent(headers)
  if (row.version === null) throw storageError('NoSuchKey')
  const opened = await deps.content.open({ bucket, version: row.version }, request.headers.has('range'))
  try {
    return respond(request, headers, opened)
  } catch (error) {
    await opened.close()
    throw error
  }
}

async function headObject({ request, bucket, key, caller, deps }: S3Call): Promise<Response> {
  const row = await findObject(bucket, key, caller, deps)
  const headers = objectHeaders(row)
  if (evaluateConditions(row, conditionsOf(request)) === 'not modified')
    return new Response(null, { status: 304, headers })
  headers.set('content-length', String(row.metadata?.size ?? 0))
  guardContent(headers)
  return new Response(null, { headers })
}

/** Objects have no tags; answers with an empty set, like upstream. */
async function getObjectTagging({ bucket, key, caller, deps }: S3Call): Promise<Response> {
  await findObject(bucket, key, caller, deps)
  return xml('Tagging', { TagSet: {} })
}

function objectHeaders(row: ObjectRow): Headers {
  const { metadata } = row
  const headers = new Headers({
    'accept-ranges': 'bytes',
    'content-type': contentTypeOf(row),
    'last-modified': lastModified(row).toUTCString(),
    ...metadataHeaders(row.user_metadata),
  })
  const etag = headerText(metadata?.eTag)
  const cacheControl = headerText(metadata?.cacheControl)
  if (etag) headers.set('etag', etag)
  if (cacheControl) headers.set('cache-control', cacheControl)
  return headers
}

const OVERRIDES = [
  'content-disposition',
  'content-type',
  'cache-control',
  'content-encoding',
  'content-language',
] as const

/** Skips values that are invalid in a header. */
function override(headers: Headers, query: URLSearchParams): void {
  for (const name of OVERRIDES) {
    const value = query.get(`response-${name}`)
    if (value && isHeaderValue(value)) headers.set(name, value)
  }
  const expires = query.get('response-expires')
  if (!expires) return
  const date = new Date(expires)
  if (Number.isNaN(date.getTime())) {
    throw storageError('InvalidParameter', { message: 'Invalid Parameter response-expires' })
  }
  headers.set('expires', date.toUTCString())
}

type Rule = Operation & {
  readonly method: string
  readonly on: 'service' | 'bucket' | 'object'
  readonly query: readonly string[]
  readonly header?: string
}

const rule = (
  method: string,
  on: Rule['on'],
  query: string,
  name: string,
  run: Operation['run'],
  header?: string,
): Rule => ({
  method,
  on,
  query: query.split('&').filter((part) => part !== ''),
  name: `storage.s3.${name}`,
  run,
  ...(header !== undefined && { header }),
})

/** In matching order: the more specific ones first. */
const RULES: readonly Rule[] = [
  rule('GET', 'service', '', 'bucket.list', buckets.listBuckets),

  rule('GET', 'bucket', 'location', 'bucket.get_location', buckets.getBucketLocation),
  rule('GET', 'bucket', 'versioning', 'bucket.get_versioning', buckets.getBucketVersioning),
  rule('GET', 'bucket', 'uploads', 'upload.list_multipart', multipart.listMultipartUploads),
  rule('GET', 'bucket', 'versions', 'object.list', listObjectVersions),
  rule('GET', 'bucket', 'list-type', 'object.list', listObjectsV2),
  rule('GET', 'bucket', '', 'object.list', listObjects),
  rule('HEAD', 'bucket', '', 'bucket.head', buckets.headBucket),
  rule('PUT', 'bucket', '', 'bucket.create', buckets.createBucket),
  rule('DELETE', 'bucket', '', 'bucket.delete', buckets.deleteBucket),
  rule('POST', 'bucket', 'delete', 'object.delete_many', deleteObjects),

  rule('PUT', 'object', 'partNumber&uploadId', 'upload.part_copy', multipart.uploadPartCopy, 'x-amz-copy-source'),
  rule('PUT', 'object', 'partNumber&uploadId', 'upload.part', multipart.uploadPart),
  rule('PUT', 'object', '', 'object.copy', copyObject, 'x-amz-copy-source'),
  rule('PUT', 'object', '', 'upload', putObject),
  rule('POST', 'object', 'uploads', 'upload.create_multipart', multipart.createMultipartUpload),
  rule('POST', 'object', 'uploadId', 'upload.complete_multipart', multipart.completeMultipartUpload),
  rule('GET', 'object', 'tagging', 'object.get_tagging', getObjectTagging),
  rule('GET', 'object', 'uploadId', 'upload.list_parts', multipart.listParts),
  rule('GET', 'object', '', 'object.get', getObject),
  rule('HEAD', 'object', '', 'object.info', headObject),
  rule('DELETE', 'object', 'uploadId', 'upload.abort_multipart', multipart.abortMultipartUpload),
  rule('DELETE', 'object', '', 'object.delete', deleteObject),
]

/** Subresources that Storage lacks. Ignoring them would be dangerous: writing an object's tags would overwrite it. */
const SUBRESOURCES = new Set(
  (
    'accelerate acl analytics attributes cors encryption intelligent-tiering inventory legal-hold lifecycle logging ' +
    'metrics notification object-lock ownershipControls policy policyStatus publicAccessBlock replication ' +
    'requestPayment restore retention select tagging torrent uploadId uploads delete versioning versions website'
  ).split(' '),
)

/** Finds the requested operation. @throws {StorageError} NotImplemented */
export function operationOf(
  { method, headers }: Request,
  { query, bucket, key }: Pick<S3Call, 'query' | 'bucket' | 'key'>,
): Operation {
  const on = key !== '' ? 'object' : bucket !== '' ? 'bucket' : 'service'
  const asked = [...query.keys()].filter((name) => SUBRESOURCES.has(name))
  const rule = RULES.find(
    (candidate) =>
      candidate.method === method &&
      candidate.on === on &&
      candidate.query.every((name) => query.has(name)) &&
      (candidate.header === undefined || headers.has(candidate.header)) &&
      asked.every((name) => candidate.query.includes(name)),
  )
  if (!rule) throw storageError('NotImplemented')
  return rule
}
