import { expect, test } from 'vitest'
import { type AccessEntry, createGateway } from './gateway.ts'

const seen: AccessEntry[] = []
const gateway = createGateway({
  services: {
    rest: (request) =>
      new Response(new URL(request.url).search, { status: 201, headers: { 'content-range': '0-1/2' } }),
  },
  disabled: new Set(['realtime']),
  record: (entry) => seen.push(entry),
})
let labels: Headers
const ask = (path: string, init?: RequestInit) => {
  labels = new Headers()
  return gateway(new Request(`http://127.0.0.1:54321${path}`, init), {
    address: '127.0.0.1',
    label: (name, value) => labels.set(name, value),
  })
}

test('hands the whole request to the service of its first segment and lets any page read the answer', async () => {
  const response = await ask('/rest/v1/notes?select=id')
  expect([response.status, await response.text()]).toEqual([201, '?select=id'])
  expect(labels.get('access-control-allow-origin')).toBe('*')
  expect(labels.get('access-control-expose-headers')).toContain('Content-Range')
  expect(labels.get('sb-request-id')).toMatch(/^[0-9a-f-]{36}$/)
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
