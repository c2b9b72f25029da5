import { createPublicKey, verify } from 'node:crypto'
import { keccak_256 } from '@noble/hashes/sha3.js'
import { base58 } from '@scure/base'
import type { SignInMessage } from './message.ts'

/** Loaded on first use: it takes longer to load than most of Auth. */
const curve = async () => (await import('@noble/curves/secp256k1.js')).secp256k1

type Signed = Pick<SignInMessage, 'raw' | 'address' | 'domain'>

/** Returns whether the message's address signed it (EIP-191, `personal_sign`).
 *  @param signature 65 bytes in hexadecimal, with or without `0x`. */
export async function signedByEthereum({ raw, address }: Signed, signature: string): Promise<boolean> {
  const bytes = Buffer.from(signature.replace(/^0x/, ''), 'hex')
  if (bytes.length !== 65) return false
  const text = Buffer.from(raw)
  const hash = keccak_256(Buffer.concat([Buffer.from(`\x19Ethereum Signed Message:\n${text.length}`), text]))
  const last = bytes[64] ?? 0
  const recovery = last >= 27 ? last - 27 : last
  const secp256k1 = await curve()
  try {
    const key = secp256k1.Signature.fromBytes(bytes.subarray(0, 64), 'compact')
      .addRecoveryBit(recovery)
      .recoverPublicKey(hash)
      .toBytes(false)
    const recovered = Buffer.from(keccak_256(key.subarray(1)).subarray(12)).toString('hex')
    return recovered === address.slice(2).toLowerCase()
  } catch {
    return false
  }
}

/** Returns whether the message's address signed it, plain or in the frame that hardware wallets add.
 *  @param signature 64 bytes. */
export function signedBySolana({ raw, address, domain }: Signed, signature: Buffer): boolean {
  const publicKey = decodeAddress(address)
  if (!publicKey) return false
  const key = createPublicKey({
    format: 'jwk',
    key: { kty: 'OKP', crv: 'Ed25519', x: Buffer.from(publicKey).toString('base64url') },
  })
  const text = Buffer.from(raw)
  return [text, offchain(text, publicKey, domain)].some((message) => verify(null, message, key, signature))
}

function decodeAddress(address: string): Uint8Array | null {
  try {
    const bytes = base58.decode(address)
    return bytes.length === 32 ? bytes : null
  } catch {
    return null
  }
}

/** Solana's off-chain message: version 0, the domain in 32 bytes, format ASCII, one signer, the text's length.
 *  @see https://docs.anza.xyz/proposals/off-chain-message-signing */
function offchain(text: Buffer, publicKey: Uint8Array, domain: string): Buffer {
  const padded = Buffer.alloc(32)
  padded.write(domain)
  const length = Buffer.alloc(2)
  length.writeUInt16LE(text.length)
  const prefix = Buffer.from('\xffsolana offchain\x00', 'latin1')
  return Buffer.concat([prefix, padded, Buffer.from([0, 1]), publicKey, length, text])
}
