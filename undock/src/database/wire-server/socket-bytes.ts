import type { Socket } from 'node:net'

/** Takes exactly so many bytes from a socket that nobody else reads; what came with them stays in it.
 *  @returns null when the client disconnects before. */
export async function takeBytes(socket: Socket, length: number): Promise<Buffer | null> {
  let bytes: Buffer = Buffer.alloc(0)
  while (bytes.length < length) {
    const more: Buffer | null = socket.read()
    if (more) bytes = Buffer.concat([bytes, more])
    else if (socket.readableEnded || socket.destroyed) return null
    else await anyOf(socket, ['readable', 'end', 'close'])
  }
  if (bytes.length > length) socket.unshift(bytes.subarray(length))
  return bytes.subarray(0, length)
}

/** Resolves with the first of these events. */
export const anyOf = (socket: Socket, events: readonly string[]): Promise<void> =>
  new Promise((resolve) => {
    const done = (): void => {
      for (const event of events) socket.off(event, done)
      resolve()
    }
    for (const event of events) socket.on(event, done)
  })
