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
import { headerText } from './header-text.ts'
import { type Payload, parsePayload } from './payload.ts'
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

/** An HTTP request with the service's prefix taken off its path and its body read. */
export type HttpRequest = {
  readonly method: string
  readonly path: string
  readonly search: string
  readonly headers: Headers
  readonly body: Uint8Array
}

/** The wish, in the service's own terms. It need not make sense: no name has been looked up. */
export type ApiRequest = {
  readonly action: Action
  readonly method: string
  readonly path: string
  readonly schema: string
  /** Whether the schema is to be named in the response's Content-Profile. */
  readonly negotiated: boolean
  readonly query: QueryParams
  /** Rows of the root resource. */
  readonly range: RowRange
  /** Rows by resource, the root's at the key `limit`. */
  readonly ranges: ReadonlyMap<string, RowRange>
  readonly payload: Payload | null
  /** Names from `columns` or from the body, sorted. */
  readonly columns: readonly string[]
  readonly accepts: readonly MediaType[]
  readonly contentType: MediaType
  readonly preferences: Preferences
}

/** The headers that a wish depends on, beside its method and its address. */
export const TELLING_HEADERS = [
  'accept',
  'accept-profile',
  'content-profile',
  'content-type',
  'prefer',
  'range',
] as const

/** Reads no headers but {@link TELLING_HEADERS}.
 *  @throws PGRST1xx: the first thing about the request that cannot be understood. */
export function parseRequest(
  { method, path, search, headers, body }: HttpRequest,
  settings: RestSettings,
  isTimezone: (name: string) => boolean,
): ApiRequest {
  const resource = parseResource(path, settings)
  const { schema, negotiated } = negotiateSchema(method, headers, settings.schemas)
  const action = chooseAction(resource, schema, method)
  const query = parseQueryParams(search, action.kind === 'call' && action.method !== 'POST')
  const ranges = combineRanges(method, query.ranges, headers)
  const contentType = parseMediaType(headers.get('content-type') ?? 'application/json')
  const withPayload =
    (action.kind === 'mutate' && action.mutation !== 'delete') || (action.kind === 'call' && action.method === 'POST')
  const takesColumns = !(action.kind === 'mutate' && action.mutation === 'upsert')
  const { payload, columns } = withPayload
    ? parsePayload(body, contentType, takesColumns ? query.columns : null, action.kind === 'call')
    : { payload: null, columns: [] }
  return {
    action,
    method,
    path,
    schema,
    negotiated,
    query,
    range: ranges.get('limit') ?? ALL_ROWS,
    ranges,
    payload,
    columns,
    accepts: parseAccept(headers.get('accept')),
    contentType,
    preferences: parsePreferences(headers.get('prefer'), settings.allowTransactionOverride, isTimezone),
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
  asked: ReadonlyMap<string, RowRange>,
  headers: Headers,
): ReadonlyMap<string, RowRange> {
  // RFC 9110 gives the Range header a meaning for GET only.
  const header = method === 'GET' ? parseRangeHeader(headers.get('range')) : ALL_ROWS
  const limited = asked.get('limit') ?? ALL_ROWS
  const range = keepLimitZero(limited, intersect(header, limited))
  if (isEmpty(range) && !hasLimitZero(limited)) {
    const details = isEmpty(header)
      ? 'The lower boundary must be lower than or equal to the upper boundary in the Range header.'
      : 'Limit should be greater than or equal to zero.'
    throw restError('PGRST103', [], { details })
  }
  if (method === 'PUT' && !isAllRows(range)) throw restError('PGRST114', [])
  return new Map([...asked, ['limit', range]])
}
