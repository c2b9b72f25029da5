import type { RecordedRequest, Recording } from './recorded-requests.ts'

/** Numbers from 0 to 1. */
export type Random = () => number

export const pick = <T>(random: Random, from: readonly T[]): T => from[Math.floor(random() * from.length)] as T

/** Values known to break software. */
const VALUES: readonly string[] = [
  ...[
    '',
    ' ',
    'null',
    'undefined',
    'true',
    '-1',
    '0',
    '1e309',
    'NaN',
    '9'.repeat(400),
    '-9223372036854775809',
    '0x10',
    '٣',
  ],
  ...[
    "'",
    '"',
    '\\',
    '`',
    '$1',
    '$$',
    ';',
    '--',
    '/*',
    "' or 1=1 --",
    '";drop table books;--',
    '%',
    '%%',
    '%00',
    '%zz',
    '_',
  ],
  ...[
    '(',
    ')',
    '((((',
    ',',
    ',,',
    '.',
    '..',
    ':',
    '::',
    '*',
    '!',
    '->',
    '->>',
    '{',
    '}',
    '{}',
    '[]',
    '[[',
    '{,}',
    '<',
    '&',
    '=',
    '+',
  ],
  ...[
    '../',
    '../../etc/passwd',
    '%2e%2e%2f',
    '/',
    '//',
    'a/../b',
    '.emptyFolderPlaceholder',
    'C:\\x',
    '~',
    '?',
    '#',
    ' leading',
  ],
  ...[
    '𝄞',
    'ﷺ'.repeat(50),
    'e\u0301',
    '\u202e',
    '\ufeff',
    '\u0000',
    '\u0001',
    '\r\nx-injected: 1',
    '\ud800',
    'x'.repeat(5_000),
  ],
  ...[
    'eq.',
    'in.()',
    'in.("',
    'fts.x',
    'is.null',
    'not.not.eq.1',
    'or',
    'and',
    'select',
    'id',
    'data->>',
    'books',
    'count()',
  ],
  ...[
    '2026-13-45',
    'infinity',
    '-infinity',
    '00000000-0000-0000-0000-000000000000',
    'not-a-uuid',
    '1.2.3.4',
    'a@b',
    '@',
    'a@b.c\n',
  ],
  ...[
    'http://127.0.0.1:3000',
    'javascript:alert(1)',
    '//evil.example',
    'bytes=0-',
    'bytes=-1',
    'bytes=5-1,7-',
    'W/"x"',
    '*/*',
    'text/csv',
  ],
]

const HEADERS: readonly (readonly [name: string, values: readonly string[]])[] = [
  [
    'prefer',
    [
      'return=representation',
      'count=exact',
      'tx=rollback',
      'handling=strict, x=y',
      'missing=default',
      'max-affected=1',
      'resolution=merge-duplicates',
      'timezone=Nowhere/X',
      'return=headers-only',
    ],
  ],
  [
    'accept',
    [
      'text/csv',
      'application/vnd.pgrst.object+json',
      'application/vnd.pgrst.array+json;nulls=stripped',
      'application/vnd.pgrst.plan+json',
      'application/octet-stream',
      '*/*;q=x',
      'image/*',
    ],
  ],
  [
    'content-type',
    [
      'application/json',
      'text/csv',
      'text/plain',
      'application/octet-stream',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'multipart/form-data',
      'application/offset+octet-stream',
      '',
    ],
  ],
  ['range', ['0-1', '5-2', 'items=0-1', 'bytes=0-0', 'bytes=999999-']],
  ['accept-profile', ['api', 'auth', 'pg_catalog']],
  ['content-profile', ['api', 'storage']],
  ['x-upsert', ['true', 'maybe']],
  ['x-metadata', ['e30=', '!', 'bnVsbA==']],
  ['upload-metadata', ['bucketName', 'bucketName !', 'objectName YQ==,bucketName Y2xvc2Vk']],
  ['upload-offset', ['-1', '99999999999999', 'x']],
  ['upload-length', ['0', '-5', '1e9']],
  ['x-supabase-api-version', ['2024-01-01', '9999-99-99']],
  ['if-none-match', ['*', '""', 'W/']],
  ['if-modified-since', ['yesterday', 'Thu, 01 Jan 1970 00:00:00 GMT']],
  ['x-forwarded-for', ['1.2.3.4', "'", '::']],
  ['x-http-method-override', ['DELETE']],
  ['cookie', ['a=b; c', '=', ';;;']],
]

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'TRACE', 'PROPFIND']

/** Credentials that were never issued. */
const FORGED = [
  'x',
  '..',
  'a.b.c',
  'sb_secret_guess',
  `${btoa('{"alg":"none"}')}.${btoa('{"role":"service_role"}')}.`,
  `${btoa('{"alg":"HS256"}')}.${btoa('{"role":"postgres"}')}.AAAA`,
]

type Mutable = { method: string; path: string; headers: Record<string, string>; body: Buffer }

/** Changes one to three properties of a client's request. */
export function mutateRequest(random: Random, { requests, tokens }: Recording): RecordedRequest {
  const source = pick(random, requests)
  const request: Mutable = { ...source, headers: { ...source.headers } }
  for (let changes = Math.floor(random() * 4); changes > 0; changes -= 1) {
    pick(random, CHANGES)(request, random, { requests, tokens })
  }
  delete request.headers['content-length']
  if (request.method === 'GET' || request.method === 'HEAD') request.body = Buffer.alloc(0)
  return request
}

type Mutation = (request: Mutable, random: Random, recording: Pick<Recording, 'requests' | 'tokens'>) => void

