import { expect, test } from 'vitest'
import { harOf } from './har.ts'
import type { RequestTree, Span } from './records.ts'
import { treeText } from './text.ts'

const at = { start: 1, duration: 2, error: null }
const spans: Span[] = [
  {
    ...at,
    kind: 'sql',
    role: 'anon',
    waited: 3.5,
    statements: [{ text: 'select $1', parameters: ['7'], rows: 1 }],
  },
  { ...at, kind: 'hook', name: 'send-sms', target: 'http://127.0.0.1/hook', error: 'no answer' },
  { ...at, kind: 'mail', to: 'a…@example.org', subject: 'Confirm' },
  { ...at, kind: 'call', method: 'GET', url: 'https://example.org/', status: 200 },
  { ...at, kind: 'file', action: 'write', bucket: 'files', bytes: 12 },
  {
    ...at,
    kind: 'join',
    topic: 'realtime:x',
    verdict: 'joined',
    allowed: { 'to receive broadcasts': true, 'to send broadcasts': null },
  },
  { ...at, kind: 'join', topic: 'realtime:y', verdict: 'joined', allowed: null },
  {
    ...at,
    kind: 'delivery',
    event: 'INSERT',
    topic: 'public.notes',
    receivers: 2,
    withheld: [{ caller: 'anon', reason: 'policy', count: 3 }],
  },
]
const request: RequestTree = {
  id: '3f2a91bc-0000-4000-8000-000000000000',
  traceId: '3f2a91bc000040008000000000000000',
  parent: null,
  parentSpan: null,
  time: '2026-01-01T00:00:00.000Z',
  method: 'POST',
  path: '/rest/v1/notes',
  service: 'rest',
  status: 201,
  duration: 5,
  caller: { role: 'anon', claims: {} },
  headers: { prefer: 'return=minimal' },
  spans,
  droppedSpans: 4,
  requestBody: { text: '{"id":1}', hidden: [] },
  responseBody: { omitted: 'it is longer than 64 KiB' },
  children: [],
}

test('writes everything a request caused in sentences', () => {
  expect(treeText(request)).toMatchInlineSnapshot(`
    "POST /rest/v1/notes
    201 after 5.0 ms, at 2026-01-01T00:00:00.000Z
    Request 3f2a91bc-0000-4000-8000-000000000000
    Caller  anon
            prefer: return=minimal
    Body    {"id":1}
    Answer  not kept, because it is longer than 64 KiB

      +1.0 ms, 2.0 ms  SQL as anon, of which it waited 3.5 ms for its session
          select $1
          $1 = 7
          1 row
      +1.0 ms, 2.0 ms  hook send-sms at http://127.0.0.1/hook
          ✗ no answer
      +1.0 ms, 2.0 ms  mail to a…@example.org: Confirm
      +1.0 ms, 2.0 ms  GET https://example.org/ 200
      +1.0 ms, 2.0 ms  write a file of files, 12 bytes
      +1.0 ms, 2.0 ms  join realtime:x: joined, policies allow to receive broadcasts
      +1.0 ms, 2.0 ms  join realtime:y: joined, a public topic
      +1.0 ms, 2.0 ms  INSERT on public.notes to 2 subscribers
          not to 3 of anon: row security does not let them read it
      and 4 more, which were not kept"
  `)
})

test('exports an HTTP Archive of the requests, without joins and deliveries', () => {
  const joined = { ...request, id: 'b', method: 'JOIN', path: 'realtime:x' }
  const har = harOf([{ ...request, children: [joined, { ...joined, id: 'c', method: 'DELIVER' }] }], 'http://127.0.0.1')
  expect(har).toMatchObject({
    log: { entries: [{ request: { method: 'POST', url: 'http://127.0.0.1/rest/v1/notes' } }] },
  })
})
