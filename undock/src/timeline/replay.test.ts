import { expect, test, vi } from 'vitest'
import type { RequestRecord } from './records.ts'
import { type ReplayDeps, replay } from './replay.ts'

const record: RequestRecord = {
  id: '3f2a91bc-0000-4000-8000-000000000000',
  traceId: '3f2a91bc000040008000000000000000',
  parent: null,
  parentSpan: null,
  time: '2026-01-01T00:00:00.000Z',
  method: 'GET',
  path: '/functions/v1/events',
  service: 'functions',
  status: 200,
  duration: 5,
  caller: null,
  headers: {},
  spans: [],
  droppedSpans: 0,
  requestBody: null,
  responseBody: null,
}
const deps = {
  identity: { keys: { publishable: 'sb_publishable_x', secret: 'sb_secret_x' } },
  clock: { now: () => new Date(0) },
  url: 'http://127.0.0.1:54321',
  keepsBodies: true,
} as unknown as ReplayDeps

test('gives up on a response that never ends', async () => {
  const cancel = vi.fn()
  const endless = new ReadableStream({ start: (controller) => controller.enqueue(Buffer.from('data: 1\n\n')), cancel })
  const timeout = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(AbortSignal.abort())
  const { after, differences } = await replay(
    { ...deps, handlerOf: () => () => new Response(endless) },
    record,
    null,
    {},
  )
  expect(after).toMatchObject({ status: 200, body: { omitted: 'it did not end within 10 seconds' } })
  expect(differences).toBeNull()
  expect(cancel).toHaveBeenCalled()
  timeout.mockRestore()
})

test("replays a caller's key with a key and a user with a fresh token", async () => {
  const sent: Headers[] = []
  const sign = vi.fn(async () => 'fresh')
  const handle = ({ headers }: Request) => {
    sent.push(headers)
    return new Response('{}', { headers: { 'content-type': 'application/json' } })
  }
  const sending = {
    ...deps,
    identity: { ...deps.identity, issuer: 'http://127.0.0.1/auth/v1', sign },
    handlerOf: () => handle,
  }
  const user = { role: 'authenticated', claims: { role: 'authenticated', sub: 'ada', exp: 1, iat: 0 } }
  for (const caller of [
    null,
    { role: 'anon', claims: { role: 'anon' } },
    { role: 'service_role', claims: { role: 'service_role' } },
    user,
  ])
    await replay(sending, record, caller, {})
  expect(sent.map((headers) => [headers.get('apikey'), headers.get('authorization')])).toEqual([
    [null, null],
    ['sb_publishable_x', null],
    ['sb_secret_x', null],
    ['sb_publishable_x', 'Bearer fresh'],
  ])
  expect(sign).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ sub: 'ada', iat: 0, exp: 3600 }))
})

test.each<[string, Partial<RequestRecord>]>([
  ['address held a token', { path: '/auth/v1/verify?token=…' }],
  ['part of a WebSocket', { status: 101, service: 'realtime' }],
  ['part of a WebSocket', { method: 'JOIN', path: 'realtime:x' }],
  ['S3 protocol', { service: 'storage', path: '/storage/v1/s3/bucket/key' }],
  ['key or token was refused', { status: 401 }],
  ['bodies are not kept', { method: 'POST', headers: { 'content-length': '2' } }],
])('rejects a request: its %s', async (reason, changed) => {
  const refused = replay({ ...deps, handlerOf: () => () => new Response() }, { ...record, ...changed }, null, {})
  await expect(refused).rejects.toMatchObject({ status: 422, message: expect.stringContaining(reason) })
})
