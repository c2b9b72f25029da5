import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type StorageServer, startStorageServer } from '../testing/storage-server.ts'

let harness: StorageServer
beforeAll(async () => {
  harness = await startStorageServer({ script: "insert into storage.buckets (id, name) values ('docs', 'docs')" })
})
afterAll(() => harness.close())

/** Parts that climb, escape, terminate early or have a meaning in shells, paths or SQL, and arbitrary ones. */
const part = fc.oneof(
  fc.constantFrom('..', '.', '/', '\\', '%2e%2e', '%2f', '%5c', '%00', '\0', '~', 'C:', '//', ';', "'", '"', '$(id)'),
  fc.constantFrom('etc', 'passwd', '.undock', 'objects', 'tmp', 'CON', 'a'.repeat(300), '\u202e', '\ud800', 'é', '😀'),
  fc.string({ unit: 'binary', maxLength: 8 }),
)
const hostile = fc.array(part, { minLength: 1, maxLength: 8 }).map((parts) => parts.join(''))

const places = async () =>
  (await readdir(harness.folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(harness.folder.length + 1))

/** Contents have generated names in hashed folders, resumable uploads have generated names. */
const OURS = /^(objects\/[0-9a-f]{32}\/[0-9a-f-]{36}|resumable\/[0-9a-f-]{36}(\.json)?|config\.toml)$/

test('no bucket or object name becomes a path or causes an internal error', async () => {
  const { serviceRole } = harness.identity.keys
  const post = async (path: string, body: string, headers: Record<string, string>) =>
    (await harness.fetch(path, { method: 'POST', body, headers }, serviceRole)).status
  await fc.assert(
    fc.asyncProperty(hostile, hostile, async (bucket, key) => {
      const raw = key.toWellFormed()
      const encoded = encodeURIComponent(raw)
      const statuses = [
        await post(`/object/docs/${encoded}`, 'x', { 'content-type': 'text/plain', 'x-upsert': 'true' }),
        await post(`/object/${encodeURIComponent(bucket.toWellFormed())}/${encoded}`, 'x', {}),
        await post('/bucket', JSON.stringify({ name: bucket }), { 'content-type': 'application/json' }),
        await post(
          '/object/copy',
          JSON.stringify({ bucketId: 'docs', sourceKey: key, destinationKey: `${key}/../x` }),
          {
            'content-type': 'application/json',
          },
        ),
        await post('/object/list/docs', JSON.stringify({ prefix: key, search: bucket }), {
          'content-type': 'application/json',
        }),
        await post('/upload/resumable', '', {
          'tus-resumable': '1.0.0',
          'upload-length': '1',
          'upload-metadata': `bucketName ${btoa('docs')},objectName ${Buffer.from(raw).toString('base64')}`,
        }),
        (await harness.fetch(`/object/docs/${encoded}`, {}, serviceRole)).status,
      ]
      expect({ bucket, key, statuses: statuses.filter((status) => status >= 500) }).toEqual({
        bucket,
        key,
        statuses: [],
      })
    }),
    { numRuns: 60, seed: 7 },
  )
  expect((await places()).filter((place) => !OURS.test(place))).toEqual([])
}, 120_000)

test('rejects analytics buckets', async () => {
  const body = '{"name":"events","type":"ANALYTICS"}'
  const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body }
  const response = await harness.fetch('/bucket', init, harness.identity.keys.serviceRole)
  expect(await response.json()).toMatchObject({ statusCode: '409', error: 'FeatureNotEnabled' })
})

test('rejects a truncated form without ending anything else', async () => {
  const { serviceRole } = harness.identity.keys
  const form = [
    '--x\r\ncontent-disposition: form-data; name="cacheControl"\r\n\r\n60\r\n',
    '--x\r\ncontent-disposition: form-data; name=""; filename="a.txt"\r\ncontent-type: text/plain\r\n\r\nhello\r\n',
    '--x--\r\n',
  ].join('')
  const headers = { 'content-type': 'multipart/form-data; boundary=x', 'x-upsert': 'true' }
  const send = async (body: string) =>
    (await harness.fetch('/object/docs/form.txt', { method: 'POST', body, headers }, serviceRole)).status
  const statuses = await Promise.all(Array.from(form.slice(0, -2), (_, cut) => send(form.slice(0, cut))))
  expect(new Set(statuses.slice(0, -4))).toEqual(new Set([400]))
  expect(await send(form)).toBe(200)
})

test("doesn't store a value that isn't valid in a header", async () => {
  const { serviceRole } = harness.identity.keys
  const upload = async (fields: Record<string, string>) => {
    const body = new FormData()
    for (const [name, value] of Object.entries(fields)) body.append(name, value)
    body.append('', new Blob(['x'], { type: 'text/plain' }), 'x.txt')
    const headers = { 'x-upsert': 'true' }
    return (await harness.fetch('/object/docs/header.txt', { method: 'POST', body, headers }, serviceRole)).status
  }
  expect(await upload({ cacheControl: '60\r\nset-cookie: a=b' })).toBe(400)
  expect(await upload({ cacheControl: '60€' })).toBe(400)
  expect(await upload({ contentType: 'text/plain\r\nx: y' })).toBe(400)
  expect(await upload({ cacheControl: '60' })).toBe(200)
})

test("the bytes of an upload in progress can't be fetched", async () => {
  const { serviceRole } = harness.identity.keys
  const headers = {
    'tus-resumable': '1.0.0',
    'upload-length': '5',
    'upload-metadata': `bucketName ${btoa('docs')},objectName ${btoa('t.txt')}`,
  }
  const made = await harness.fetch('/upload/resumable', { method: 'POST', headers }, serviceRole)
  const path = new URL(made.headers.get('location') ?? '').pathname.replace('/storage/v1', '')
  expect((await harness.fetch(path, { headers }, serviceRole)).status).toBe(404)
  expect((await harness.fetch(path, { method: 'HEAD', headers }, serviceRole)).status).toBe(200)
})
