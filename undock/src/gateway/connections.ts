import type { Server, Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** A server's connections, for tests of lost connections. */
export type Connections = {
  /** Ends them all, as a lost network does. Resolves when clients in this process have noticed. */
  drop(): Promise<void>
  /** Ends each new one at once. */
  refuse(isRefused: boolean): void
}

/** Milliseconds in which a client on this machine notices a closed connection. */
const NOTICE = 20

export function watchConnections(server: Server): Connections {
  const sockets = new Set<Socket>()
  let isRefused = false
  server.on('connection', (socket: Socket) => {
    if (isRefused) return socket.resetAndDestroy()
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
    return undefined
  })
  return {
    async drop() {
      const dropped = [...sockets]
      for (const socket of dropped) socket.resetAndDestroy()
      await sleep(dropped.length > 0 ? NOTICE : 0)
    },
    refuse(refused) {
      isRefused = refused
    },
  }
}
