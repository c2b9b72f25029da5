import type { StorageCaller } from '../caller.ts'
import type { StorageDeps } from '../deps.ts'
import { invalidRequest, storageError } from '../errors.ts'
import { isHeaderValue } from '../http/header-values.ts'
import type { Body } from './body.ts'
import type { Multipart } from './multipart.ts'
import { toXml, type XmlValue } from './xml.ts'

export type S3Call = {
  readonly request: Request
  readonly query: URLSearchParams
  readonly bucket: string
  readonly key: string
  readonly caller: StorageCaller
  readonly body: Body
  readonly deps: StorageDeps
  readonly multipart: Multipart
}

export type Operation = {
  readonly name: string
  readonly run: (call: S3Call) => Promise<Response>
}

export const XML_TYPE = 'application/xml; charset=utf-8'

export function xml(root: string, content: XmlValue): Response {
  return new Response(toXml(root, content), { headers: { 'content-type': XML_TYPE } })
}

/** Reads a whole number from the query. @throws {StorageError} InvalidRequest if invalid or out of bounds */
export function numberOf(
  query: URLSearchParams,
  name: string,
  bounds: { readonly least: number; readonly most?: number },
): number | undefined {
  const text = query.get(name)
  if (text === null || text === '') return undefined
  const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN
  if (Number.isNaN(value)) throw invalidRequest(`Querystring, ${name} must be integer`)
  if (value < bounds.least) throw invalidRequest(`Querystring, ${name} must be >= ${bounds.least}`)
  if (bounds.most !== undefined && value > bounds.most) {
    throw invalidRequest(`Querystring, ${name} must be <= ${bounds.most}`)
  }
  return value
}

/** Reads whether to encode keys. @throws {StorageError} InvalidRequest for any other encoding */
export function encodingOf(query: URLSearchParams): 'url' | undefined {
  const encoding = query.get('encoding-type')
  if (encoding === null || encoding === '') return undefined
  if (encoding !== 'url') {
    throw invalidRequest('Querystring, encoding-type must be equal to one of the allowed values')
  }
  return encoding
}

const META = 'x-amz-meta-'

/** Reads users' own metadata from headers (or form fields). */
export function userMetadataOf(headers: Iterable<readonly [string, string]>): Record<string, string> {
  return Object.fromEntries(
    [...headers].filter(([name]) => name.startsWith(META)).map(([name, value]) => [name.slice(META.length), value]),
  )
}

const HEADER_NAME = /^[a-z0-9!#$%&'*+.^_`|~-]{1,8192}$/

/** Returns users' own metadata as headers; counts what no header can contain. */
export function metadataHeaders(metadata: Record<string, unknown> | null): Record<string, string> {
  const headers: Record<string, string> = {}
  let missing = 0
  for (const [name, value] of Object.entries(metadata ?? {})) {
    const header = `${META}${name.toLowerCase()}`
    if (name !== '' && typeof value === 'string' && HEADER_NAME.test(header) && isHeaderValue(value)) {
      headers[header] = value
    } else missing++
  }
  return missing === 0 ? headers : { ...headers, 'x-amz-missing-meta': String(missing) }
}

/** Parses `x-amz-copy-source`. Keys never contain a `%`, so decoding can't change an unencoded one.
 *  @throws {StorageError} MissingParameter, InvalidBucketName */
export function copySourceOf({ headers }: Request): { bucket: string; key: string } {
  const header = headers.get('x-amz-copy-source') ?? ''
  const [path = ''] = header.split('?versionId=')
  const decoded = decode(path).replace(/^\//, '')
  const separator = decoded.indexOf('/')
  const bucket = separator < 0 ? decoded : decoded.slice(0, separator)
  const key = separator < 0 ? '' : decoded.slice(separator + 1)
  if (bucket === '') throw storageError('InvalidBucketName')
  if (key === '') throw storageError('MissingParameter', { message: 'Missing Required Parameter CopySource' })
  return { bucket, key }
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw storageError('InvalidParameter', { message: 'Invalid Parameter CopySource' })
  }
}
