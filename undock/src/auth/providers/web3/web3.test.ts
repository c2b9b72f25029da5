import { generateKeyPairSync, sign } from 'node:crypto'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { keccak_256 } from '@noble/hashes/sha3.js'
import { base58 } from '@scure/base'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestAuth, type TestAuth } from '../../../testing/auth.ts'
import { parseMessage } from './message.ts'

let auth: TestAuth
beforeAll(async () => {
  auth = await startTestAuth(`
[auth]
site_url = "https://app.test"
additional_redirect_urls = ["http://localhost:5173/"]
[auth.web3.ethereum]
enabled = true
[auth.web3.solana]
enabled = true
`)
})
afterAll(() => auth.close())

function ethereumWallet() {
  const secret = secp256k1.utils.randomSecretKey()
  const key = secp256k1.getPublicKey(secret, false)
  const address = `0x${Buffer.from(keccak_256(key.subarray(1)).subarray(12)).toString('hex')}`
  const signText = (text: Buffer): `0x${string}` => {
    const hash = keccak_256(Buffer.concat([Buffer.from(`\x19Ethereum Signed Message:\n${text.length}`), text]))
    const [recovery = 0, ...rest] = secp256k1.sign(hash, secret, { prehash: false, format: 'recovered' })
    return `0x${Buffer.from([...rest, recovery + 27]).toString('hex')}`
  }
  return {
    address,
    signText,
    async request({ method, params }: { method: string; params?: unknown }) {
      if (method === 'eth_requestAccounts') return [address]
      if (method === 'eth_chainId') return '0x1'
      const [hex = ''] = params as string[]
      return signText(Buffer.from(hex.slice(2), 'hex'))
    },
    on: () => undefined,
    removeListener: () => undefined,
  }
}

function solanaWallet() {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const bytes = Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url')
  const address = base58.encode(bytes)
  return {
    address,
    bytes,
    publicKey: { toBase58: () => address },
    signMessage: async (message: Uint8Array) => new Uint8Array(sign(null, message, privateKey)),
    signBytes: (message: Buffer) => sign(null, message, privateKey).toString('base64'),
  }
}

type Fields = Readonly<Record<string, string | null>>

function textOf(chain: 'Ethereum' | 'Solana', address: string, changes: Fields = {}, domain = 'app.test'): string {
  const fields: Fields = {
    URI: 'https://app.test/login',
    Version: '1',
    'Chain ID': chain === 'Ethereum' ? '1' : 'solana:mainnet',
    Nonce: '12345678',
    'Issued At': auth.clock.now().toISOString(),
    ...changes,
  }
  const lines = Object.entries(fields).flatMap(([name, value]) => (value === null ? [] : [`${name}: ${value}`]))
  return [`${domain} wants you to sign in with your ${chain} account:`, address, '', 'Hello', '', ...lines].join('\n')
}

async function post(body: object) {
  const response = await fetch(`${auth.url}/auth/v1/token?grant_type=web3`, {
    method: 'POST',
    body: JSON.stringify(body),
  })
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}

test('an Ethereum wallet signs in, and again as the same user', async () => {
  const wallet = ethereumWallet()
  const signIn = () =>
    auth.client().auth.signInWithWeb3({
      chain: 'ethereum',
      statement: 'Sign in, please',
      wallet: wallet as never,
      options: { url: 'https://app.test/login', signInWithEthereum: { issuedAt: auth.clock.now() } as never },
    })
  const { data, error } = await signIn()
  expect(error).toBeNull()
  expect(data.user).toMatchObject({
    email: '',
    app_metadata: { provider: 'web3', providers: ['web3'] },
    user_metadata: {
      sub: expect.stringMatching(/^web3:ethereum:0x/),
      custom_claims: { chain: 'ethereum', network: '1', domain: 'app.test', statement: 'Sign in, please' },
    },
  })
  const { claims } = await auth.identity.verify(data.session?.access_token ?? '')
  expect(claims.amr).toEqual([expect.objectContaining({ method: 'web3' })])
  expect((await signIn()).error).toMatchObject({ message: 'Signed Ethereum message was used before' })
  auth.clock.advance(1)
  expect((await signIn()).data.user?.id).toBe(data.user?.id)
})

test('a signed message opens only one session', async () => {
  const wallet = solanaWallet()
  const message = textOf('Solana', wallet.address)
  const signature = wallet.signBytes(Buffer.from(message))
  const answers = await Promise.all([1, 2, 3].map(() => post({ chain: 'solana', message, signature })))
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400])
  auth.clock.advance(599)
  expect((await post({ chain: 'solana', message, signature })).body).toMatchObject({
    error: 'invalid_grant',
    error_description: 'Signed Solana message was used before',
  })
})

