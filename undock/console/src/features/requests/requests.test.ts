import { expect, test } from 'vitest'
import type { RequestTree } from './queries.ts'
import { asClientCall, asCurl } from './request-code.ts'
import { parseRequestFile } from './request-file.ts'
import { endOf, linesOf, partsOf } from './spans.ts'

const request: RequestTree = {
  id: 'a',
  traceId: 't',
  parent: null,
  time: '2026-01-01T00:00:00.000Z',
  method: 'GET',
  path: '/rest/v1/books?select=id&title=eq.It%27s&id=not.in.(1,2)&order=id.desc&limit=3',
  service: 'rest',
  status: 200,
  duration: 10,
  caller: { role: 'anon', claims: { role: 'anon' } },
  headers: { prefer: 'count=exact', 'user-agent': 'x' },
  parentSpan: null,
  requestBody: null,
  responseBody: null,
  spans: [],
  droppedSpans: 0,
  children: [],
}
const span = (start: number) => ({ start, duration: 1, error: null, kind: 'mail' as const, to: 'a', subject: 'Hi' })

test("orders a request's work by time", () => {
  const child: RequestTree = { ...request, id: 'b', time: '2026-01-01T00:00:00.005Z', duration: 30, spans: [span(1)] }
  const lines = linesOf({ ...request, spans: [span(8), span(2)], children: [child] })
  expect(lines.map(({ depth, start }) => [depth, start])).toEqual([
    [0, 0],
    [1, 2],
    [1, 5],
    [2, 6],
    [1, 8],
  ])
  expect(endOf(lines)).toBe(35)
})

test('shows work of an unknown kind by its properties', () => {
  const work = { kind: 'file', start: 1, duration: 2, error: null, action: 'write', bucket: 'photos', bytes: null }
  expect(partsOf(work as never)).toEqual({
    label: 'file write photos',
    facts: [
      ['action', 'write'],
      ['bucket', 'photos'],
    ],
  })
})

test('turns a request into a shell command', () => {
  const user = { role: 'authenticated', claims: { sub: '1' } }
  const path = "/rest/v1/books?title=eq.It's"
  expect(
    asCurl({ ...request, path, method: 'PATCH', caller: user }, 'http://127.0.0.1:54321', 'sb_publishable_x'),
  ).toBe(
    [
      `curl -X PATCH 'http://127.0.0.1:54321/rest/v1/books?title=eq.It'\\''s'`,
      `-H 'apikey: sb_publishable_x'`,
      `-H "Authorization: Bearer $ACCESS_TOKEN"`,
      `-H 'prefer: count=exact'`,
      '--data @body.json',
    ].join(' \\\n  '),
  )
  expect(asCurl({ ...request, caller: { role: 'service_role', claims: {} } }, '', '')).toContain('$SUPABASE_SECRET_KEY')
})

test('turns a read into a supabase-js call, if there is an equivalent', () => {
  expect(asClientCall(request)).toBe(
    [
      'await supabase',
      ".from('books')",
      ".select('id')",
      ".eq('title', 'It\\'s')",
      ".filter('id', 'not', 'in.(1,2)')",
      ".order('id', { ascending: false })",
      '.limit(3)',
    ].join('\n  '),
  )
  for (const path of ['/rest/v1/rpc/f', '/rest/v1/books?offset=3', '/auth/v1/user', '/rest/v1/%ff'])
    expect(asClientCall({ ...request, path })).toBeNull()
  expect(asClientCall({ ...request, method: 'POST' })).toBeNull()
})

test.each([
  ['{', 'This file is not JSON'],
  ['{"log": {}}', 'This is an HTTP Archive'],
  ['{"undock": 1, "requests": [{"id": "a"}]}', 'This file holds no saved requests'],
])('rejects the file %s', (text, message) => {
  expect(() => parseRequestFile(text)).toThrow(message)
})

test('a saved file keeps work of unknown kinds', () => {
  const spans = [{ kind: 'file', start: 1, duration: 2, error: null, bucket: 'photos' }]
  const text = JSON.stringify({ undock: 1, requests: [{ ...request, spans, children: [request] }] })
  expect(parseRequestFile(text)).toEqual([{ ...request, spans, children: [request] }])
})
