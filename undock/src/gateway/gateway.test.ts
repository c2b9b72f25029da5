import { expect, test } from 'vitest'
import { type AccessEntry, createGateway } from './gateway.ts'

const seen: AccessEntry[] = []
const gateway = createGateway({
  handlers: new Map([
    [
      'rest',
      (request) => new Response(new URL(request.url).search, { status: 201, headers: { 'content-range': '0-1/2' } }),
    ],
  ]),
  disabled: new Set(['realtime', 'pg']),
  foreignPages: { isForeign: () => false, refuses: () => false },
  record: (entry) => seen.push(entry),
})
let responseHeaders: Headers
const ask = (path: string, init?: RequestInit) => {
  responseHeaders = new Headers()
  return gateway(new Request(`http://127.0.0.1:54321${path}`, init), {
    address: '127.0.0.1',
    setHeader: (name, value) => responseHeaders.set(name, value),
  })
}

test('routes a request unchanged by its first segment, readable from any origin', async () => {
  const response = await ask('/rest/v1/notes?select=id')
  expect([response.status, await response.text()]).toEqual([201, '?select=id'])
  expect(responseHeaders.get('access-control-allow-origin')).toBe('*')
  expect(responseHeaders.get('access-control-expose-headers')).toContain('Content-Range')
  expect(responseHeaders.get('sb-request-id')).toMatch(/^[0-9a-f-]{36}$/)
})

test('answers a preflight request without calling a service', async () => {
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
  ['/pg/tables', 503, 'The service "pg" is turned off for this project'],
  ['/pgsql', 404, 'no Route matched with those values'],
  ['/graphql/v1', 501, 'GraphQL needs the extension pg_graphql, which undock does not include'],
  [
    '/analytics/v1/api/endpoints/query/logs.all?project=default&sql=select',
    501,
    'Logs cannot be queried by SQL here, because those queries are in the dialect of ClickHouse. `undock logs` prints the logs, and the console queries them in SQL of Postgres.',
  ],
  ['/constructor/v1/', 404, 'no Route matched with those values'],
])('responds to %s with %i', async (path, status, message) => {
  const response = await ask(path)
  expect([response.status, await response.json()]).toEqual([status, { message }])
})

test('leaves query strings out of the access log', async () => {
  seen.length = 0
  await ask('/rest/v1/notes?apikey=secret')
  expect(seen[0]).toMatchObject({ method: 'GET', path: '/rest/v1/notes', service: 'rest', status: 201 })
})
