import type { Server, Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

export type Connections = {
  /** Ends all connections, like a network failure. Resolves once clients in this process have noticed. */
  drop(): Promise<void>
  refuse(isRefused: boolean): void
}

/** Milliseconds for a local client to notice a closed connection. */
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
