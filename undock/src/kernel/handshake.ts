import { type IncomingMessage, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'

/** Returns a WebSocket's handshake as a request without a body; null if its address or headers are invalid. */
export function handshakeOf({ url, headersDistinct }: IncomingMessage): Request | null {
  try {
    const headers = Object.entries(headersDistinct).flatMap(([name, values]) =>
      (values ?? []).map((value): [string, string] => [name, value]),
    )
    return new Request(new URL(url ?? '/', `http://${headersDistinct.host?.[0] ?? 'localhost'}`), { headers })
  } catch {
    return null
  }
}

/** Refuses a handshake and closes its socket. */
export function refuseUpgrade(socket: Duplex, status: number): void {
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`)
}
