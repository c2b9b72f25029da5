import { expect, test } from 'vitest'
import { createRouter, decodeSegments, WEBSOCKET } from './router.ts'

const router = createRouter(
  [
    { method: 'GET|HEAD', path: '/bucket', name: 'list' },
    { method: 'POST', path: '/bucket', name: 'create' },
    { method: 'GET', path: '/bucket/{bucket}', name: 'get' },
    { method: 'POST', path: '/object/list/{bucket}', name: 'list objects' },
    { method: 'POST', path: '/object/{bucket}/{key...}', name: 'upload' },
    { method: '*', path: '/health', name: 'health' },
    { method: 'GET', path: '/{tenant}/info', name: 'tenant' },
    { method: WEBSOCKET, path: '/socket', name: 'socket' },
  ].map((row) => ({ ...row, access: 'anyone' as const })),
)

const find = (method: string, path: string) => {
  const match = router.find(method, decodeSegments(path) ?? [])
  return match.kind === 'found' ? [match.route.name, match.params] : match
}

test.each([
  ['GET', '/bucket', 'list', {}],
  ['HEAD', '/bucket', 'list', {}],
  ['POST', '/bucket', 'create', {}],
  ['GET', '/bucket/photos', 'get', { bucket: 'photos' }],
  ['GET', '/bucket/a%20b%2Fc', 'get', { bucket: 'a b/c' }],
  ['POST', '/object/photos/a.png', 'upload', { bucket: 'photos', key: 'a.png' }],
  ['POST', '/object/photos/a//b', 'upload', { bucket: 'photos', key: 'a//b' }],
  ['POST', '/object/photos/', 'upload', { bucket: 'photos', key: '' }],
  ['OPTIONS', '/health', 'health', {}],
  ['GET', '/acme/info', 'tenant', { tenant: 'acme' }],
  ['GET', '/bucket/info', 'get', { bucket: 'info' }],
])('%s %s finds “%s”', (method, path, name, params) => {
  expect(find(method, path)).toEqual([name, params])
})

test('the first matching row wins, and a literal before a parameter', () => {
  expect(find('POST', '/object/list/photos')).toEqual(['list objects', { bucket: 'photos' }])
  expect(find('POST', '/object/list/photos/a')).toEqual(['upload', { bucket: 'list', key: 'photos/a' }])
})

test('accepts one trailing slash but not two', () => {
  expect(find('GET', '/bucket/')).toEqual(['list', {}])
  expect(find('GET', '/bucket/photos/')).toEqual(['get', { bucket: 'photos' }])
  expect(find('GET', '/bucket/photos//')).toEqual({ kind: 'notFound' })
})

test('returns the allowed methods for a known path with another method', () => {
  expect(find('DELETE', '/bucket')).toEqual({ kind: 'wrongMethod', allow: ['GET', 'HEAD', 'POST'] })
  expect(find('GET', '/object/list/photos')).toEqual({ kind: 'wrongMethod', allow: ['POST'] })
})

test.each(['/', '/object', '/object/photos', '/bucket/a/b/c', '/nothing'])('%s is not found', (path) => {
  expect(find('POST', path)).toEqual({ kind: 'notFound' })
})

test('treats a segment such as __proto__ as an ordinary parameter value', () => {
  expect(find('GET', '/__proto__/info')).toEqual(['tenant', { tenant: '__proto__' }])
})

test('only its own row matches a handshake, and no other request does', () => {
  expect(find(WEBSOCKET, '/socket')).toEqual(['socket', {}])
  expect(find(WEBSOCKET, '/health')).toEqual({ kind: 'notFound' })
  expect(find('GET', '/socket')).toEqual({ kind: 'notFound' })
})

test('malformed percent-encoding yields no segments', () => {
  expect(decodeSegments('/bucket/%zz')).toBeNull()
  expect(decodeSegments('/bucket/%E4%F6')).toBeNull()
})
