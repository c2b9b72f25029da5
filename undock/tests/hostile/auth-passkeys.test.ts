// Passkeys and security keys with responses that are replayed, for another site or user, or not from an authenticator.
import { createHash, createSign, generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto'
import type { SupabaseClient } from '@supabase/supabase-js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestAuth, type TestAuth } from '../../src/testing/auth.ts'

const ORIGIN = 'http://localhost:5173'

let auth: TestAuth
beforeAll(async () => {
  auth = await startTestAuth(`
[auth.passkey]
enabled = true
[auth.webauthn]
rp_display_name = "Test"
rp_id = "localhost"
rp_origins = ["${ORIGIN}"]
`)
})
afterAll(() => auth.close())

const bytes = (...values: number[]) => Buffer.from(values)
const be = (value: number, size: 2 | 4) => {
  const buffer = Buffer.alloc(size)
  buffer.writeUIntBE(value, 0, size)
  return buffer
}
/** At least 24 bytes; the library requires the shortest form of their number. */
const blob = (content: Buffer) =>
  Buffer.concat([
    content.length < 256 ? bytes(0x58, content.length) : Buffer.concat([bytes(0x59), be(content.length, 2)]),
    content,
  ])
const word = (text: string) => Buffer.concat([bytes(0x60 + text.length), Buffer.from(text)])

type Made = {
  readonly origin: string
  readonly rpId: string
  readonly type: string
  readonly challenge: string
  readonly flags: number
  readonly count: number
  readonly id: Buffer
  /** The bytes after the counter. */
  readonly rest: Buffer
  readonly attestation: (authData: Buffer) => Buffer
  readonly handle: string
  readonly transports: unknown
  readonly clientData: string
  readonly key: KeyObject
}

const none = (authData: Buffer) =>
  Buffer.concat([
    bytes(0xa3),
    word('fmt'),
    word('none'),
    word('attStmt'),
    bytes(0xa0),
    word('authData'),
    blob(authData),
  ])

/** An authenticator with replaceable parts. */
function authenticator() {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
  const cose = Buffer.concat([
    ...[bytes(0xa5, 1, 2, 3, 0x26, 0x20, 1, 0x21), blob(Buffer.from(x, 'base64url'))],
    ...[bytes(0x22), blob(Buffer.from(y, 'base64url'))],
  ])
  const ownId = randomBytes(32)
  const common = (challenge: string, change: Partial<Made>) => {
    const made = { origin: ORIGIN, rpId: 'localhost', challenge, count: 1, id: ownId, key: privateKey, ...change }
    const authData = (flags: number, rest: Buffer) =>
      Buffer.concat([
        createHash('sha256').update(made.rpId).digest(),
        bytes(change.flags ?? flags),
        be(made.count, 4),
        change.rest ?? rest,
      ])
    const clientData = (type: string) =>
      Buffer.from(
        change.clientData ??
          JSON.stringify({ type: change.type ?? type, challenge: made.challenge, origin: made.origin }),
      )
    const answer = (response: object) => {
      const name = made.id.toString('base64url')
      return { id: name, rawId: name, type: 'public-key', clientExtensionResults: {}, response }
    }
    return { made, authData, clientData, answer }
  }
  return {
    cose,
    create(challenge: string, change: Partial<Made> = {}) {
      const { made, authData, clientData, answer } = common(challenge, change)
      const attested = Buffer.concat([Buffer.alloc(16), be(made.id.length, 2), made.id, cose])
      return answer({
        clientDataJSON: clientData('webauthn.create').toString('base64url'),
        attestationObject: (change.attestation ?? none)(authData(0x45, attested)).toString('base64url'),
        ...('transports' in change ? { transports: change.transports } : {}),
      })
    },
    use(challenge: string, change: Partial<Made> = {}) {
      const { made, authData, clientData, answer } = common(challenge, { count: 2, ...change })
      const data = authData(0x05, Buffer.alloc(0))
      const client = clientData('webauthn.get')
      const signed = Buffer.concat([data, createHash('sha256').update(client).digest()])
      return answer({
        clientDataJSON: client.toString('base64url'),
        authenticatorData: data.toString('base64url'),
        signature: createSign('sha256').update(signed).sign(made.key).toString('base64url'),
        userHandle: change.handle,
      })
    },
  }
}

async function ask(client: SupabaseClient | null, path: string, body: unknown = {}, method = 'POST') {
  const token = client && (await client.auth.getSession()).data.session?.access_token
  const response = await fetch(`${auth.url}/auth/v1/passkeys${path}`, {
    method,
    headers: token ? { authorization: `Bearer ${token}` } : {},
    ...(method === 'GET' ? {} : { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  return { status: response.status, body: text === '' ? {} : JSON.parse(text) }
}

async function member() {
  const client = auth.client()
  const { data } = await client.auth.signUp({ email: `${crypto.randomUUID()}@example.com`, password: 'correct horse' })
  const id = data.user?.id ?? ''
  return { client, id, handle: Buffer.from(id).toString('base64url'), device: authenticator() }
}
type Member = Awaited<ReturnType<typeof member>>

async function register({ client, device }: Member, change: Partial<Made> = {}) {
  const { body } = await ask(client, '/registration/options')
  const credential = device.create(body.options.challenge, change)
  return ask(client, '/registration/verify', { challenge_id: body.challenge_id, credential })
}

async function enter({ device, handle }: Member, change: Partial<Made> = {}) {
  const { body } = await ask(null, '/authentication/options')
  const credential = device.use(body.options.challenge, { handle, ...change })
  return ask(null, '/authentication/verify', { challenge_id: body.challenge_id, credential })
}

const UNVERIFIED = { status: 400, body: { error_code: 'webauthn_verification_failed' } }

const WRONG: [string, Partial<Made>][] = [
  ['for another site', { origin: 'https://evil.example' }],
  ['for another port', { origin: 'http://localhost:5174' }],
  ['for an origin that starts like ours', { origin: `${ORIGIN}.evil.example` }],
  ['for another relying party', { rpId: 'evil.example' }],
  ['for a challenge it made up', { challenge: 'AAAA' }],
  ['for an empty challenge', { challenge: '' }],
  ['for a payment', { type: 'payment.get' }],
  ['without user presence', { flags: 0x40 }],
  ['with client data that is not JSON', { clientData: '{' }],
  ['with null client data', { clientData: 'null' }],
  ['with deep client data', { clientData: '['.repeat(200_000) }],
]

describe('registration rejects a response', () => {
  const deep = (byte: number) => () => Buffer.alloc(300_000, byte)
  test.each<[string, Partial<Made>]>([
    ...WRONG,
    ['for signing in', { type: 'webauthn.get' }],
    ['with nested arrays', { attestation: deep(0x81) }],
    ['with nested tags', { attestation: deep(0xc1) }],
    ['with nested maps', { attestation: deep(0xa1) }],
    ['that declares 2^64 entries', { attestation: () => bytes(0xbb, ...Array(8).fill(0xff), 0) }],
    ['that declares 2^32 bytes', { attestation: () => bytes(0x5a, 0xff, 0xff, 0xff, 0xff) }],
    ['that is a number', { attestation: () => bytes(7) }],
    ['that is empty', { attestation: () => Buffer.alloc(0) }],
    ['without a key', { rest: Buffer.alloc(0) }],
    ['whose id is longer than its data', { rest: Buffer.concat([Buffer.alloc(16), be(65_535, 2), randomBytes(8)]) }],
    ['with an empty id', { id: Buffer.alloc(0) }],
    ['with an id of 1024 bytes', { id: randomBytes(1024) }],
    ['with an id of 30 000 bytes', { id: randomBytes(30_000) }],
  ])('%s', async (_name, change) => {
    const who = await member()
    const { status, body } = await register(who, change)
    expect([status, body.error_code]).toEqual([
      400,
      expect.stringMatching(/webauthn_verification_failed|validation_failed/),
    ])
    expect((await ask(who.client, '', {}, 'GET')).body).toEqual([])
  })

  test("with another user's credential id", async () => {
    const [who, other] = [await member(), await member()]
    const id = randomBytes(32)
    expect((await register(who, { id })).status).toBe(200)
    expect(await register(other, { id })).toMatchObject({
      status: 422,
      body: { error_code: 'webauthn_credential_exists' },
    })
    expect((await enter(other, { id })).status).toBe(400)
    expect((await enter(who, { id })).status).toBe(200)
  })

  test('that was used before, including by concurrent requests', async () => {
    const { client, device } = await member()
    const { body } = await ask(client, '/registration/options')
    const sent = { challenge_id: body.challenge_id, credential: device.create(body.options.challenge) }
    const answers = await Promise.all([1, 2, 3].map(() => ask(client, '/registration/verify', sent)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400])
  })
})

test('sanitizes the transports that a page sends', async () => {
  for (const transports of ['usb', 7, null, {}, [['usb']], Array(10_000).fill('x'), [{ length: 1e9 }]]) {
    const who = await member()
    expect((await register(who, { transports })).status).toBe(200)
    const { status, body } = await ask(who.client, '/registration/options')
    expect([status, body.options.excludeCredentials[0].transports ?? []]).toEqual([200, []])
  }
  const who = await member()
  await register(who, { transports: ['usb', 'telepathy', 'usb', 'internal'] })
  const { body } = await ask(who.client, '/registration/options')
  expect(body.options.excludeCredentials[0].transports).toEqual(['usb', 'internal'])
})

describe('sign-in rejects a response', () => {
  test.each(WRONG)('%s', async (_name, change) => {
    const who = await member()
    await register(who)
    expect(await enter(who, change)).toMatchObject(UNVERIFIED)
    expect((await enter(who)).status).toBe(200)
  })

  test('that was used before, including by concurrent requests', async () => {
    const who = await member()
    await register(who)
    const { body } = await ask(null, '/authentication/options')
    const credential = who.device.use(body.options.challenge, { handle: who.handle })
    const sent = { challenge_id: body.challenge_id, credential }
    const answers = await Promise.all([1, 2, 3].map(() => ask(null, '/authentication/verify', sent)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400])
    const later = await ask(null, '/authentication/options')
    const again = { challenge_id: later.body.challenge_id, credential }
    expect(await ask(null, '/authentication/verify', again)).toMatchObject(UNVERIFIED)
  })

  test("whose counter goes back or doesn't increase", async () => {
    const who = await member()
    await register(who)
    expect((await enter(who, { count: 10 })).status).toBe(200)
    for (const count of [10, 9, 1, 0]) expect(await enter(who, { count })).toMatchObject(UNVERIFIED)
    expect((await enter(who, { count: 11 })).status).toBe(200)
  })

  test('with an equal counter, except one of several concurrent ones', async () => {
    const who = await member()
    await register(who)
    const twins = await Promise.all([5, 5, 5].map((count) => enter(who, { count })))
    expect(twins.map(({ status }) => status).sort()).toEqual([200, 400, 400])
  })

  test("with another user's key or handle", async () => {
    const [who, victim] = [await member(), await member()]
    await register(who)
    const id = randomBytes(32)
    await register(victim, { id })
    expect(await enter(who, { handle: victim.handle })).toMatchObject(UNVERIFIED)
    expect(await enter(who, { handle: victim.handle, id })).toMatchObject(UNVERIFIED)
    expect(await enter(who, { id })).toMatchObject(UNVERIFIED)
    for (const handle of [
      '',
      'AA',
      victim.id,
      Buffer.from(`${victim.id}\0`).toString('base64url'),
      'x'.repeat(100_000),
    ])
      expect(await enter(victim, { id, handle })).toMatchObject(UNVERIFIED)
  })
})
