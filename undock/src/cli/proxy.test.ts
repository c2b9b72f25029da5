import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, get, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import { publishRecord } from '../runtime/place/record.ts'
import { startProxy } from './proxy.ts'

let folder: string
const servers: Server[] = []
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'undock-proxy-'))
  vi.stubEnv('UNDOCK_CACHE_DIR', folder)
})
afterEach(async () => {
  vi.unstubAllEnvs()
  for (const server of servers.splice(0)) {
    server.close()
    server.closeAllConnections()
  }
  await rm(folder, { recursive: true })
})

const portOf = (server: Server | undefined) => (server?.address() as AddressInfo | undefined)?.port ?? 0

/** A listed backend that responds with its name, the method and the body. */
async function backend(path: string, name: string | null = null) {
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    response.writeHead(201, { 'x-own': path }).end(`${path} ${request.method} ${request.url} ${body}`)
  })
  new WebSocketServer({ server }).on('connection', (socket) =>
    socket.on('message', (data) => socket.send(`${path} ${data}`)),
  )
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  servers.push(server)
  const workdir = join(folder, path)
  const url = `http://127.0.0.1:${portOf(server)}`
  const record = await publishRecord(
    { pid: process.pid, startedAt: new Date().toISOString(), url, dbUrl: 'x', workdir, name, ports: [] },
    { lockPath: join(workdir, name ?? 'lock'), cacheFolder: folder, onUnlisted: (error) => expect.fail(error.message) },
  )
  return record
}

const ask = (port: number, host: string, path = '/rest/v1/x?y=1'): Promise<string> =>
  new Promise((resolve, reject) => {
    get({ host: '127.0.0.1', port, path, headers: { host: `${host}:${port}` } }, async (response) => {
      let text = `${response.statusCode} `
      for await (const chunk of response) text += chunk
      resolve(text)
    }).on('error', reject)
  })

test('serves each backend at its host name, and lists them for unknown names', async () => {
  const shop = await backend('My Shop')
  await backend('My Shop', 'review')
  await backend('a/app')
  await backend('b/app')
  servers.push(...(await startProxy(0)))
  const port = portOf(servers.at(4))
  expect(await ask(port, 'my-shop.localhost')).toBe('201 My Shop GET /rest/v1/x?y=1 ')
  expect(await ask(port, 'review.my-shop.localhost')).toContain('My Shop GET')
  expect(await ask(port, 'app-a.localhost')).toContain('a/app GET')
  expect(await ask(port, 'app-b.localhost')).toContain('b/app GET')
  expect(await ask(port, 'other.localhost')).toMatch(/^404 Backends:\nhttp:\/\/my-shop\.localhost/)

  // Neither paths nor internet host names lead elsewhere.
  const elsewhere = await backend('elsewhere')
  for (const path of [`//127.0.0.1:${portOf(servers.at(-1))}/x`, `http://127.0.0.1:${portOf(servers.at(-1))}/x`])
    expect(await ask(port, 'my-shop.localhost', path)).toContain(`My Shop GET ${path}`)
  expect(await ask(port, 'My-Shop.Localhost')).toContain('My Shop GET')
  expect(await ask(port, 'my-shop')).toContain('404 Backends:')
  for (const foreign of ['evil.test', 'my-shop.localhost.evil.test', '127.0.0.1.evil.test', '192.0.2.1'])
    expect(await ask(port, foreign)).toMatch(/^403 (?!.*my-shop)/)
  await elsewhere.remove()

  const socket = new WebSocket(`ws://127.0.0.1:${port}/realtime/v1`, { headers: { host: `my-shop.localhost:${port}` } })
  const heard = new Promise((resolve) => socket.on('message', (data) => resolve(String(data))))
  socket.on('open', () => socket.send('hello'))
  expect(await heard).toBe('My Shop hello')
  socket.close()

  servers[0]?.close()
  servers[0]?.closeAllConnections()
  expect(await ask(port, 'my-shop.localhost')).toMatch(/^502 .*is not responding/)
  await shop.remove()
  expect(await ask(port, 'my-shop.localhost')).toContain('404 Backends:')
})
