import type { Socket } from 'node:net'
import { createSecureContext, type SecureContext, TLSSocket } from 'node:tls'
import type { Certificate } from '../../platform/certificate.ts'
import { encodeMessage } from '../protocol/frames.ts'

const SSL_REQUEST = 80_877_103
const GSS_REQUEST = 80_877_104
const REQUEST_LENGTH = 8

/** @property code SQLSTATE; by default that of a violation of the protocol. */
export class ProtocolError extends Error {
  readonly code: string
  readonly hint: string | undefined

  constructor(message: string, code = '08P01', hint?: string) {
    super(message)
    this.code = code
    this.hint = hint
  }
}

/** Returns a function that creates the TLS context when the first client asks for it. */
export function onceSecure(certificate: () => Promise<Certificate>): () => Promise<SecureContext> {
  let context: Promise<SecureContext> | undefined
  return () => {
    context ??= certificate().then((one) => createSecureContext(one))
    return context
  }
}

/** Answers a client's encryption requests, which come first.
 *  @returns the socket itself or TLS over it; null if the client has disconnected.
 *  @throws {ProtocolError} if the client sends more data before it's encrypted. */
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
  // A man in the middle could have injected it, and it would count as encrypted.
  if (socket.readableLength > 0) throw new ProtocolError('received unencrypted data after SSL request')
  socket.write('S')
  const secure = new TLSSocket(socket, { isServer: true, secureContext })
  secure.on('error', () => socket.destroy())
  await anyOf(secure, ['secure', 'close'])
  return secure.encrypted && !socket.destroyed ? secure : null
}

/** Reads exactly so many bytes from a socket without other readers, and leaves the rest in it.
 *  @returns null if the client disconnects first. */
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

const anyOf = (socket: Socket, events: readonly string[]): Promise<void> =>
  new Promise((resolve) => {
    const done = (): void => {
      for (const event of events) socket.off(event, done)
      resolve()
    }
    for (const event of events) socket.on(event, done)
  })

export const fatalError = (code: string, message: string, hint?: string): Buffer =>
  encodeMessage('E', 'SFATAL', 'VFATAL', `C${code}`, `M${message}`, ...(hint ? [`H${hint}`] : []), Buffer.alloc(1))
