import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { callHttpHook } from './http-hook.ts'

const SECRET = 'v1,whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
const NOW = new Date('2026-01-01T00:00:00Z')

function endpoint(...answers: (() => Response | Promise<Response>)[]) {
  const asked: Request[] = []
  const fetch: typeof globalThis.fetch = async (input, init) => {
    asked.push(new Request(input, init))
    const answer = answers[Math.min(asked.length, answers.length) - 1]
    if (!answer) throw new Error('no answer')
    return answer()
  }
  return {
    asked,
    ask: () => callHttpHook(fetch, { uri: 'https://hooks.test/here', secrets: SECRET, payload: { a: 1 }, now: NOW }),
  }
}

const json =
  (body: unknown, status = 200, headers = {}) =>
  () =>
    Response.json(body, { status, headers })
const withoutType = () => {
  const response = json({})()
  response.headers.delete('content-type')
  return response
}
const nobody = () => Promise.reject(new TypeError('fetch failed'))

test('signs requests', async () => {
  const { asked, ask } = endpoint(json({ ok: true }))
  expect(await ask()).toEqual({ ok: true })
  const [request] = asked
  expect(request?.method).toBe('POST')
  expect(await request?.json()).toEqual({ a: 1 })
  expect(Object.fromEntries(request?.headers ?? [])).toMatchObject({
    'content-type': 'application/json',
    'webhook-id': expect.stringMatching(/^[0-9a-f-]{36}$/),
    'webhook-timestamp': '1767225600',
    'webhook-signature': expect.stringMatching(/^v1,[A-Za-z0-9+/]{43}=$/),
  })
})

test.each([
  ['nothing', () => new Response(null, { status: 204 }), null],
  ['202', json({ claims: {} }, 202), { claims: {} }],
  ['a type with parameters', json({}, 200, { 'content-type': 'application/json; charset=utf-8' }), {}],
])('accepts %s', async (_name, answer, expected) => {
  expect(await endpoint(answer).ask()).toEqual(expected)
})

test.each([
  ['400', json({}, 400), 500, 'unexpected_failure', 'Invalid payload sent to hook'],
  ['401', json({}, 401), 500, 'unexpected_failure', 'Hook requires authorization token'],
  ['404', json({}, 404), 500, 'unexpected_failure', 'Unexpected status code returned from hook: 404'],
  [
    '422, whatever it says',
    json({ error: { message: 'no' } }, 422),
    500,
    'unexpected_failure',
    'Unexpected status code returned from hook: 422',
  ],
  ['503 without a time', json({}, 503), 500, 'unexpected_failure', 'Service currently unavailable due to hook'],
  [
    'text',
    () => new Response('{}', { headers: { 'content-type': 'text/plain' } }),
    400,
    'hook_payload_invalid_content_type',
    'Invalid JSON response. Received content-type: text/plain',
  ],
  [
    'no type',
    withoutType,
    400,
    'hook_payload_invalid_content_type',
    'Invalid Content-Type: Missing Content-Type header',
  ],
  [
    'a large body',
    json({ x: 'x'.repeat(200 * 1024) }),
    422,
    'hook_payload_over_size_limit',
    'Payload size exceeded size limit of 204800 bytes',
  ],
  [
    'invalid JSON',
    () => new Response('{', { headers: { 'content-type': 'application/json' } }),
    500,
    'unexpected_failure',
    'Error unmarshaling JSON output.',
  ],
])('rejects %s', async (_name, answer, status, code, message) => {
  const { ask, asked } = endpoint(answer)
  await expect(ask()).rejects.toMatchObject({ status, code, message })
  expect(asked).toHaveLength(1)
})

test('reads an endless response only up to the limit', async () => {
  let sent = 0
  let left = false
  const endless = () =>
    new Response(
      new ReadableStream({
        pull(controller) {
          sent += 65_536
          controller.enqueue(new Uint8Array(65_536))
        },
        cancel() {
          left = true
        },
      }),
      { headers: { 'content-type': 'application/json' } },
    )
  await expect(endpoint(endless).ask()).rejects.toMatchObject({ code: 'hook_payload_over_size_limit' })
  expect([sent <= 400 * 1024, left]).toEqual([true, true])
})

test('retries a hook on request, at most twice', async () => {
  const later = json({}, 429, { 'retry-after': 'true' })
  const willing = endpoint(later, later, json({ ok: true }))
  expect(await willing.ask()).toEqual({ ok: true })
  const busy = endpoint(later)
  await expect(busy.ask()).rejects.toMatchObject({ status: 500, message: 'Service currently unavailable due to hook' })
  expect(busy.asked).toHaveLength(3)
})

describe('timeouts', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
  afterEach(() => void vi.useRealTimers())

  const outcome = (asking: Promise<unknown>) => asking.then(null, (error) => [error.status, error.code, error.message])

  test('calls an unreachable hook three times in five seconds', async () => {
    const { ask, asked } = endpoint(nobody)
    const told = outcome(ask())
    await vi.advanceTimersByTimeAsync(4000)
    expect(await told).toEqual([422, 'hook_timeout_after_retry', 'Failed to reach hook after maximum retries'])
    expect(asked).toHaveLength(3)
  })

  test('succeeds once an unreachable hook is back', async () => {
    const told = endpoint(nobody, json({ ok: true })).ask()
    await vi.advanceTimersByTimeAsync(2000)
    expect(await told).toEqual({ ok: true })
  })

  test('times out a slow hook', async () => {
    const silent: typeof globalThis.fetch = (_input, init) =>
      new Promise((_resolve, reject) => init?.signal?.addEventListener('abort', () => reject(init.signal?.reason)))
    const told = outcome(
      callHttpHook(silent, { uri: 'https://hooks.test/here', secrets: SECRET, payload: {}, now: NOW }),
    )
    await vi.advanceTimersByTimeAsync(5000)
    expect(await told).toEqual([422, 'hook_timeout', 'Failed to reach hook within maximum time of 5.000000 seconds'])
  })
})
