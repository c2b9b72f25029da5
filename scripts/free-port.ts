import { once } from 'node:events'
import { createServer } from 'node:net'

/** The first port at or above `port` that no program of this machine listens on. */
export async function firstFreePort(port: number): Promise<number> {
  const server = createServer().listen(port, '127.0.0.1')
  try {
    await once(server, 'listening')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error
    return firstFreePort(port + 1)
  }
  server.close()
  await once(server, 'close')
  return port
}
