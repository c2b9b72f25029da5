import { once } from 'node:events'
import { createServer } from 'node:net'
import { expect, test } from 'vitest'
import { portOwner } from './port-owner.ts'

test.runIf(process.platform === 'linux')('names the process that listens on a port, if any', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  expect(await portOwner(port)).toContain(`process ${process.pid} (`)
  server.close()
  await once(server, 'close')
  expect(await portOwner(port)).toBeNull()
})
