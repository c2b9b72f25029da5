import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import { expect, test } from 'vitest'
import { isClientAbort } from './node-http.ts'

test('distinguishes a client that disconnects mid-body from a server error', async () => {
  const { promise: thrown, resolve } = Promise.withResolvers<unknown>()
  const server = createServer(
    getRequestListener(async (request) => {
      await request.arrayBuffer().catch(resolve)
      return new Response()
    }),
  ).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  await once(socket, 'connect')
  socket.write('POST / HTTP/1.1\r\nhost: localhost\r\ncontent-length: 100\r\n\r\nhalf', () => socket.destroy())
  expect(isClientAbort(await thrown)).toBe(true)
  expect(isClientAbort(Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }))).toBe(false)
  expect(isClientAbort(new Error('aborted'))).toBe(false)
  server.close()
})