test('a Solana wallet signs in, also with the framing of hardware wallets', async () => {
  const wallet = solanaWallet()
  const { data, error } = await auth.client().auth.signInWithWeb3({
    chain: 'solana',
    statement: 'Hello',
    wallet: wallet as never,
    options: { url: 'http://localhost:5173/', signInWithSolana: { issuedAt: auth.clock.now().toISOString() } },
  })
  expect(error).toBeNull()
  expect(data.user?.user_metadata.custom_claims).toMatchObject({ address: wallet.address, chain: 'solana' })

  const message = Buffer.from(textOf('Solana', wallet.address))
  const domain = Buffer.alloc(32)
  domain.write('app.test')
  const length = Buffer.alloc(2)
  length.writeUInt16LE(message.length)
  const framed = Buffer.concat([
    Buffer.from('\xffsolana offchain\x00', 'latin1'),
    domain,
    Buffer.from([0, 1]),
    wallet.bytes,
    length,
    message,
  ])
  const again = await post({ chain: 'solana', message: message.toString(), signature: wallet.signBytes(framed) })
  expect(again.body.user).toMatchObject({ id: data.user?.id })
})

const minutes = (count: number) => new Date(auth.clock.now().getTime() + count * 60_000).toISOString()

describe('signing in with a wallet rejects', () => {
  const cases: [name: string, changes: () => Fields, domain: string, message: string][] = [
    ['a page without HTTPS', () => ({ URI: 'http://app.test/' }), 'app.test', 'does not use HTTPS'],
    ['another app', () => ({ URI: 'https://evil.example/' }), 'evil.example', 'message was signed for another app'],
    ["a domain that isn't the page's", () => ({}), 'evil.example', 'a Domain that does not match'],
    [
      "a domain that isn't the local page's",
      () => ({ URI: 'http://localhost:5173/' }),
      'evil.example',
      'a Domain that does',
    ],
    [
      'a message that is not valid yet',
      () => ({ 'Not Before': minutes(1) }),
      'app.test',
      'becomes valid in the future',
    ],
    [
      'an expired message',
      () => ({ 'Issued At': minutes(-5), 'Expiration Time': minutes(-1) }),
      'app.test',
      'is expired',
    ],
    ['a message issued too long ago', () => ({ 'Issued At': minutes(-11) }), 'app.test', 'was issued too long ago'],
    [
      'a message issued in the future',
      () => ({ 'Issued At': minutes(11) }),
      'app.test',
      'was issued too far in the future',
    ],
  ]
  test.each(cases)('%s', async (_name, changes, domain, expected) => {
    const ethereum = ethereumWallet()
    const solana = solanaWallet()
    const first = textOf('Ethereum', ethereum.address, changes(), domain)
    const second = textOf('Solana', solana.address, changes(), domain)
    const answers = [
      await post({ chain: 'ethereum', message: first, signature: ethereum.signText(Buffer.from(first)) }),
      await post({ chain: 'solana', message: second, signature: solana.signBytes(Buffer.from(second)) }),
    ]
    for (const { status, body } of answers) {
      expect(status).toBe(400)
      expect(body).toEqual({ error: 'invalid_grant', error_description: expect.stringContaining(expected) })
    }
  })

  test('a signature by another key or of another text', async () => {
    const [ethereum, solana] = [ethereumWallet(), solanaWallet()]
    const first = textOf('Ethereum', ethereum.address)
    const second = textOf('Solana', solana.address)
    const forged = [
      { chain: 'ethereum', message: first, signature: ethereumWallet().signText(Buffer.from(first)) },
      { chain: 'ethereum', message: first, signature: ethereum.signText(Buffer.from(`${first} `)) },
      { chain: 'ethereum', message: first, signature: 'zz'.repeat(65) },
      { chain: 'ethereum', message: first, signature: `0x${'ff'.repeat(65)}` },
      { chain: 'ethereum', message: first, signature: `0x${'00'.repeat(65)}` },
      { chain: 'solana', message: second, signature: solanaWallet().signBytes(Buffer.from(second)) },
      { chain: 'solana', message: second, signature: Buffer.alloc(64).toString('base64') },
      { chain: 'solana', message: textOf('Solana', '1'.repeat(40)), signature: Buffer.alloc(64).toString('base64') },
      { chain: 'solana', message: textOf('Solana', '0OIl'.repeat(10)), signature: Buffer.alloc(64).toString('base64') },
    ]
    for (const body of forged) {
      expect(await post(body)).toEqual({
        status: 400,
        body: { error: 'invalid_grant', error_description: 'Signature does not match address in message' },
      })
    }
  })

  test.each([
    [{ chain: 'bitcoin' }, 'web3_unsupported_chain', 'Unsupported chain'],
    [{ chain: 'ethereum', message: 'short' }, 'validation_failed', 'message is too short'],
    [{ chain: 'solana', message: 'x'.repeat(20 * 1024 + 1) }, 'validation_failed', 'message must not exceed 20KB'],
    [
      { chain: 'ethereum', message: 'x'.repeat(64), signature: '0x' },
      'validation_failed',
      'signature must be 65 bytes long',
    ],
    [{ chain: 'solana', message: 'x'.repeat(64), signature: 'x' }, 'validation_failed', 'signature must be 64 bytes'],
    [
      { chain: 'solana', message: 'x'.repeat(64), signature: '*'.repeat(86) },
      'validation_failed',
      'valid base64 characters',
    ],
    [
      { chain: 'ethereum', message: 'x'.repeat(64), signature: '0'.repeat(130) },
      'validation_failed',
      'siwe: message needs at least 6 lines',
    ],
  ])('%j', async (body, code, message) => {
    expect((await post(body)).body).toMatchObject({ error_code: code, msg: expect.stringContaining(message) })
  })
})

