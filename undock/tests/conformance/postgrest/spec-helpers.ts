import { createHmac } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Action, applyTo, Tuple, type Value } from '../haskell/evaluate.ts'
import type { Case, Example } from './cases.ts'
import type { HeaderList, RawResponse } from './client.ts'
import { toHeaders } from './examples.ts'
import { Json, readJson } from './json.ts'
import { at } from './json-paths.ts'
import {
  bodyEquals,
  headerContains,
  headerIs,
  headerIsAbsent,
  headerMatches,
  headerOf,
  missesOf,
  toResponseMatcher,
} from './matchers.ts'
import { toBytes, toText } from './text.ts'

/** The specs' helpers (SpecHelper.hs) that reach outside their text; the others are interpreted. @param folder The specs' folder. */
export const specHelpers = (folder: string) => ({
  ...MATCHERS,
  ...TOKENS,
  readFixtureFile: (file: string) => readFileSync(join(folder, 'fixtures', file)),
  validateOpenApiResponse: (headers: Value) => validateOpenApi(folder, headers),
  getInsertDataForTiobePlsTable: (rows: number) =>
    new Json(Array.from({ length: rows + 1 }, (_, index) => ({ name: `Lang ${index + 20}`, rank: index + 20 }))),
})

const contentTypeIs = (type: string) => headerIs('Content-Type', `${type}; charset=utf-8`)

const MATCHERS = {
  '<:>': (name: Value) => (value: Value) => headerIs(toText(name), toText(value)),
  bodyEquals,
  matchContentTypeJson: contentTypeIs('application/json'),
  matchContentTypeSingular: contentTypeIs('application/vnd.pgrst.object+json'),
  matchCTArrayStrip: contentTypeIs('application/vnd.pgrst.array+json;nulls=stripped'),
  matchCTSingularStrip: contentTypeIs('application/vnd.pgrst.object+json;nulls=stripped'),
  matchHeaderValuePresent: (name: string) => (value: Value) => headerContains(name, toText(value)),
  matchHeaderAbsent: headerIsAbsent,
  matchServerTimingHasTiming: (metric: string) => (headers: HeaderList) =>
    headerMatches(headers, 'server-timing', new RegExp(`${metric};dur=\\d+.\\d+`)) ? null : `no timing of ${metric}`,
  matchHeader: (name: string) => (pattern: string) => (headers: readonly Tuple[]) =>
    headerMatches(fromTuples(headers), name, new RegExp(pattern)),
  noBlankHeader: (headers: readonly Tuple[]) => fromTuples(headers).every(([name]) => name !== ''),
  notZeroContentLength: (headers: readonly Tuple[]) => (headerOf(fromTuples(headers), 'content-length') ?? '0') !== '0',
  noProfileHeader: (headers: readonly Tuple[]) => headerOf(fromTuples(headers), 'content-profile') === undefined,
  isErrorFormat: (body: Value) => {
    const { value } = readJson(toText(body)) ?? new Json(null)
    const keys = Object.keys(value ?? {})
    return keys.includes('message') && keys.every((key) => ['message', 'details', 'hint', 'code'].includes(key))
  },
  planCost: ({ response }: Case) => totalCost(response),
  parseServerTimingHeader: (headers: readonly Tuple[]) =>
    [...(headerOf(fromTuples(headers), 'server-timing') ?? '').matchAll(/(\w+);dur=([\d.]+)/g)].map(
      ([, name, duration]) => new Tuple([name, Number(duration)]),
    ),
}

function totalCost({ body }: RawResponse): number {
  const found = at(readJson(body.toString())?.value, [0, 'Plan', 'Total Cost'])
  return typeof found === 'number' ? found : Number.POSITIVE_INFINITY
}

const fromTuples = (headers: readonly Tuple[]): HeaderList =>
  headers.map(({ items: [name, value] }) => [String(name), String(value)])

/** An HMAC-signed token like the specs' helpers create. */
function signToken(secret: Value, claims: Value): string {
  const encoded = [JSON.stringify({ alg: 'HS256' }), toBytes(claims)].map((part) =>
    Buffer.from(part).toString('base64url'),
  )
  const signature = createHmac('sha256', toBytes(secret)).update(encoded.join('.')).digest('base64url')
  return [...encoded, signature].join('.')
}

const TOKENS = {
  decodeLenient: (text: string) => Buffer.from(text, 'base64'),
  hmacEncode: (_algorithm: Value) => (secret: Value) => (claims: Value) => signToken(secret, claims),
  unJwt: (token: string) => token,
  // Encoding never fails here.
  either: (_onFailure: Value) => (callee: Value) => (value: Value) => applyTo(callee, value),
}

/** The specs' check of an API description: a fixture function compares it with the OpenAPI schema. */
function validateOpenApi(folder: string, headers: Value): Action {
  return new Action(async (example: Example) => {
    const described = await example.send({
      method: 'GET',
      path: '/',
      headers: toHeaders(headers),
      body: Buffer.alloc(0),
    })
    const expected = toResponseMatcher(200)
    const typed = { ...expected, matchHeaders: [headerIs('Content-Type', 'application/openapi+json; charset=utf-8')] }
    example.expect(missesOf(described.response, typed).join('; ') || null, described)
    const schema = readFileSync(join(folder, 'fixtures/openapi.json'), 'utf8')
    const answered = await example.send({
      method: 'POST',
      path: '/rpc/validate_json_schema',
      headers: [['Accept', 'application/json']],
      body: Buffer.from(`{"schema":${schema},"data":${described.response.body}}`),
    })
    example.expect(missesOf(answered.response, toResponseMatcher('true')).join('; ') || null, answered)
  })
}
