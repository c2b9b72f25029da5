import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { plainFetch } from './plain-fetch.js'

/** Ports that fetch rejects; one of them is free on most machines. */
const FORBIDDEN = [6000, 6566, 6665, 6666, 6667, 6668, 6669, 6697, 10080]
let server: Server
let url: string

beforeAll(async () => {
  server = createServer((request, response) => {
    const [, path = '', query = ''] = (request.url ?? '').split('/')
    if (path === 'to') response.writeHead(Number(query), { location: '/echo' }).end('moved')
    else if (path === 'loop') response.writeHead(302, { location: '/loop' }).end()
    else if (path === 'status') response.writeHead(Number(query)).end()
    else if (path === 'zip') response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('packed'))
    else if (path === 'cookies') response.writeHead(200, { 'set-cookie': ['a=1', 'b=2'] }).end()
    else if (path !== 'silent')
      request.toArray().then((parts) => response.end(`${request.method} ${Buffer.concat(parts)}`))
  })
  for (const port of FORBIDDEN) {
    const isOpen = await new Promise((resolve) => {
      server.once('error', () => resolve(false))
      server.listen(port, '127.0.0.1', () => resolve(true))
    })
    if (isOpen) break
  }
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

test.each([
  ['/echo', { method: 'POST', body: 'ü' }, 200, 'POST ü'],
  ['/echo', { method: 'DELETE', body: '{}' }, 200, 'DELETE {}'],
  ['/echo', { method: 'HEAD' }, 200, ''],
  ['/to/302', { method: 'POST', body: 'a' }, 200, 'GET '],
  ['/to/303', { method: 'PUT', body: 'a' }, 200, 'GET '],
  ['/to/308', { method: 'POST', body: 'a' }, 200, 'POST a'],
  ['/to/302', { redirect: 'manual' }, 302, 'moved'],
  ['/status/204', {}, 204, ''],
  ['/status/404', {}, 404, ''],
  ['/zip', {}, 200, 'packed'],
] as const)('%s with %j', async (path, init, status, text) => {
  await expect(fetch(url + path, init)).rejects.toMatchObject({ cause: { message: 'bad port' } })
  const response = await plainFetch(url + path, init)
  expect([response.status, await response.text()]).toEqual([status, text])
})

test('keeps repeated headers separate', async () => {
  expect((await plainFetch(`${url}/cookies`)).headers.getSetCookie()).toEqual(['a=1', 'b=2'])
})

test.each([
  ['http://127.0.0.1:1/', {}, "Couldn't connect to server"],
  ['http://nowhere.invalid/', {}, "Couldn't resolve host name"],
  ['ftp://127.0.0.1/', {}, 'Unsupported protocol'],
  ['/loop', {}, 'Number of redirects hit maximum amount'],
  ['/to/302', { redirect: 'error' }, 'unexpected redirect'],
  ['/silent', { signal: AbortSignal.timeout(50) }, 'The operation was aborted due to timeout'],
] as const)('%s fails', async (path, init, message) => {
  await expect(plainFetch(path.startsWith('/') ? url + path : path, init)).rejects.toThrow(message)
})
