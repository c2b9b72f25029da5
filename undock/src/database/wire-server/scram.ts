import { createHash, createHmac, pbkdf2Sync, randomBytes, timingSafeEqual } from 'node:crypto'

/** What a server keeps of a password (RFC 5803), as Postgres writes it in pg_authid. */
export type Verifier = { iterations: number; salt: Buffer; storedKey: Buffer; serverKey: Buffer }

export const MECHANISM = 'SCRAM-SHA-256'

const STORED = /^SCRAM-SHA-256\$(\d+):([A-Za-z0-9+/=]+)\$([A-Za-z0-9+/=]+):([A-Za-z0-9+/=]+)$/

/** Reads a verifier from pg_authid.rolpassword; undefined when it is of another kind. */
export function readVerifier(stored: string): Verifier | undefined {
  const [, iterations, salt, storedKey, serverKey] = STORED.exec(stored) ?? []
  if (!iterations || !salt || !storedKey || !serverKey) return undefined
  const bytes = (text: string) => Buffer.from(text, 'base64')
  return { iterations: Number(iterations), salt: bytes(salt), storedKey: bytes(storedKey), serverKey: bytes(serverKey) }
}

export function makeVerifier(password: string, salt: Buffer = randomBytes(16), iterations = 4096): Verifier {
  const salted = pbkdf2Sync(password.normalize('NFKC'), salt, iterations, 32, 'sha256')
  return {
    iterations,
    salt,
    storedKey: sha256(hmac(salted, 'Client Key')),
    serverKey: hmac(salted, 'Server Key'),
  }
}

/** The server's half of one SCRAM exchange (RFC 5802), without channel binding. */
export type ScramExchange = { readonly challenge: string; answer(finalMessage: string): string | null }

/** Reads the client's first message and makes the challenge to it; undefined when the message is malformed.
 *  `answer` returns the server's signature, or null for a wrong password. */
export function beginExchange(
  firstMessage: string,
  verifier: Verifier,
  nonce = randomBytes(18),
): ScramExchange | undefined {
  // `p=…` asks for channel binding, which needs TLS.
  const [, header, bare, clientNonce] =
    /^([ny],[^,]*,)((?:[^,]*,)*?r=([\x21-\x2b\x2d-\x7e]+).*)$/.exec(firstMessage) ?? []
  if (header === undefined || bare === undefined || clientNonce === undefined) return undefined
  const both = clientNonce + nonce.toString('base64')
  const challenge = `r=${both},s=${verifier.salt.toString('base64')},i=${verifier.iterations}`
  return {
    challenge,
    answer(finalMessage) {
      const [, withoutProof, binding, finalNonce, proofText] =
        /^(c=([^,]*),r=([^,]*)),p=([^,]+)$/.exec(finalMessage) ?? []
      if (withoutProof === undefined || finalNonce !== both) return null
      if (Buffer.from(binding ?? '', 'base64').toString() !== header) return null
      const message = `${bare},${challenge},${withoutProof}`
      const proof = Buffer.from(proofText ?? '', 'base64')
      const signature = hmac(verifier.storedKey, message)
      if (proof.length !== signature.length) return null
      const clientKey = Buffer.from(proof.map((byte, index) => byte ^ (signature[index] ?? 0)))
      if (!timingSafeEqual(sha256(clientKey), verifier.storedKey)) return null
      return `v=${hmac(verifier.serverKey, message).toString('base64')}`
    },
  }
}

const hmac = (key: Buffer, text: string) => createHmac('sha256', key).update(text).digest()
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest()
