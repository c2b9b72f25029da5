import { restError } from '../errors.ts'
import { type MediaType, parseAccept, parseMediaType } from '../media-type.ts'
import {
  ALL_ROWS,
  hasLimitZero,
  intersect,
  isAllRows,
  isEmpty,
  keepLimitZero,
  parseRangeHeader,
  type RowRange,
} from '../range.ts'
import type { QualifiedName } from '../schema-cache/model.ts'
import type { RestSettings } from '../settings.ts'
import type { Payload } from './payload.ts'
import { type Preferences, parsePreferences } from './preferences.ts'
import { parseQueryParams, type QueryParams } from './query-params.ts'

export type Mutation = 'create' | 'update' | 'upsert' | 'delete'

export type Action =
  | { readonly kind: 'read'; readonly target: QualifiedName; readonly headersOnly: boolean }
  | { readonly kind: 'mutate'; readonly target: QualifiedName; readonly mutation: Mutation }
  | { readonly kind: 'call'; readonly target: QualifiedName; readonly method: 'GET' | 'HEAD' | 'POST' }
  | { readonly kind: 'inspect'; readonly headersOnly: boolean }
  | { readonly kind: 'tableInfo'; readonly target: QualifiedName }
  | { readonly kind: 'routineInfo'; readonly target: QualifiedName }
  | { readonly kind: 'schemaInfo' }

/** An HTTP request without its body; the path lacks the service's prefix. */
export type HttpRequest = {
  readonly method: string
  readonly path: string
  readonly search: string
  readonly headers: Headers
}

/** A parsed request. Its names haven't been looked up yet, so they may not exist. */
export type ApiRequest = {
  readonly action: Action
  readonly method: string
  readonly path: string
  readonly schema: string
  readonly negotiated: boolean
  readonly query: QueryParams
  readonly range: RowRange
  /** Requested rows by resource; the root's key is `limit`. */
  readonly ranges: ReadonlyMap<string, RowRange>
  /** Null without a body, and until it's read. */
  readonly payload: Payload | null
  readonly columns: readonly string[]
  readonly accepts: readonly MediaType[]
  readonly contentType: MediaType
  readonly preferences: Preferences
}

/** All headers that parsing reads: with method, path and query string they determine a request's meaning. */
export const CACHE_KEY_HEADERS = [
  'accept',
  'accept-profile',
  'content-profile',
  'content-type',
  'prefer',
  'range',
] as const

/** Returns whether a request's body is read. */
export const takesPayload = ({ action }: ApiRequest): boolean =>
  (action.kind === 'mutate' && action.mutation !== 'delete') || (action.kind === 'call' && action.method === 'POST')

/** Returns the `columns` parameter; null for PUT, which ignores it. */
export const columnsParameter = ({ action, query }: ApiRequest): readonly string[] | null =>
  action.kind === 'mutate' && action.mutation === 'upsert' ? null : query.columns

/** Parses a request, reading no headers but {@link CACHE_KEY_HEADERS}, and no body.
 *  @throws PGRST1xx for the first fault. */
export function parseRequest({ method, path, search, headers }: HttpRequest, settings: RestSettings): ApiRequest {
  const resource = parseResource(path, settings)
  const { schema, negotiated } = negotiateSchema(method, headers, settings.schemas)
  const action = chooseAction(resource, schema, method)
  const query = parseQueryParams(search, { takesArguments: action.kind === 'call' && action.method !== 'POST' })
  const ranges = combineRanges(method, query.ranges, headers)
  const contentType = parseMediaType(headers.get('content-type') ?? 'application/json')
  return {
    action,
    method,
    path,
    schema,
    negotiated,
    query,
    range: ranges.get('limit') ?? ALL_ROWS,
    ranges,
    payload: null,
    columns: [],
    accepts: parseAccept(headers.get('accept')),
    contentType,
    preferences: parsePreferences(headers.get('prefer'), {
      allowTransaction: settings.allowTransactionOverride,
    }),
  }
}

