import { SignJWT } from 'jose'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ALICE, type StorageServer, startStorageServer } from '../../testing/storage-server.ts'

let harness: StorageServer
beforeAll(async () => {
  harness = await startStorageServer({
    toml: '[storage.image_transformation]\nenabled = true',
    script: "insert into storage.buckets (id, name) values ('docs', 'docs')",
  })
  const key = '/object/docs/a%20b/c%3F.txt'
  await harness.fetch(key, { method: 'POST', body: 'content' }, harness.identity.keys.serviceRole)
})
afterAll(() => harness.close())
const files = () => harness.service.storage.from('docs')

const forged = (claims: Record<string, unknown>, secret = harness.identity.jwtSecret) =>
  new SignJWT({ exp: Math.floor(Date.now() / 1000) + 60, ...claims })
    .setProtectedHeader({ alg: 'HS256' })
    .sign(new TextEncoder().encode(secret))

test('a signed URL opens its object without other credentials until it expires', async () => {
  await files().upload('plain.txt', 'plain', { contentType: 'text/plain' })
  const { data } = await files().createSignedUrl('plain.txt', 60, { download: 'x.txt' })
  const response = await fetch(data?.signedUrl ?? '')
  expect([response.status, await response.text()]).toEqual([200, 'plain'])
  expect(response.headers.get('content-disposition')).toContain('x.txt')
  expect(response.headers.get('cache-control')).toBeNull()
  const ends = Date.parse(response.headers.get('expires') ?? '') - Date.now()
  expect(ends).toBeGreaterThan(30_000)
  expect(ends).toBeLessThanOrEqual(60_000)
})

test('signs many URLs, each with its own error', async () => {
  const { data } = await files().createSignedUrls(['a b/c?.txt', 'missing'], 60)
  expect(data?.map(({ error, path }) => [error, path])).toEqual([
    [null, 'a b/c?.txt'],
    ['Either the object does not exist or you do not have access to it', 'missing'],
  ])
  const opened = await harness.fetch(data?.[0]?.signedURL ?? '')
  expect([opened.status, await opened.text()]).toEqual([200, 'content'])
})

type Refusal = [what: string, token: () => Promise<string | undefined>, code: string]

test.each([
  ['no token', async () => undefined, 'InvalidRequest'],
  ['nonsense', async () => 'nonsense', 'InvalidJWT'],
  ['another secret', () => forged({ url: 'docs/a', scope: 'download' }, 'x'.repeat(32)), 'InvalidJWT'],
  ['another object', () => forged({ url: 'docs/b', scope: 'download' }), 'InvalidSignature'],
  ['expired', () => forged({ url: 'docs/a', scope: 'download', exp: 1 }), 'InvalidJWT'],
  ['an upload token', () => forged({ url: 'docs/a', scope: 'upload', upsert: true }), 'InvalidSignature'],
  ['a session token', () => harness.tokenOf(ALICE), 'InvalidJWT'],
  ['the secret key', async () => harness.identity.keys.serviceRole, 'InvalidSignature'],
] satisfies Refusal[])('%s opens nothing', async (_what, token, code) => {
  const value = await token()
  const response = await harness.fetch(`/object/sign/docs/a${value === undefined ? '' : `?token=${value}`}`)
  expect([response.status, (await response.json()).code]).toEqual([400, code])
})

test('a signed upload URL can only write one object', async () => {
  const { data } = await files().createSignedUploadUrl('up/loaded.txt')
  const { path, token } = data ?? { path: '', token: '' }
  const uploaded = await harness.anon.storage
    .from('docs')
    .uploadToSignedUrl(path, token, 'sent', { contentType: 'text/plain' })
  expect(uploaded).toEqual({ data: { path: 'up/loaded.txt', fullPath: 'docs/up/loaded.txt' }, error: null })
  expect(await (await files().download(path)).data?.text()).toBe('sent')
  const again = await harness.anon.storage.from('docs').uploadToSignedUrl(path, token, 'twice')
  expect(again.error).toMatchObject({ statusCode: '409' })
  const elsewhere = await harness.anon.storage.from('docs').uploadToSignedUrl('other.txt', token, 'x')
  expect(elsewhere.error).toMatchObject({ message: 'Invalid signature' })
  const read = await harness.fetch(`/object/sign/docs/${path}?token=${token}`)
  expect((await read.json()).message).toBe('Token is not scoped for download')
  expect((await files().createSignedUploadUrl(path)).error).toMatchObject({ statusCode: '409' })
  expect((await files().createSignedUploadUrl(path, { upsert: true })).error).toBeNull()
})

test.each([
  [{}, "body must have required property 'expiresIn'"],
  [{ expiresIn: 0 }, 'body/expiresIn must be >= 1'],
  [{ expiresIn: 'soon' }, 'body/expiresIn must be number'],
  [
    { expiresIn: 60, transform: { resize: 'stretch' } },
    'body/transform/resize must be equal to one of the allowed values',
  ],
])('rejects %j with a reason', async (body, message) => {
  const response = await harness.fetch(
    '/object/sign/docs/plain.txt',
    { method: 'POST', body: JSON.stringify(body) },
    harness.identity.keys.serviceRole,
  )
  expect([response.status, await response.json()]).toEqual([
    400,
    { statusCode: '400', error: 'Error', message, code: 'InvalidRequest' },
  ])
})