test('the error names a disabled chain', async () => {
  const off = await startTestAuth('[auth.web3.solana]\nenabled = true\n')
  const ask = (body: object) =>
    fetch(`${off.url}/auth/v1/token?grant_type=web3`, { method: 'POST', body: JSON.stringify(body) })
  expect(await (await ask({ chain: 'ethereum' })).json()).toMatchObject({
    code: 422,
    error_code: 'web3_provider_disabled',
    msg: 'Ethereum Web3 provider is disabled',
  })
  await off.close()
})

describe('a sign-in message', () => {
  const address = '0x742d35Cc6635C0532925a3b8D53d6e8b3f56ddF1'
  const head = `app.test wants you to sign in with your Ethereum account:\n${address}\n\n`
  const rest = 'Version: 1\nURI: https://app.test\nIssued At: 2026-01-01T00:00:00Z'
  test.each([
    ['', 'message needs at least 6 lines'],
    ['app.test whatever\n\n\n\n\n\n', 'message first line does not end in'],
    [
      '*** wants you to sign in with your Ethereum account:\n\n\n\n\n\n',
      'domain in first line of message is not valid',
    ],
    [
      'app.test wants you to sign in with your Ethereum account:\n0x1\n\n\n\n\n',
      'wallet address is not a valid Ethereum address',
    ],
    [`${head.trimEnd()}\nURI: https://app.test\n\n\n`, 'third line must be empty'],
    [`${head}Hello\n\nNot parsable\n`, 'encountered unparsable line at index 5'],
    [`${head}Hello\n\nVersion: 1\nURI: ***\n`, 'URI is not valid'],
    [`${head}Hello\n\nVersion: 1\nIssued At: yesterday\n`, 'Issued At is not a valid ISO8601 timestamp'],
    [`${head}Hello\n\nVersion: 1\nIssued At: 2026-01-01\n`, 'Issued At is not a valid ISO8601 timestamp'],
    [`${head}Hello\n\nVersion: 2\nURI: https://app.test\n`, 'Version value is not supported, expected 1 got "2"'],
    [`${head}Hello\n\nVersion: 1\nURI: https://app.test\n`, 'Issued At is not specified'],
    [`${head}Hello\n\nVersion: 1\nIssued At: 2026-01-01T00:00:00Z\n`, 'URI is not specified'],
    [`${head}Hello\n\n${rest}\nURI: https://evil.test`, 'URI is specified twice'],
    [`${head.replace('app', 'x\rapp')}Hello\n\n${rest}`, 'domain in first line of message is not valid'],
    [`${head}Hello\n\n${rest}\nChain ID: eth:1`, 'Chain ID is not valid'],
    [`${head}Hello\n\n${rest}\nExpiration Time: 2025-01-01T00:00:00Z`, 'Issued At is after Expiration Time'],
    [
      `${head}Hello\n\n${rest}\nExpiration Time: 2026-02-01T00:00:00Z\nNot Before: 2026-03-01T00:00:00Z`,
      'Not Before is after',
    ],
    [`${head}Hello\n\n${rest}\nResources:\n- https://a.test\n- ***`, 'Resource at position 1 has invalid URI'],
  ])('%# is rejected', (raw, message) => {
    expect(() => parseMessage(raw, 'ethereum')).toThrow(`siwe: ${message}`)
  })

  test('is parsed with and without a statement', () => {
    const expected = { domain: 'app.test', address, chainId: '', issuedAt: new Date('2026-01-01T00:00:00Z') }
    expect(parseMessage(`${head}Hello\n\n${rest}`, 'ethereum')).toMatchObject({ ...expected, statement: 'Hello' })
    expect(parseMessage(`${head}${rest}\n`, 'ethereum')).toMatchObject({ ...expected, statement: null })
  })
})
