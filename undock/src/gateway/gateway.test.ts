import { expect, test } from 'vitest'
import { type AccessEntry, createGateway } from './gateway.ts'

const seen: AccessEntry[] = []
const gateway = createGateway({
  services: {
    rest: (request) =>
      new Response(new URL(request.url).search, { status: 201, headers: { 'content-range': '0-1/2' } }),
    functions: () => new Response('', { headers: { 'access-control-allow-origin': 'https://own.example' } }),
  },
  disabled: new Set(['realtime']),
  record: (entry) => seen.push(entry),
})
const ask = (path: string, init?: RequestInit) =>
  gateway(new Request(`http://127.0.0.1:54321${path}`, init), '127.0.0.1')

test('hands the whole request to the service of its first segment and lets any page read the answer', async () => {
  const response = await ask('/rest/v1/notes?select=id')
  expect([response.status, await response.text()]).toEqual([201, '?select=id'])
  expect(response.headers.get('access-control-allow-origin')).toBe('*')
  expect(response.headers.get('access-control-expose-headers')).toContain('Content-Range')
  expect(response.headers.get('sb-request-id')).toMatch(/^[0-9a-f-]{36}$/)
})

test('a service that speaks of origins itself is not overruled', async () => {
  expect((await ask('/functions/v1/f')).headers.get('access-control-allow-origin')).toBe('https://own.example')
})

test('answers a preflight with what was asked for, without a service', async () => {
  const response = await ask('/auth/v1/token', {
    method: 'OPTIONS',
    headers: { 'access-control-request-method': 'POST', 'access-control-request-headers': 'apikey,x-client-info' },
  })
  expect(response.status).toBe(200)
  expect(response.headers.get('access-control-allow-headers')).toBe('apikey,x-client-info')
})

test.each([
  ['/nothing/v1/x', 404, 'no Route matched with those values'],
  ['/rest/v2/x', 404, 'no Route matched with those values'],
  ['/', 404, 'no Route matched with those values'],
  ['/realtime/v1/websocket', 503, 'The service "realtime" is turned off for this project'],
  ['/graphql/v1', 501, 'GraphQL needs the extension pg_graphql, which the embedded engine cannot load'],
])('%s answers %i', async (path, status, message) => {
  const response = await ask(path)
  expect([response.status, await response.json()]).toEqual([status, { message }])
})

test('the access log has no query string', async () => {
  seen.length = 0
  await ask('/rest/v1/notes?apikey=secret')
  expect(seen[0]).toMatchObject({ method: 'GET', path: '/rest/v1/notes', service: 'rest', status: 201 })
})
