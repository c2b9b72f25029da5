import type { StorageCaller } from '../caller.ts'
import type { StorageDeps } from '../deps.ts'
import { invalidRequest, storageError } from '../errors.ts'
import { isHeaderValue } from '../http/header-values.ts'
import { lastModified } from '../objects/download.ts'
import type { ObjectRow } from '../objects/rows.ts'
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

type Conditions = {
  readonly match: string | null
  readonly noneMatch: string | null
  readonly modifiedSince: string | null
  readonly unmodifiedSince: string | null
}

export const conditionsOf = ({ headers }: Request, prefix = ''): Conditions => ({
  match: headers.get(`${prefix}if-match`),
  noneMatch: headers.get(`${prefix}if-none-match`),
  modifiedSince: headers.get(`${prefix}if-modified-since`),
  unmodifiedSince: headers.get(`${prefix}if-unmodified-since`),
})

/** Returns whether the client already has this version. @throws {StorageError} PreconditionFailed */
export function evaluateConditions(row: ObjectRow, conditions: Conditions): 'continue' | 'not modified' {
  const { match, noneMatch, modifiedSince, unmodifiedSince } = conditions
  const time = Math.floor(lastModified(row).getTime() / 1000) * 1000
  if (match === null ? time > Date.parse(unmodifiedSince ?? '') : !matchesEntityTag(match, row))
    throw preconditionFailed()
  const isUnchanged = noneMatch === null ? time <= Date.parse(modifiedSince ?? '') : matchesEntityTag(noneMatch, row)
  return isUnchanged ? 'not modified' : 'continue'
}

export const preconditionFailed = (cause?: unknown) => storageError('PreconditionFailed', { cause })

/** Returns whether a list of etags includes the object's; like some clients, it may omit the quotes. */
export function matchesEntityTag(tags: string, { metadata }: ObjectRow): boolean {
  const own = typeof metadata?.eTag === 'string' ? bare(metadata.eTag) : undefined
  return tags.split(',').some((tag) => tag.trim() === '*' || bare(tag) === own)
}

const bare = (tag: string): string =>
  tag
    .trim()
    .replace(/^W\//, '')
    .replace(/^"(.*)"$/, '$1')
