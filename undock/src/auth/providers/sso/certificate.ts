import { createPublicKey, type KeyObject, sign } from 'node:crypto'

// X.509 v3 in DER (RFC 5280 §4.1), only as much as metadata needs to name a key: Node cannot create certificates.

const encode = (tag: number, ...parts: readonly Buffer[]): Buffer => {
  const content = Buffer.concat(parts)
  const { length } = content
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255]
  return Buffer.concat([Buffer.from([tag, ...size]), content])
}

const sequence = (...parts: readonly Buffer[]): Buffer => encode(0x30, ...parts)

const integer = (value: number): Buffer => encode(0x02, Buffer.from([value]))

const objectId = (hex: string): Buffer => encode(0x06, Buffer.from(hex, 'hex'))

/** sha256WithRSAEncryption, 1.2.840.113549.1.1.11. */
const RSA_SHA256 = sequence(objectId('2a864886f70d01010b'), Buffer.from([0x05, 0x00]))

const COMMON_NAME = '550403'

/** Valid for a hundred years from 2020; the end is written with a four-digit year, as required from 2050 on. */
const VALIDITY = sequence(encode(0x17, Buffer.from('200101000000Z')), encode(0x18, Buffer.from('21200101000000Z')))

/** A self-signed certificate of an RSA key; the same key always gives the same bytes. @returns DER in base64 */
export function selfSignedCertificate(key: KeyObject, commonName: string): string {
  const name = sequence(encode(0x31, sequence(objectId(COMMON_NAME), encode(0x0c, Buffer.from(commonName)))))
  const publicKey = createPublicKey(key).export({ format: 'der', type: 'spki' })
  const version3 = encode(0xa0, integer(2))
  const content = sequence(version3, integer(1), RSA_SHA256, name, VALIDITY, name, publicKey)
  const signature = encode(0x03, Buffer.from([0]), sign('sha256', content, key))
  return sequence(content, RSA_SHA256, signature).toString('base64')
}
