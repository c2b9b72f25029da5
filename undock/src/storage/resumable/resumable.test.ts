import { createHash, randomBytes } from 'node:crypto'
import { readdir, stat, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { join } from 'node:path'
import { Upload, type UploadOptions } from 'tus-js-client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sql, statement } from '../../kernel/sql.ts'
import { ALICE, BOB, type StorageServer, startStorageServer } from '../../testing/storage-server.ts'

const POLICY = `
  insert into storage.buckets (id, name, file_size_limit, allowed_mime_types)
    values ('docs', 'docs', null, null), ('small', 'small', 10, '{text/plain}');
  create policy "own folder" on storage.objects for all to authenticated
    using (bucket_id = 'docs' and (storage.foldername(name))[1] = (select auth.uid()::text));
`

let harness: StorageServer
beforeAll(async () => {
  harness = await startStorageServer({ script: POLICY })
})
afterAll(() => harness.close())

const endpoint = () => `${harness.url}/storage/v1/upload/resumable`
const bearer = async (user: string) => ({ authorization: `Bearer ${await harness.tokenOf(user)}` })
const metadata = (objectName: string, more = {}) => ({
  bucketName: 'docs',
  objectName,
  contentType: 'application/pdf',
  cacheControl: '3600',
  ...more,
})

function upload(content: Buffer, options: Partial<UploadOptions>, stopAt = Number.POSITIVE_INFINITY): Promise<string> {
  return new Promise((resolve, reject) => {
    const running = new Upload(content, {
      endpoint: endpoint(),
      retryDelays: null,
      chunkSize: 6 * 1024 * 1024,
      ...options,
      onError: reject,
      onSuccess: () => resolve(running.url ?? ''),
      onChunkComplete: (_size, accepted) => {
        if (accepted < stopAt) return
        void running.abort().then(() => resolve(running.url ?? ''))
      },
    })
    running.start()
  })
}

const digest = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

test('a paused upload resumes after a server restart', async () => {
  const content = randomBytes(15 * 1024 * 1024)
  const key = `${ALICE}/book.pdf`
  const headers = await bearer(ALICE)
  const uploadUrl = await upload(content, { headers, metadata: metadata(key) }, 6 * 1024 * 1024)
  expect((await harness.service.storage.from('docs').exists(key)).data).toBe(false)
  await harness.restart()
  const tus = { 'tus-resumable': '1.0.0', ...headers }
  const head = await fetch(uploadUrl, { method: 'HEAD', headers: tus })
  expect(Number(head.headers.get('upload-offset'))).toBeGreaterThanOrEqual(6 * 1024 * 1024)

  await upload(content, { headers, metadata: metadata(key, { metadata: '{"pages":7}' }), uploadUrl })
  const files = (await harness.as(ALICE)).storage.from('docs')
  const { data } = await files.download(key)
  expect(digest(new Uint8Array((await data?.arrayBuffer()) ?? new ArrayBuffer(0)))).toBe(digest(content))
  expect((await files.info(key)).data).toMatchObject({
    size: content.length,
    contentType: 'application/pdf',
    cacheControl: 'max-age=3600',
  })

  // A client that missed the last response sees the success.
  const after = await fetch(uploadUrl, { method: 'HEAD', headers: tus })
  expect([after.status, after.headers.get('upload-offset')]).toEqual([200, String(content.length)])
  expect(await readdir(join(harness.folder, 'resumable'))).toEqual([])
})

test('an upload whose last byte arrived before a kill becomes an object at the next request', async () => {
  const content = Buffer.from('the whole of it')
  const key = `${ALICE}/killed.pdf`
  const headers = { ...(await bearer(ALICE)), 'tus-resumable': '1.0.0' }
  const created = await fetch(endpoint(), {
    method: 'POST',
    headers: { ...headers, 'upload-length': String(content.length), 'upload-metadata': encode(metadata(key)) },
  })
  const location = created.headers.get('location') ?? ''
  await writeFile(join(harness.folder, 'resumable', location.split('/').at(-1) ?? ''), content)
  await harness.restart()
  const more = { 'upload-offset': String(content.length), 'content-type': 'application/offset+octet-stream' }
  const foreign = await fetch(location, { method: 'PATCH', headers: { ...headers, ...(await bearer(BOB)), ...more } })
  expect(foreign.status).toBe(404)
  const head = await fetch(location, { method: 'HEAD', headers })
  expect([head.status, head.headers.get('upload-offset')]).toEqual([200, String(content.length)])
  expect(await (await (await harness.as(ALICE)).storage.from('docs').download(key)).data?.text()).toBe(String(content))
})

test('a completely declared upload becomes an object even if its last request was interrupted', async () => {
  const content = randomBytes(4 * 1024 * 1024)
  const headers = { 'tus-resumable': '1.0.0', ...(await bearer(ALICE)) }
  let complete = 0
  for (let attempt = 0; attempt < 30; attempt += 1) {
    const key = `${ALICE}/broken-off-${attempt}.pdf`
    const created = await fetch(endpoint(), {
      method: 'POST',
      headers: { ...headers, 'upload-length': String(content.length), 'upload-metadata': encode(metadata(key)) },
    })
    const location = created.headers.get('location') ?? ''
    const sending = request(location, {
      method: 'PATCH',
      headers: {
        ...headers,
        'upload-offset': '0',
        'content-type': 'application/offset+octet-stream',
        'content-length': String(content.length),
      },
    })
    sending.on('error', () => undefined)
    await new Promise<void>((resolve) => sending.end(content, resolve))
    for (let turn = 0; turn < attempt * 4; turn += 1) await new Promise(setImmediate)
    const asked = fetch(location, { method: 'HEAD', headers })
    sending.destroy()
    const head = await asked
    if (head.headers.get('upload-offset') !== String(content.length)) continue
    complete += 1
    expect([attempt, (await harness.service.storage.from('docs').exists(key)).data]).toEqual([attempt, true])
  }
  expect(complete).toBeGreaterThan(0)
})

test('a kill right after the row was written loses nothing', async () => {
  const content = Buffer.from('stored already')
  const headers = await bearer(ALICE)
  const url = await upload(content, { headers, metadata: metadata(`${ALICE}/row.pdf`) })
  const partial = join(harness.folder, 'resumable', url.split('/').at(-1) ?? '')
  await harness.db.query(statement(sql`update _undock.uploads set is_committed = false`))
  await writeFile(partial, content)
  await harness.restart()
  const head = await fetch(url, { method: 'HEAD', headers: { ...headers, 'tus-resumable': '1.0.0' } })
  expect([head.status, head.headers.get('upload-offset')]).toEqual([200, String(content.length)])
  const { data } = await (await harness.as(ALICE)).storage.from('docs').download(`${ALICE}/row.pdf`)
  expect(await data?.text()).toBe('stored already')
})

test('every step checks the policies', async () => {
  const content = Buffer.from('x'.repeat(20))
  const intoAlices = { headers: await bearer(BOB), metadata: metadata(`${ALICE}/planted.pdf`) }
  await expect(upload(content, intoAlices)).rejects.toThrow(/response code: 403/)
  const url = await upload(
    content,
    { headers: await bearer(ALICE), metadata: metadata(`${ALICE}/half.pdf`), chunkSize: 5 },
    5,
  )
  const step = (headers: Record<string, string>, method: string) =>
    fetch(url, {
      method,
      headers: {
        ...headers,
        'tus-resumable': '1.0.0',
        'upload-offset': '5',
        'content-type': 'application/offset+octet-stream',
      },
      ...(method === 'PATCH' && { body: 'yyyyy' }),
    })
  expect((await step({}, 'PATCH')).status).toBe(400)
  expect((await step({ authorization: 'Bearer nonsense' }, 'HEAD')).status).toBe(400)
  expect((await step(await bearer(ALICE), 'DELETE')).status).toBe(204)
  expect([404, 410]).toContain((await step(await bearer(ALICE), 'HEAD')).status)
})

test('only its owner and the service can see that an upload exists', async () => {
  const url = await upload(
    Buffer.from('x'.repeat(20)),
    { headers: await bearer(ALICE), metadata: metadata(`${ALICE}/secret.pdf`), chunkSize: 5 },
    5,
  )
  const unknown = `${endpoint()}/${crypto.randomUUID()}`
  const answer = async (address: string, headers: Record<string, string>, method: string) => {
    const tus = { 'tus-resumable': '1.0.0', 'upload-offset': '5', 'content-type': 'application/offset+octet-stream' }
    const response = await fetch(address, {
      method,
      headers: { ...headers, ...tus },
      ...(method === 'PATCH' && { body: 'yyyyy' }),
    })
    const { date: _, ...told } = Object.fromEntries(response.headers)
    return [response.status, told, await response.text()]
  }
  const anonymous = { authorization: `Bearer ${harness.identity.keys.anon}` }
  for (const who of [await bearer(BOB), anonymous])
    for (const method of ['HEAD', 'PATCH', 'DELETE'])
      expect([method, await answer(url, who, method)]).toEqual([method, await answer(unknown, who, method)])
  expect((await answer(unknown, anonymous, 'HEAD'))[0]).toBe(404)
  expect((await answer(url, { authorization: `Bearer ${harness.identity.keys.serviceRole}` }, 'HEAD'))[0]).toBe(200)
  expect((await answer(url, await bearer(ALICE), 'HEAD'))[0]).toBe(200)
})

test('replaces an existing object only on request', async () => {
  const headers = await bearer(ALICE)
  const options = { headers, metadata: metadata(`${ALICE}/same.pdf`) }
  await upload(Buffer.from('first'), options)
  await expect(upload(Buffer.from('second'), options)).rejects.toThrow(/response code: 409/)
  await upload(Buffer.from('second'), { ...options, headers: { ...headers, 'x-upsert': 'true' } })
  const { data } = await harness.service.storage.from('docs').download(`${ALICE}/same.pdf`)
  expect(await data?.text()).toBe('second')
})

test('checks size, type, key and bucket before any data is sent', async () => {
  const headers = { authorization: `Bearer ${harness.identity.keys.serviceRole}` }
  const tryOut = (content: string, more: object) =>
    upload(Buffer.from(content), { headers, metadata: { ...metadata('x.pdf'), ...more } })
  await expect(tryOut('x'.repeat(11), { bucketName: 'small' })).rejects.toThrow(/413.*Maximum size exceeded/s)
  await expect(tryOut('x', { bucketName: 'small' })).rejects.toThrow(/415/)
  await expect(tryOut('x', { bucketName: 'none' })).rejects.toThrow(/404.*Bucket not found/s)
  await expect(tryOut('x', { objectName: 'a\0b' })).rejects.toThrow(/400.*Invalid key/s)
  await expect(tryOut('x', { objectName: '' })).rejects.toThrow(/400.*Invalid key/s)
  await upload(Buffer.alloc(0), { headers, metadata: metadata('empty.pdf') })
  expect((await harness.service.storage.from('docs').info('empty.pdf')).data).toMatchObject({ size: 0 })
})

test('signed upload URLs also work for resumable uploads', async () => {
  const { data } = await harness.service.storage.from('docs').createSignedUploadUrl('signed.pdf')
  const headers = { 'x-signature': data?.token ?? '' }
  await upload(Buffer.from('signed'), { endpoint: `${endpoint()}/sign`, headers, metadata: metadata('signed.pdf') })
  expect(await (await harness.service.storage.from('docs').download('signed.pdf')).data?.text()).toBe('signed')
  const other = upload(Buffer.from('x'), { endpoint: `${endpoint()}/sign`, headers, metadata: metadata('other.pdf') })
  await expect(other).rejects.toThrow(/400.*Invalid signature/s)
})

test('the protocol lists its extensions, and an unknown upload is not found', async () => {
  const options = await fetch(endpoint(), { method: 'OPTIONS', headers: { 'tus-resumable': '1.0.0' } })
  expect([options.status, options.headers.get('tus-version')]).toEqual([204, '1.0.0'])
  expect(options.headers.get('tus-extension')).toContain('creation-with-upload')
  const headers = { ...(await bearer(ALICE)), 'tus-resumable': '1.0.0' }
  for (const id of ['..%2f..%2fetc%2fpasswd', '%2e%2e', 'bm90LWFuLWlk', '00000000-0000-4000-8000-000000000000']) {
    expect([id, (await fetch(`${endpoint()}/${id}`, { method: 'HEAD', headers })).status]).toEqual([id, 404])
  }
  expect((await stat(join(harness.folder, 'resumable'))).isDirectory()).toBe(true)
})

const encode = (values: Record<string, string>) =>
  Object.entries(values)
    .map(([name, value]) => `${name} ${Buffer.from(value).toString('base64')}`)
    .join(',')
