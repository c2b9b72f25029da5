import type { Socket } from 'node:net'
import { type SecureContext, TLSSocket } from 'node:tls'
import { ProtocolError } from './frontend-messages.ts'

const SSL_REQUEST = 80_877_103
const GSS_REQUEST = 80_877_104
/** The bytes of a request for encryption; a startup packet has at least as many. */
const REQUEST_LENGTH = 8

/** Answers a client's requests for encryption, which come before everything else.
 *  @returns the stream to talk on: the socket itself, or TLS over it; null when the client has disconnected.
 *  @throws {ProtocolError} when a client sends more before it is encrypted. */
export async function negotiateEncryption(
  socket: Socket,
  secureContext: () => Promise<SecureContext>,
): Promise<Socket | null> {
  for (let bytes: Buffer = Buffer.alloc(0); ; ) {
    while (bytes.length < REQUEST_LENGTH) {
      const more = await read(socket)
      if (more === null) return null
      bytes = Buffer.concat([bytes, more])
    }
    const code = bytes.readUInt32BE(0) === REQUEST_LENGTH ? bytes.readUInt32BE(4) : null
    if (code === SSL_REQUEST) {
      // Whoever is between client and server could have put it there, and it would count as encrypted.
      if (bytes.length > REQUEST_LENGTH) throw new ProtocolError('received unencrypted data after SSL request')
      return encrypt(socket, await secureContext())
    }
    if (code !== GSS_REQUEST) {
      socket.unshift(bytes)
      return socket
    }
    bytes = bytes.subarray(REQUEST_LENGTH)
    socket.write('N')
  }
}

/** @returns null when the client has disconnected. */
async function read(socket: Socket): Promise<Buffer | null> {
  for (;;) {
    const bytes: Buffer | null = socket.read()
    if (bytes) return bytes
    if (socket.readableEnded || socket.destroyed) return null
    await anyOf(socket, ['readable', 'end', 'close'])
  }
}

const anyOf = (socket: Socket, events: readonly string[]): Promise<void> =>
  new Promise((resolve) => {
    const done = (): void => {
      for (const event of events) socket.off(event, done)
      resolve()
    }
    for (const event of events) socket.on(event, done)
  })

async function encrypt(socket: Socket, secureContext: SecureContext): Promise<Socket | null> {
  socket.write('S')
  const secure = new TLSSocket(socket, { isServer: true, secureContext })
  secure.on('error', () => socket.destroy())
  await anyOf(secure, ['secure', 'close'])
  return secure.encrypted && !socket.destroyed ? secure : null
}
