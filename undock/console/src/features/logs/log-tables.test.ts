import { expect, test } from 'vitest'
import type { RequestTree } from '../requests/queries.ts'
import { bucketsOf, jsonOf, logRows } from './log-tables.ts'

const request = (id: string, time: string, children: readonly RequestTree[] = []): RequestTree => ({
  id,
  traceId: '0'.repeat(32),
  parent: null,
  parentSpan: null,
  time,
  method: 'GET',
  path: `/rest/v1/${id}`,
  service: 'rest',
  status: id === 'b' ? 500 : 200,
  duration: 12,
  caller: { role: 'authenticated', claims: { sub: 'ada' } },
  headers: {},
  spans: [
    {
      kind: 'sql',
      start: 2,
      duration: 8,
      waited: 2,
      role: 'authenticated',
      error: id === 'b' ? '42501 no' : null,
      statements: [
        { text: 'begin', parameters: [], rows: 0 },
        { text: 'select 1', parameters: [], rows: 1 },
      ],
    },
    { kind: 'mail', start: 3, duration: 1, error: null, to: 'a@b.c', subject: 's' },
  ],
  droppedSpans: 0,
  requestBody: null,
  responseBody: null,
  children,
})
const TREES = [
  request('a', '2026-01-01T00:00:00.000Z', [request('b', '2026-01-01T00:00:10.000Z')]),
  request('c', '2026-01-01T00:01:00.000Z'),
]
const LINE = { service: 'auth', level: 'info', message: 'hi', fields: { requestId: 'a', x: 1 } } as const

test('turns requests, nested requests, statements and log lines into rows', () => {
  const { requests, statements, lines } = logRows(TREES, [{ ...LINE, time: '2026-01-01T00:00:01.000Z' }], null)
  expect(requests.map(({ id, statements: count, user_id, error }) => [id, count, user_id, error])).toEqual([
    ['a', 2, 'ada', null],
    ['b', 2, 'ada', '42501 no'],
    ['c', 2, 'ada', null],
  ])
  expect(statements).toHaveLength(6)
  expect(statements[1]).toMatchObject({
    request: 'a',
    sql: 'select 1',
    time: '2026-01-01T00:00:00.002Z',
    duration: 4,
    waited: 1,
  })
  expect(lines).toEqual([
    { time: '2026-01-01T00:00:01.000Z', service: 'auth', level: 'info', message: 'hi', request: 'a', fields: { x: 1 } },
  ])
})

test('leaves out rows outside the time range', () => {
  const range = { from: Date.parse('2026-01-01T00:00:05Z'), to: Date.parse('2026-01-01T00:00:20Z') }
  const { requests, statements, lines } = logRows(TREES, [{ ...LINE, time: '2026-01-01T00:00:01.000Z' }], range)
  expect([requests.map(({ id }) => id), statements.length, lines.length]).toEqual([['b'], 2, 0])
})

test('counts requests by interval', () => {
  const all = [TREES[0], ...(TREES[0]?.children ?? []), TREES[1]].filter((one) => one !== undefined)
  const buckets = bucketsOf(all, 6)
  expect(buckets.map(({ requests, failed }) => [requests, failed])).toEqual([
    [2, 1],
    [0, 0],
    [0, 0],
    [0, 0],
    [0, 0],
    [1, 0],
  ])
  expect(bucketsOf([], 6)).toEqual([])
})

test("replaces text that jsonb can't hold and drops the oldest rows above the limit", () => {
  expect(JSON.parse(jsonOf([{ text: 'a\0b', deep: { half: 'x\ud800' } }]).json)).toEqual([
    { text: 'a\ufffdb', deep: { half: 'x\ufffd' } },
  ])
  const rows = Array.from({ length: 5 }, (_, n) => ({ n, text: 'x'.repeat(1_000_000) }))
  const { json, left } = jsonOf(rows)
  expect([JSON.parse(json).map(({ n }: { n: number }) => n), left]).toEqual([[2, 3, 4], 2])
})
