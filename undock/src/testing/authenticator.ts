import { createHash, createSign, generateKeyPairSync, randomBytes } from 'node:crypto'

/** The little of CBOR that an authenticator's answers need. */
function cbor(value: number | string | Buffer | Map<number | string, unknown>): Buffer {
  const head = (major: number, size: number) =>
    size < 24
      ? Buffer.from([(major << 5) | size])
      : size < 256
        ? Buffer.from([(major << 5) | 24, size])
        : Buffer.from([(major << 5) | 25, size >> 8, size & 255])
  if (typeof value === 'number') return value >= 0 ? head(0, value) : head(1, -value - 1)
  if (typeof value === 'string') return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)])
  if (Buffer.isBuffer(value)) return Buffer.concat([head(2, value.length), value])
  const entries = [...value].flatMap(([key, item]) => [cbor(key), cbor(item as string)])
  return Buffer.concat([head(5, value.size), ...entries])
}

/** An authenticator in software for the relying party `localhost`: one ES256 key, "none" attestation.
 *  @param origin Where the page says it is. */
export function createAuthenticator(origin: string) {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
  const id = randomBytes(32)
  let count = 0
  const clientData = (type: string, challenge: string) => Buffer.from(JSON.stringify({ type, challenge, origin }))
  const authData = (flags: number, attested = Buffer.alloc(0)) => {
    const counter = Buffer.alloc(4)
    counter.writeUInt32BE(++count)
    return Buffer.concat([createHash('sha256').update('localhost').digest(), Buffer.from([flags]), counter, attested])
  }
  const answer = (response: object) => {
    const name = id.toString('base64url')
    return { id: name, rawId: name, type: 'public-key', clientExtensionResults: {}, response }
  }
  return {
    create(challenge: string) {
      const key = cbor(
        new Map<number, unknown>([
          [1, 2],
          [3, -7],
          [-1, 1],
          [-2, Buffer.from(x, 'base64url')],
          [-3, Buffer.from(y, 'base64url')],
        ]),
      )
      const attested = Buffer.concat([Buffer.alloc(16), Buffer.from([0, id.length]), id, key])
      const attestation = cbor(
        new Map<string, unknown>([
          ['fmt', 'none'],
          ['attStmt', new Map()],
          ['authData', authData(0x45, attested)],
        ]),
      )
      return answer({
        clientDataJSON: clientData('webauthn.create', challenge).toString('base64url'),
        attestationObject: attestation.toString('base64url'),
      })
    },
    /** @param userHandle What a discoverable credential keeps of its owner: the bytes of `user.id`. */
    use(challenge: string, userHandle?: string) {
      const data = authData(0x05)
      const client = clientData('webauthn.get', challenge)
      const signed = createSign('sha256').update(Buffer.concat([data, createHash('sha256').update(client).digest()]))
      return answer({
        clientDataJSON: client.toString('base64url'),
        authenticatorData: data.toString('base64url'),
        signature: signed.sign(privateKey).toString('base64url'),
        ...(userHandle === undefined ? {} : { userHandle }),
      })
    },
  }
}
