import type { Socket } from 'node:net'
import { type SecureContext, TLSSocket } from 'node:tls'
import { ProtocolError } from './frontend-messages.ts'
import { anyOf, takeBytes } from './socket-bytes.ts'

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
  for (;;) {
    const head = await takeBytes(socket, REQUEST_LENGTH)
    if (head === null) return null
    const code = head.readUInt32BE(0) === REQUEST_LENGTH ? head.readUInt32BE(4) : null
    if (code === SSL_REQUEST) return encrypt(socket, await secureContext())
    if (code !== GSS_REQUEST) {
      socket.unshift(head)
      return socket
    }
    socket.write('N')
  }
}

async function encrypt(socket: Socket, secureContext: SecureContext): Promise<Socket | null> {
  // Whoever is between client and server could have put it there, and it would count as encrypted.
  if (socket.readableLength > 0) throw new ProtocolError('received unencrypted data after SSL request')
  socket.write('S')
  const secure = new TLSSocket(socket, { isServer: true, secureContext })
  secure.on('error', () => socket.destroy())
  await anyOf(secure, ['secure', 'close'])
  return secure.encrypted && !socket.destroyed ? secure : null
}