const split = (path: string): [string, string[]] => {
  const [before = '', query] = path.split('?', 2)
  return [before, query ? query.split('&') : []]
}
const joined = (before: string, query: readonly string[]): string =>
  query.length > 0 ? `${before}?${query.join('&')}` : before
/** Encoded like a client would, or unencoded. */
const inUrl = (random: Random, value: string): string =>
  random() < 0.8 ? encodeURIComponent(value.toWellFormed()) : value

const changeQuery: Mutation = (request, random) => {
  const [before, query] = split(request.path)
  const at = Math.floor(random() * query.length)
  const name =
    query[at]?.split('=', 1)[0] ??
    pick(random, ['select', 'order', 'limit', 'offset', 'on_conflict', 'id', 'or', 'token', 'width'])
  const value = `${name}=${inUrl(random, pick(random, VALUES))}`
  const kind = random()
  if (kind < 0.5) query.splice(at, 1, value)
  else if (kind < 0.8) query.push(value)
  else query.splice(at, 1)
  request.path = joined(before, query)
}

const changePath: Mutation = (request, random) => {
  const [before, query] = split(request.path)
  const segments = before.split('/')
  // Keeps the service's prefix, because only the path after it is of interest.
  const at = 3 + Math.floor(random() * Math.max(1, segments.length - 3))
  if (random() < 0.7) segments[at] = inUrl(random, pick(random, VALUES))
  else if (random() < 0.5) segments.splice(at, 1)
  else segments.splice(at, 0, inUrl(random, pick(random, VALUES)))
  request.path = joined(segments.join('/'), query)
}

const changeHeader: Mutation = (request, random) => {
  const [name, values] = pick(random, HEADERS)
  request.headers[name] = random() < 0.7 ? pick(random, values) : pick(random, VALUES)
  if (random() < 0.1) delete request.headers[pick(random, Object.keys(request.headers))]
}

const changeJson: Mutation = (request, random) => {
  let value: unknown
  try {
    value = JSON.parse(request.body.toString())
  } catch {
    return changeBytes(request, random, { requests: [], tokens: [] })
  }
  request.body = Buffer.from(JSON.stringify(withChange(value, random)))
}

const HOSTILE_JSON: readonly unknown[] = [
  null,
  true,
  -1,
  1e300,
  0.1,
  '',
  [],
  {},
  [[]],
  [null],
  { a: { b: {} } },
  { __proto__: null, constructor: 1 },
]

function withChange(value: unknown, random: Random): unknown {
  const isDeep = typeof value === 'object' && value !== null && Object.keys(value).length > 0
  if (!isDeep || random() < 0.2) {
    if (random() < 0.1) return JSON.parse(`${'['.repeat(900)}${']'.repeat(900)}`)
    return random() < 0.5 ? pick(random, HOSTILE_JSON) : pick(random, VALUES)
  }
  const keys = Object.keys(value)
  const key = pick(random, keys)
  if (Array.isArray(value)) return value.map((one, at) => (String(at) === key ? withChange(one, random) : one))
  const entries = Object.entries(value)
  const kind = random()
  if (kind < 0.15) return Object.fromEntries(entries.filter(([name]) => name !== key))
  if (kind < 0.25) return { ...value, [pick(random, VALUES)]: pick(random, HOSTILE_JSON) }
  if (kind < 0.3) return [value, value]
  return Object.fromEntries(entries.map(([name, one]) => [name, name === key ? withChange(one, random) : one]))
}

const changeBytes: Mutation = (request, random) => {
  const at = Math.floor(random() * (request.body.length + 1))
  const [before, after] = [request.body.subarray(0, at), request.body.subarray(at)]
  const kind = random()
  if (kind < 0.4) request.body = Buffer.concat([before, Buffer.from(pick(random, VALUES)), after])
  else if (kind < 0.6) request.body = Buffer.from(before)
  else if (kind < 0.8)
    request.body = Buffer.concat(Array.from({ length: 1 + Math.floor(random() * 30) }, () => request.body))
  else request.body = Buffer.concat([before, Buffer.from([Math.floor(random() * 256)]), after.subarray(1)])
}

const changeMethod: Mutation = (request, random) => {
  request.method = pick(random, METHODS)
}

const changeCredential: Mutation = (request, random, { tokens }) => {
  const token = random() < 0.7 ? pick(random, tokens) : pick(random, FORGED)
  if (random() < 0.2) delete request.headers.authorization
  else request.headers.authorization = `Bearer ${token}`
  if (random() < 0.2) delete request.headers.apikey
}

const spliceOther: Mutation = (request, random, { requests }) => {
  const other = pick(random, requests)
  if (random() < 0.5) request.body = other.body
  else request.path = joined(split(request.path)[0], split(other.path)[1])
}

const CHANGES: readonly Mutation[] = [
  changeQuery,
  changeQuery,
  changePath,
  changeHeader,
  changeJson,
  changeJson,
  changeBytes,
  changeMethod,
  changeCredential,
  spliceOther,
]

/** Mutates a client's frame. */
export function mutateFrame(random: Random, data: string | Buffer): string | Buffer {
  const bytes = Buffer.from(data)
  const request: Mutable = { method: 'POST', path: '', headers: {}, body: bytes }
  if (random() < 0.2) return data
  if (typeof data === 'string' && random() < 0.7) changeJson(request, random, { requests: [], tokens: [] })
  else changeBytes(request, random, { requests: [], tokens: [] })
  return typeof data === 'string' ? request.body.toString() : request.body
}