type Resource = { readonly table: string } | { readonly routine: string } | 'schema'

function parseResource(path: string, { openApiMode, rootSpec }: RestSettings): Resource {
  const segments = path === '/' || path === '' ? [] : path.slice(1).split('/').map(decodeSegment)
  const [first, second] = segments
  if (first === undefined) {
    if (openApiMode === 'disabled') throw restError('PGRST126', [])
    return rootSpec === null ? 'schema' : { routine: rootSpec }
  }
  if (segments.length === 1) return { table: first }
  if (segments.length === 2 && first === 'rpc' && second !== undefined) return { routine: second }
  throw restError('PGRST125', [])
}

function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    throw restError('PGRST125', [])
  }
}

function chooseAction(resource: Resource, schema: string, method: string): Action {
  const headersOnly = method === 'HEAD'
  if (resource === 'schema') {
    if (method === 'GET' || method === 'HEAD') return { kind: 'inspect', headersOnly }
    if (method === 'OPTIONS') return { kind: 'schemaInfo' }
    throw restError('PGRST117', [method])
  }
  if ('routine' in resource) {
    const target = { schema, name: resource.routine }
    if (method === 'GET' || method === 'HEAD' || method === 'POST') return { kind: 'call', target, method }
    if (method === 'OPTIONS') return { kind: 'routineInfo', target }
    throw restError('PGRST101', [method])
  }
  const target = { schema, name: resource.table }
  switch (method) {
    case 'GET':
    case 'HEAD':
      return { kind: 'read', target, headersOnly }
    case 'POST':
      return { kind: 'mutate', target, mutation: 'create' }
    case 'PUT':
      return { kind: 'mutate', target, mutation: 'upsert' }
    case 'PATCH':
      return { kind: 'mutate', target, mutation: 'update' }
    case 'DELETE':
      return { kind: 'mutate', target, mutation: 'delete' }
    case 'OPTIONS':
      return { kind: 'tableInfo', target }
    default:
      throw restError('PGRST117', [method])
  }
}

const WRITING = new Set(['DELETE', 'PATCH', 'POST', 'PUT'])

function negotiateSchema(
  method: string,
  headers: Headers,
  schemas: readonly string[],
): { schema: string; negotiated: boolean } {
  const header = headers.get(WRITING.has(method) ? 'content-profile' : 'accept-profile')
  if (header === null) return { schema: schemas[0] ?? 'public', negotiated: schemas.length !== 1 }
  const profile = headerText(header)
  if (schemas.includes(profile)) return { schema: profile, negotiated: true }
  throw restError('PGRST106', [profile], { hint: `Only the following schemas are exposed: ${schemas.join(', ')}` })
}

function combineRanges(
  method: string,
  parameters: ReadonlyMap<string, RowRange>,
  headers: Headers,
): ReadonlyMap<string, RowRange> {
  // RFC 9110 defines the Range header for GET only.
  const header = method === 'GET' ? parseRangeHeader(headers.get('range')) : ALL_ROWS
  const limited = parameters.get('limit') ?? ALL_ROWS
  const range = keepLimitZero(limited, intersect(header, limited))
  if (isEmpty(range) && !hasLimitZero(limited)) {
    const details = isEmpty(header)
      ? 'The lower boundary must be lower than or equal to the upper boundary in the Range header.'
      : 'Limit should be greater than or equal to zero.'
    throw restError('PGRST103', [], { details })
  }
  if (method === 'PUT' && !isAllRows(range)) throw restError('PGRST114', [])
  return new Map([...parameters, ['limit', range]])
}

/** Decodes UTF-8 from a header that Node read as latin1. */
export const headerText = (header: string): string =>
  isAscii(header) ? header : Buffer.from(header, 'latin1').toString('utf8')

/** Encodes text for a header, which can't contain characters beyond U+00FF, as UTF-8 bytes. */
export const asHeader = (text: string): string => (isAscii(text) ? text : Buffer.from(text).toString('latin1'))

const isAscii = (text: string): boolean => /^[\0-\x7f]*$/.test(text)
