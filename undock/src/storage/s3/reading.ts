import { lastModified, respond } from '../download.ts'
import { storageError } from '../errors.ts'
import { mimeTypeOf, type ObjectRow } from '../object-rows.ts'
import { findObject } from '../objects.ts'
import { isHeaderValue, metadataHeaders, type S3Call, xml } from './call.ts'
import { conditionsOf, judge } from './conditions.ts'

/** GetObject: whole, or a range of it; the query may put other headers in place of the stored ones. */
export async function getObject({ request, query, bucket, key, caller, deps }: S3Call): Promise<Response> {
  const row = await findObject(bucket, key, caller, deps)
  const headers = objectHeaders(row)
  if (judge(row, conditionsOf(request)) === 'not modified') return new Response(null, { status: 304, headers })
  override(headers, query)
  if (row.version === null) throw storageError('NoSuchKey')
  const opened = await deps.content.open({ bucket, version: row.version })
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
  if (judge(row, conditionsOf(request)) === 'not modified') return new Response(null, { status: 304, headers })
  headers.set('content-length', String(row.metadata?.size ?? 0))
  return new Response(null, { headers })
}

/** Objects carry no tags here; the answer says so, as upstream's does. */
export async function getObjectTagging({ bucket, key, caller, deps }: S3Call): Promise<Response> {
  await findObject(bucket, key, caller, deps)
  return xml('Tagging', { TagSet: {} })
}

function objectHeaders(row: ObjectRow): Headers {
  const { metadata } = row
  const headers = new Headers({
    'accept-ranges': 'bytes',
    'content-type': mimeTypeOf(row),
    'last-modified': lastModified(row).toUTCString(),
    ...metadataHeaders(row.user_metadata),
  })
  if (typeof metadata?.eTag === 'string') headers.set('etag', metadata.eTag)
  if (typeof metadata?.cacheControl === 'string') headers.set('cache-control', metadata.cacheControl)
  return headers
}

const OVERRIDES = [
  'content-disposition',
  'content-type',
  'cache-control',
  'content-encoding',
  'content-language',
] as const

/** What no header can hold is left out, and the rest still answered. */
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
