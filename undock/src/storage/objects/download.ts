import type { StorageDeps } from '../deps.ts'
import { storageError } from '../errors.ts'
import type { OpenContent } from '../files/contents.ts'
import { guardContent, parseRange } from '../http/header-values.ts'
import { contentTypeOf, headerText, type ObjectRow } from './rows.ts'

export type DownloadOptions = {
  /** Asks the browser to save the content, under this name unless empty. */
  readonly download: string | undefined
  /** A signed URL's end, which overrides Cache-Control. */
  readonly expires?: Date | undefined
}

/** Answers a GET with the object's content, a range of it, or 304. @throws {StorageError} NoSuchKey, InvalidRange */
export async function download(
  request: Request,
  row: ObjectRow,
  options: DownloadOptions,
  { content }: StorageDeps,
): Promise<Response> {
  if (row.version === null || row.bucket_id === null) throw storageError('NoSuchKey')
  const headers = assetHeaders(row, options)
  if (isNotModified(request, headers)) return new Response(null, { status: 304, headers })
  const opened = await content.open({ bucket: row.bucket_id, version: row.version }, request.headers.has('range'))
  try {
    return respond(request, headers, opened)
  } catch (error) {
    await opened.close()
    throw error
  }
}

export function assetHeaders(row: ObjectRow, options: DownloadOptions): Headers {
  const { metadata } = row
  const headers = new Headers({
    'accept-ranges': 'bytes',
    'content-type': harmless(contentTypeOf(row)),
    'x-robots-tag': headerText(metadata?.xRobotsTag) ?? 'none',
    'last-modified': lastModified(row).toUTCString(),
  })
  const etag = headerText(metadata?.eTag)
  const cacheControl = headerText(metadata?.cacheControl)
  if (etag) headers.set('etag', etag)
  if (options.expires) headers.set('expires', options.expires.toUTCString())
  else if (cacheControl) headers.set('cache-control', cacheControl)
  if (options.download !== undefined) headers.set('content-disposition', disposition(options.download))
  guardContent(headers)
  return headers
}

/** Responds with the requested content or range. @throws {StorageError} InvalidRange */
export function respond(request: Request, headers: Headers, opened: OpenContent): Response {
  const range = rangeOf(request, headers, opened.size)
  if (!range) {
    headers.set('content-length', String(opened.size))
    return new Response(opened.body(), { headers })
  }
  headers.set('content-length', String(range.end - range.start + 1))
  headers.set('content-range', `bytes ${range.start}-${range.end}/${opened.size}`)
  return new Response(opened.body(range), { status: 206, headers })
}

function rangeOf(request: Request, headers: Headers, size: number) {
  const range = request.headers.get('range')
  const condition = request.headers.get('if-range')
  // Unknown units are ignored (RFC 9110 §14.2). If the client's part is of another version, it gets everything.
  if (range === null || !/^bytes=/i.test(range) || (condition !== null && !matchesValidator(condition, headers)))
    return null
  return parseRange(range, size)
}

const matchesValidator = (condition: string, headers: Headers): boolean =>
  condition === headers.get('etag') || condition === headers.get('last-modified')

/** RFC 9110 §13.2.2: If-Modified-Since only counts without If-None-Match. */
export function isNotModified(request: Request, headers: Headers): boolean {
  const etags = request.headers.get('if-none-match')
  if (etags !== null) {
    const etag = headers.get('etag')
    return etags.trim() === '*' || etags.split(',').some((one) => one.trim().replace(/^W\//, '') === etag)
  }
  const since = Date.parse(request.headers.get('if-modified-since') ?? '')
  return Date.parse(headers.get('last-modified') ?? '') <= since
}

/** Returns the content's time, from the metadata or else the row. */
export function lastModified({ metadata, updated_at }: ObjectRow): Date {
  const stored = typeof metadata?.lastModified === 'string' ? new Date(metadata.lastModified) : updated_at
  return Number.isNaN(stored.getTime()) ? updated_at : stored
}

/** HTML is shown as text, so that a bucket can't run scripts on the API's origin. */
const harmless = (mimeType: string): string => (/text\/html/i.test(mimeType) ? 'text/plain' : mimeType)

function disposition(name: string): string {
  if (name === '') return 'attachment;'
  const encoded = encodeURIComponent(name)
  return `attachment; filename=${encoded}; filename*=UTF-8''${encoded}`
}
