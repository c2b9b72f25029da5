import { storageError } from '../errors.ts'
import { guardContent, isHeaderValue } from '../http/header-values.ts'
import { lastModified, respond } from '../objects/download.ts'
import { findObject } from '../objects/objects.ts'
import { contentTypeOf, headerText, type ObjectRow } from '../objects/rows.ts'
import { metadataHeaders, type S3Call, xml } from './call.ts'
import { conditionsOf, evaluateConditions } from './conditions.ts'

/** GetObject: whole, or a range of it; the query may override stored headers. */
export async function getObject({ request, query, bucket, key, caller, deps }: S3Call): Promise<Response> {
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

export async function headObject({ request, bucket, key, caller, deps }: S3Call): Promise<Response> {
  const row = await findObject(bucket, key, caller, deps)
  const headers = objectHeaders(row)
  if (evaluateConditions(row, conditionsOf(request)) === 'not modified')
    return new Response(null, { status: 304, headers })
  headers.set('content-length', String(row.metadata?.size ?? 0))
  guardContent(headers)
  return new Response(null, { headers })
}

/** Objects have no tags; answers with an empty set, like upstream. */
export async function getObjectTagging({ bucket, key, caller, deps }: S3Call): Promise<Response> {
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
