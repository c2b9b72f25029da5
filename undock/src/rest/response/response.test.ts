import type { AddressInfo } from 'node:net'
import { serve } from '@hono/node-server'
import { expect, test } from 'vitest'
import { parseResponseHeaders, type Rendered, toResponse } from './response.ts'

const rendered = (status: number, body: Rendered['body'], headers: Rendered['headers'] = []): Rendered => ({
  status,
  headers,
  body,
})

async function received(made: Rendered): Promise<Response> {
  const server = serve({ fetch: () => toResponse(made), port: 0, hostname: '127.0.0.1' })
  try {
    await new Promise((resolve) => server.once('listening', resolve))
    return await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
  } finally {
    server.close()
  }
}

test.each<[string, Rendered, status: number, type: string | null, length: string | null, body: string]>([
  ['a body', rendered(200, '"é"', [['content-type', 'application/json']]), 200, 'application/json', '4', '"é"'],
  ['an empty body', rendered(201, ''), 201, null, '0', ''],
  ['no body', rendered(204, null), 204, null, null, ''],
  ['no body for a status without one', rendered(204, ''), 204, null, null, ''],
])('sends %s without additional headers', async (_name, made, status, type, length, body) => {
  const response = await received(made)
  const { headers } = response
  expect([response.status, headers.get('content-type'), headers.get('content-length'), await response.text()]).toEqual([
    status,
    type,
    length,
    body,
  ])
})

test('a header may occur twice, but Content-Length only once', async () => {
  const { headers } = await received(
    rendered(200, 'four', [
      ['Set-Cookie', 'a=1'],
      ['set-cookie', 'b=2'],
      ['Content-Length', '99'],
    ]),
  )
  expect([headers.getSetCookie(), headers.get('content-length')]).toEqual([['a=1', 'b=2'], '4'])
})

test.each(['[{"x-a": "two\\nlines"}]', '[{"x a": "b"}]'])(
  "%s, which isn't a valid header, never reaches the server",
  (text) => {
    expect(() => parseResponseHeaders(text)).toThrow(TypeError)
  },
)
