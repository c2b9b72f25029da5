import { createHash, createPublicKey, verify } from 'node:crypto'
import { keccak_256 } from '@noble/hashes/sha3.js'
import { base58 } from '@scure/base'
import { z } from 'zod'
import type { AuthDeps } from '../../deps.ts'
import { authError, oauthError } from '../../errors.ts'
import { startSession, type TokenResponse } from '../../flows/start-session.ts'
import { readBody } from '../../http/body.ts'
import type { Call } from '../../http/call.ts'
import { captchaParams, verifyCaptcha } from '../../http/captcha.ts'
import { text } from '../../models/params.ts'
import { accountFor } from '../accounts.ts'
import type { Profile } from '../profile.ts'
import { type Chain, parseMessage, type SignInMessage, SignInMessageError } from './message.ts'

const Web3Grant = z.object({ ...captchaParams, chain: text, message: text, signature: text })
type Web3Grant = z.infer<typeof Web3Grant>

const NAMES: Record<Chain, string> = { ethereum: 'Ethereum', solana: 'Solana' }

/** Signs in with a message signed by a wallet. @see supabase/auth internal/api/web3.go */
export async function web3Grant(deps: AuthDeps, call: Call): Promise<TokenResponse> {
  const { web3 } = deps.config
  // Upstream checks this before reading the body.
  if (!web3.solana.enabled && !web3.ethereum.enabled) throw authError('web3Disabled', ['Web3'])
  const grant = await readBody(call.request, Web3Grant)
  await verifyCaptcha(deps, call, grant.gotrue_meta_security)
  const { chain } = grant
  if (chain !== 'solana' && chain !== 'ethereum') throw authError('web3ChainUnsupported')
  if (!web3[chain].enabled) throw authError('web3Disabled', [`${NAMES[chain]} Web3`])
  const message = await readMessage(grant, chain)
  checkApp(deps, message, NAMES[chain])
  checkTimes(message, NAMES[chain], call.now)
  const until = new Date(message.issuedAt.getTime() + MAX_AGE)
  // Upstream lets anyone who has seen the message reuse it until it expires.
  const digest = createHash('sha256').update(grant.message).digest('base64')
  if (!(await deps.replayGuard.take(`web3 ${chain} ${digest}`, until)))
    throw oauthError('invalid_grant', `Signed ${NAMES[chain]} message was used before`)
  const { address, domain, uri, chainId: network } = message
  const traits = { provider: 'web3', chain, network, address, domain, uri: uri.href }
  return accountFor(
    deps,
    call,
    { provider: 'web3', profile: profileOf(message, chain), emailOptional: true },
    (deps, user) => startSession(deps, call, { user, method: 'web3', entry: { action: 'login', traits } }),
  )
}

async function readMessage({ message, signature }: Web3Grant, chain: Chain): Promise<SignInMessage> {
  const length = Buffer.byteLength(message)
  if (length < 64) throw authError('web3Message', ['message is too short'])
  if (length > 20 * 1024) throw authError('web3Message', ['message must not exceed 20KB'])
  const verify = readSignature(signature, chain)
  const parsed = parse(message, chain)
  if (!(await verify(parsed))) throw oauthError('invalid_grant', 'Signature does not match address in message')
  return parsed
}

function parse(message: string, chain: Chain): SignInMessage {
  try {
    return parseMessage(message, chain)
  } catch (error) {
    if (error instanceof SignInMessageError) throw authError('web3Message', [error.message], { cause: error })
    throw error
  }
}

function readSignature(signature: string, chain: Chain): (message: SignInMessage) => boolean | Promise<boolean> {
  if (chain === 'ethereum') {
    if (signature.replace(/^0x/, '').length === 130) return (message) => signedByEthereum(message, signature)
    throw authError('web3Message', [
      'signature must be 65 bytes long, encoded as a 130 character-long hexadecimal string',
    ])
  }
  if (signature.length !== 86 && signature.length !== 88) {
    throw authError('web3Message', ['signature must be 64 bytes encoded as base64 with or without padding'])
  }
  if (!/^[A-Za-z0-9+/_-]{86}=*$/.test(signature)) {
    throw authError('web3Message', ['signature does not contain valid base64 characters'])
  }
  return (message) => signedBySolana(message, Buffer.from(signature, 'base64'))
}

/** A message signed for another app must not sign in to this one. */
function checkApp({ redirects }: AuthDeps, { uri, domain }: SignInMessage, chain: string): void {
  const refused = (why: string) => oauthError('invalid_grant', `Signed ${chain} message is using ${why}`)
  const isLocal = uri.hostname === 'localhost'
  if (uri.protocol !== 'https:' && !isLocal) throw refused('URI which does not use HTTPS')
  if (!redirects.allows(uri.href)) {
    throw refused('URI which is not allowed on this server, message was signed for another app')
  }
  // The wallet checked the domain. Without this, any site could use messages with the URI localhost for its visitors.
  const isSameApp = isLocal ? /^localhost(:\d+)?$/.test(domain) : uri.host === domain
  if (!isSameApp || (!isLocal && !redirects.allows(`https://${domain}/`))) {
    throw refused('a Domain that does not match the one in URI which is not allowed on this server')
  }
}

/** Milliseconds; upstream's default for GOTRUE_EXTERNAL_WEB3_*_MAXIMUM_VALIDITY_DURATION. */
const MAX_AGE = 600_000

function checkTimes({ issuedAt, notBefore, expirationTime }: SignInMessage, chain: string, now: Date): void {
  const refused = (why: string) => oauthError('invalid_grant', why)
  if (notBefore && now < notBefore) throw refused(`Signed ${chain} message becomes valid in the future`)
  if (expirationTime && now > expirationTime) throw refused(`Signed ${chain} message is expired`)
  const age = now.getTime() - issuedAt.getTime()
  if (age > MAX_AGE) throw refused(`${chain} message was issued too long ago`)
  if (age < -MAX_AGE) throw refused(`${chain} message was issued too far in the future`)
}

function profileOf({ address, domain, statement, chainId }: SignInMessage, chain: Chain): Profile {
  const sub = `web3:${chain}:${address}`
  const customClaims = {
    address,
    chain,
    network: chainId,
    domain,
    statement: statement ?? (chain === 'solana' ? '' : null),
  }
  return { sub, claims: { sub, custom_claims: customClaims }, emails: [] }
}

/** Loaded on first use: it takes longer to load than most of Auth. */
const curve = async () => (await import('@noble/curves/secp256k1.js')).secp256k1

type Signed = Pick<SignInMessage, 'raw' | 'address' | 'domain'>

/** Returns whether the message's address signed it (EIP-191, `personal_sign`).
 *  @param signature 65 bytes in hexadecimal, with or without `0x`. */
async function signedByEthereum({ raw, address }: Signed, signature: string): Promise<boolean> {
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
function signedBySolana({ raw, address, domain }: Signed, signature: Buffer): boolean {
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
