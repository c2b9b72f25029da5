export type CloseCode = 1000 | 1001 | 1012

/** What carries the messages of one client: a WebSocket, or the requests of long polling. */
export type Transport = {
  readonly carrier: 'websocket' | 'long polling'
  readonly isOpen: boolean
  /** Bytes that have not left yet. */
  readonly backlog: number
  /** Milliseconds without a sign of the client after which it counts as gone. */
  readonly silence: number
  /** @param wire A whole WebSocket frame. */
  send(wire: Buffer): void
  /** Ends the connection after what was sent. @param code Of WebSockets: 1000 when all is said, 1001 when the server ends, 1012
   *  when the client should connect again. */
  close(code: CloseCode): void
  /** Ends the connection at once. */
  terminate(): void
}
