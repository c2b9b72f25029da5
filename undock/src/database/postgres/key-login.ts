import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'

export type KeyLogin = {
  /** Password of every user, known only to this process. */
  readonly key: string
  readonly method: string
  close(): void
}

/** Opens a RADIUS server that tells Postgres whether a client on its Unix socket is this process, which may then be any
 *  user. Postgres' own methods can't: the project's code runs in the server as the same system user (`peer`), and
 *  passwords belong to roles, which the project may change.
 *
 *  Postgres sends each password hidden by a shared secret (RFC 2865, section 5.2). The secret is in pg_hba.conf, which
 *  only a superuser can read; the key is never written. */
export async function openKeyLogin(): Promise<KeyLogin> {
  const key = randomBytes(32).toString('hex')
  const secret = randomBytes(24).toString('hex')
  const socket = createSocket('udp4')
  socket.on('message', (request, { port, address }) => {
    const password = passwordOf(request, secret)
    if (password === null) return
    socket.send(answer(request, secret, isEqual(password, Buffer.from(key))), port, address)
  })
  // Without an answer, the server refuses the login.
  socket.on('error', () => undefined)
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  socket.unref()
  let isClosed = false
  const { port } = socket.address() as AddressInfo
  return {
    key,
    method: `radius radiusservers="${ASKED.join(',')}" radiussecrets="${secret}" radiusports="${port}"`,
    close() {
      if (!isClosed) socket.close()
      isClosed = true
    },
  }
}

/** The server waits three seconds for each. Listed several times, because this process may be busy for longer. */
const ASKED = Array<string>(10).fill('127.0.0.1')

const isEqual = (a: Buffer, b: Buffer): boolean => a.length === b.length && timingSafeEqual(a, b)

const ACCESS_REQUEST = 1
const ACCESS_ACCEPT = 2
const ACCESS_REJECT = 3
const USER_PASSWORD = 2
const HEADER = 20
const BLOCK = 16

const md5 = (...parts: readonly (Buffer | string)[]): Buffer =>
  parts.reduce((hash, part) => hash.update(part), createHash('md5')).digest()

function passwordOf(request: Buffer, secret: string): Buffer | null {
  if (request.length < HEADER || request[0] !== ACCESS_REQUEST || request.readUInt16BE(2) !== request.length)
    return null
  for (let at = HEADER; at + 2 <= request.length; ) {
    const [type, length = 0] = request.subarray(at, at + 2)
    if (length < 2 || at + length > request.length) return null
    if (type === USER_PASSWORD)
      return unhide(request.subarray(at + 2, at + length), request.subarray(4, HEADER), secret)
    at += length
  }
  return null
}

/** Each block is combined with a hash of the secret and the previous block. */
function unhide(hidden: Buffer, authenticator: Buffer, secret: string): Buffer | null {
  if (hidden.length === 0 || hidden.length % BLOCK !== 0) return null
  const password = Buffer.alloc(hidden.length)
  for (let at = 0; at < hidden.length; at += BLOCK) {
    const mask = md5(secret, at === 0 ? authenticator : hidden.subarray(at - BLOCK, at))
    for (let i = 0; i < BLOCK; i += 1) password[at + i] = (hidden[at + i] ?? 0) ^ (mask[i] ?? 0)
  }
  const end = password.indexOf(0)
  return end === -1 ? password : password.subarray(0, end)
}

function answer(request: Buffer, secret: string, isAccepted: boolean): Buffer {
  const head = Buffer.from([isAccepted ? ACCESS_ACCEPT : ACCESS_REJECT, request[1] ?? 0, 0, HEADER])
  return Buffer.concat([head, md5(head, request.subarray(4, HEADER), secret)])
}
