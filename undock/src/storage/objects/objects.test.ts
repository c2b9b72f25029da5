import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { sql, statement } from '../../kernel/sql.ts'
import { type StorageServer, startStorageServer } from '../../testing/storage-server.ts'

let harness: StorageServer
let service: string

beforeAll(async () => {
  harness = await startStorageServer()
  service = harness.identity.keys.serviceRole
})
afterAll(() => harness.close())

let bucket = ''
let count = 0
beforeEach(async () => {
  bucket = `bucket-${++count}`
  await harness.service.storage.createBucket(bucket, { public: false })
})
const files = () => harness.service.storage.from(bucket)
const put = (key: string, body: string, options = {}) =>
  files().upload(key, new Blob([body], { type: 'text/plain' }), { contentType: 'text/plain', ...options })

async function contentsOnDisk(): Promise<number> {
  const entries = await readdir(join(harness.folder, 'objects'), { recursive: true, withFileTypes: true })
  return entries.filter((entry) => entry.isFile()).length
}

describe('upload and download', () => {
  test('a form upload is downloaded unchanged, with its type and cache time', async () => {
    const { data, error } = await put('a/hello.txt', 'hello', { cacheControl: '60' })
    expect(error).toBeNull()
    expect(data).toMatchObject({ path: 'a/hello.txt', fullPath: `${bucket}/a/hello.txt` })
    const response = await harness.fetch(`/object/authenticated/${bucket}/a/hello.txt`, {}, service)
    expect([response.status, await response.text()]).toEqual([200, 'hello'])
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'text/plain',
      'content-length': '5',
      'cache-control': 'max-age=60',
      etag: '"5d41402abc4b2a76b9719d911017c592"',
      'accept-ranges': 'bytes',
      'x-robots-tag': 'none',
    })
  })

  test('a raw body upload keeps the request headers as metadata', async () => {
    const metadata = Buffer.from(JSON.stringify({ page: 3 })).toString('base64')
    const headers = { 'content-type': 'text/markdown', 'cache-control': 'max-age=5', 'x-metadata': metadata }
    const stored = await harness.fetch(`/object/${bucket}/notes.md`, { method: 'POST', body: '# hi', headers }, service)
    expect(await stored.json()).toEqual({ Id: expect.any(String), Key: `${bucket}/notes.md` })
    const { data } = await files().info('notes.md')
    expect(data).toMatchObject({
      name: 'notes.md',
      bucketId: bucket,
      size: 4,
      contentType: 'text/markdown',
      cacheControl: 'max-age=5',
      metadata: { page: 3 },
    })
  })

  test('a second upload to a key is rejected, or replaces the content with upsert', async () => {
    await put('one.txt', 'old')
    const before = await contentsOnDisk()
    const again = await put('one.txt', 'new')
    expect(again.error).toMatchObject({ status: 400, statusCode: '409', message: 'The resource already exists' })
    expect((await put('one.txt', 'new', { upsert: true })).error).toBeNull()
    expect(await (await files().download('one.txt')).data?.text()).toBe('new')
    await files().update('one.txt', 'newer', { contentType: 'text/plain' })
    expect(await (await files().download('one.txt')).data?.text()).toBe('newer')
    expect(await contentsOnDisk()).toBe(before)
  })

  test('serves HTML as text', async () => {
    await files().upload('page.html', '<script>1</script>', { contentType: 'text/html' })
    const response = await harness.fetch(`/object/authenticated/${bucket}/page.html`, {}, service)
    expect(response.headers.get('content-type')).toBe('text/plain')
    await response.body?.cancel()
  })

  test('the download parameter sets the file name in the browser', async () => {
    await put('one.txt', 'x')
    const named = await harness.fetch(`/object/authenticated/${bucket}/one.txt?download=b%C3%BCcher.txt`, {}, service)
    expect(named.headers.get('content-disposition')).toBe(
      "attachment; filename=b%C3%BCcher.txt; filename*=UTF-8''b%C3%BCcher.txt",
    )
    await named.body?.cancel()
  })

  test.each([
    ['bytes=0-4', 206, '01234', 'bytes 0-4/10'],
    ['bytes=5-', 206, '56789', 'bytes 5-9/10'],
    ['bytes=-3', 206, '789', 'bytes 7-9/10'],
    ['bytes=8-100', 206, '89', 'bytes 8-9/10'],
    ['bytes=10-', 416, undefined, 'bytes */10'],
    ['bytes=0-1,3-4', 416, undefined, 'bytes */10'],
    ['lines=1-2', 200, '0123456789', null],
  ] as const)('range %s', async (range, status, body, contentRange) => {
    await put('digits', '0123456789')
    const response = await harness.fetch(`/object/authenticated/${bucket}/digits`, { headers: { range } }, service)
    const text = await response.text()
    expect([response.status, response.headers.get('content-range')]).toEqual([status, contentRange])
    if (body !== undefined) expect(text).toBe(body)
    else expect(JSON.parse(text)).toMatchObject({ statusCode: '416', error: 'invalid_range', code: 'InvalidRange' })
  })

  test('conditional requests return 304 without a body', async () => {
    await put('one.txt', 'x')
    const path = `/object/authenticated/${bucket}/one.txt`
    const first = await harness.fetch(path, {}, service)
    await first.text()
    const etag = first.headers.get('etag') ?? ''
    for (const headers of [
      { 'if-none-match': etag },
      { 'if-none-match': `"other", W/${etag}` },
      { 'if-modified-since': new Date(Date.now() + 5000).toUTCString() },
    ] as HeadersInit[]) {
      const response = await harness.fetch(path, { headers }, service)
      expect([response.status, await response.text(), response.headers.get('etag')]).toEqual([304, '', etag])
    }
    const changed = await harness.fetch(path, { headers: { 'if-none-match': '"other"' } }, service)
    expect([changed.status, await changed.text()]).toEqual([200, 'x'])
    const stale = { range: 'bytes=0-0', 'if-range': '"other"' }
    expect((await harness.fetch(path, { headers: stale }, service)).status).toBe(200)
  })

  test('HEAD, exists and info agree', async () => {
    await put('one.txt', 'four')
    const head = await harness.fetch(`/object/${bucket}/one.txt`, { method: 'HEAD' }, service)
    expect([head.status, head.headers.get('content-length')]).toEqual([200, '4'])
    expect((await files().exists('one.txt')).data).toBe(true)
    expect((await files().exists('two.txt')).data).toBe(false)
    const missing = await harness.fetch(`/object/${bucket}/two.txt`, { method: 'HEAD' }, service)
    expect([missing.status, await missing.text()]).toEqual([400, ''])
  })
})

describe('keys', () => {
  test.each([
    'plain.txt',
    'with space.txt',
    "quote's & dollar$.txt",
    'special file @+$,;=.txt',
    'a//b///c',
    '...',
    '+ plus, & and = equals.txt',
    `${'k'.repeat(1020)}.txt`,
  ])('%j is stored, listed and read', async (key) => {
    const path = key.split('/').map(encodeURIComponent).join('/')
    const stored = await harness.fetch(`/object/${bucket}/${path}`, { method: 'POST', body: 'x' }, service)
    expect(stored.status, await stored.clone().text()).toBe(200)
    const read = await harness.fetch(`/object/authenticated/${bucket}/${path}`, {}, service)
    expect([read.status, await read.text()]).toEqual([200, 'x'])
    const list = { method: 'POST', body: JSON.stringify({ prefix: '' }) }
    const { objects } = await (await harness.fetch(`/object/list-v2/${bucket}`, list, service)).json()
    expect(objects.map(({ name }: { name: string }) => name)).toEqual([key])
  })

  test.each([
    ['NUL', 'a%00b'],
    ['line break', 'a%0Ab'],
    ['non-ASCII', '%C3%BC.txt'],
    ['backslash', 'a%5Cb'],
    ['percent sign', 'a%25b'],
    ['braces', '%7Ba%7D'],
    ['1025 characters', 'k'.repeat(1025)],
  ])('rejects a key with %s', async (_what, path) => {
    const response = await harness.fetch(`/object/${bucket}/${path}`, { method: 'POST', body: 'x' }, service)
    const body = await response.json()
    expect([response.status, body.statusCode, body.code]).toEqual([400, '400', 'InvalidKey'])
  })

  test.each([
    '/object/BUCKET/../../etc/passwd',
    '/object/BUCKET/%2e%2e/%2e%2e/etc/passwd',
    '/object/BUCKET/..%2f..%2fetc%2fpasswd',
  ])('%s never leaves the folder', async (path) => {
    await harness.fetch(path.replace('BUCKET', bucket), { method: 'POST', body: 'x' }, service)
    await files().upload('../../escape.txt', 'x')
    const moved = { bucketId: bucket, sourceKey: 'none', destinationKey: '../../../../etc/passwd' }
    await harness.fetch('/object/copy', { method: 'POST', body: JSON.stringify(moved) }, service)
    const names = (await readdir(harness.folder, { recursive: true })).filter((name) => /passwd|escape/.test(name))
    expect(names).toEqual([])
    for (const name of await readdir(join(harness.folder, 'objects'), { recursive: true })) {
      expect(name).toMatch(/^[0-9a-f]{32}(\/[0-9a-f-]{36})?$/)
    }
  })

  test("a forged version in a row doesn't reach another bucket", async () => {
    await put('mine.txt', 'mine')
    await harness.service.storage.createBucket(`${bucket}-secret`)
    await harness.service.storage.from(`${bucket}-secret`).upload('secret.txt', 'secret')
    const forge = (version: string) =>
      harness.db.query(
        statement(
          sql`update storage.objects set version = ${version} where name = 'mine.txt' and bucket_id = ${bucket}`,
        ),
      )
    const { rows } = await harness.db.query<{ version: string }>(
      statement(sql`select version from storage.objects where bucket_id = ${`${bucket}-secret`}`),
    )
    for (const version of [rows[0]?.version ?? '', '../../../../etc/passwd', '']) {
      await forge(version)
      const read = await harness.fetch(`/object/authenticated/${bucket}/mine.txt`, {}, service)
      expect([read.status, (await read.json()).code]).toEqual([400, 'NoSuchKey'])
    }
    await harness.service.storage.from(`${bucket}-secret`).remove(['secret.txt'])
    await files().remove(['mine.txt'])
  })
})

describe('limits', () => {
  test('a bucket limits size and type for bodies, streams and forms', async () => {
    await harness.service.storage.updateBucket(bucket, {
      public: false,
      fileSizeLimit: 4,
      allowedMimeTypes: ['text/*'],
    })
    const before = await contentsOnDisk()
    const tooLarge = { status: 400, statusCode: '413', message: 'The object exceeded the maximum allowed size' }
    expect((await put('form.txt', '12345')).error).toMatchObject(tooLarge)
    expect((await files().upload('body.txt', '12345', { contentType: 'text/plain' })).error).toMatchObject(tooLarge)
    const stream = new Blob(['123', '45']).stream()
    const init = { method: 'POST', body: stream, duplex: 'half', headers: { 'content-type': 'text/plain' } }
    const streamed = await harness.fetch(`/object/${bucket}/stream.txt`, init as RequestInit, service)
    expect(await streamed.json()).toEqual({
      statusCode: '413',
      error: 'Payload too large',
      message: 'The object exceeded the maximum allowed size',
      code: 'EntityTooLarge',
    })
    expect((await put('four.txt', '1234')).error).toBeNull()
    expect((await files().upload('x.png', '1', { contentType: 'image/png' })).error).toMatchObject({
      statusCode: '415',
      message: 'mime type image/png is not supported',
    })
    expect((await files().list()).data?.map(({ name }) => name)).toEqual(['four.txt'])
    expect(await contentsOnDisk()).toBe(before + 1)
  })

  test('an interrupted upload leaves nothing behind', async () => {
    const before = await contentsOnDisk()
    const body = new ReadableStream({
      start: (controller) => controller.enqueue(new Uint8Array(100_000)),
      pull: (controller) => controller.error(new Error('gone')),
    })
    const init = { method: 'POST', body, duplex: 'half' } as RequestInit
    await expect(harness.fetch(`/object/${bucket}/broken.bin`, init, service)).rejects.toThrow()
    await expect.poll(() => readdir(join(harness.folder, 'tmp'))).toEqual([])
    expect((await files().list()).data).toEqual([])
    expect(await contentsOnDisk()).toBe(before)
  })
})

describe('listing', () => {
  test('values of another type are converted like upstream converts them', async () => {
    await put('7/5', 'five')
    const listed = async (body: object) => {
      const response = await harness.fetch(
        `/object/list/${bucket}`,
        { method: 'POST', body: JSON.stringify(body) },
        service,
      )
      const found = await response.json()
      return response.ok ? found.map(({ name }: { name: string }) => name) : found.message
    }
    // The Dart client's call without a search.
    expect(await listed({ prefix: '7', limit: 100, offset: 0, search: null })).toEqual(['5'])
    expect(await listed({ prefix: 7, offset: null, search: 5 })).toEqual(['5'])
    expect(await listed({ prefix: '', limit: null })).toBe('body/limit must be >= 1')
    expect(await listed({ prefix: '', sortBy: null })).toBe('body/sortBy must be object')
    expect(await listed({ search: null })).toBe("body must have required property 'prefix'")
  })

  beforeEach(async () => {
    for (const key of ['b.txt', 'a.txt', 'folder/one.txt', 'folder/two.txt', 'folder/deep/three.txt', 'Zed/x']) {
      await put(key, key)
    }
  })

  test('v1 shows one level, with names relative to the prefix', async () => {
    const top = await files().list()
    expect(top.data?.map(({ name, id }) => [name, id === null])).toEqual([
      ['a.txt', false],
      ['b.txt', false],
      ['folder', true],
      ['Zed', true],
    ])
    expect(top.data?.[0]).toMatchObject({ metadata: { size: 5, mimetype: 'text/plain', eTag: expect.any(String) } })
    const inside = await files().list('folder', { sortBy: { column: 'name', order: 'desc' } })
    expect(inside.data?.map(({ name }) => name)).toEqual(['two.txt', 'one.txt', 'deep'])
    const searched = await files().list('folder', { search: 'TW' })
    expect(searched.data?.map(({ name }) => name)).toEqual(['two.txt'])
    const page = await files().list('', { limit: 2, offset: 1, sortBy: { column: 'created_at', order: 'asc' } })
    expect(page.data?.map(({ name }) => name)).toEqual(['folder', 'b.txt'])
  })

  test('v2 pages through keys and folders by cursor', async () => {
    const names = async (options: object) => {
      const seen: string[] = []
      let cursor: string | undefined
      do {
        const { data, error } = await files().listV2({ limit: 2, ...options, ...(cursor && { cursor }) })
        expect(error).toBeNull()
        seen.push(...(data?.folders ?? []).map(({ name }) => name), ...(data?.objects ?? []).map(({ name }) => name))
        cursor = data?.nextCursor
      } while (cursor)
      return seen
    }
    expect(await names({})).toEqual([
      'Zed/x',
      'a.txt',
      'b.txt',
      'folder/deep/three.txt',
      'folder/one.txt',
      'folder/two.txt',
    ])
    expect(await names({ with_delimiter: true })).toEqual(['Zed/', 'a.txt', 'folder/', 'b.txt'])
    expect(await names({ with_delimiter: true, prefix: 'folder/' })).toEqual([
      'folder/deep/',
      'folder/one.txt',
      'folder/two.txt',
    ])
    expect(await names({ sortBy: { column: 'created_at', order: 'desc' }, prefix: 'folder/' })).toEqual([
      'folder/deep/three.txt',
      'folder/two.txt',
      'folder/one.txt',
    ])
    expect((await files().listV2({ cursor: 'bm9uc2Vuc2U=' })).error).toMatchObject({
      message: 'Invalid Parameter continuation token',
    })
  })
})

describe('move, copy, remove', () => {
  test('copy and move keep content and metadata, also across buckets, and free replaced content', async () => {
    await harness.service.storage.createBucket(`${bucket}-to`)
    await put('a.txt', 'content', { metadata: { tag: 'x' } })
    const before = await contentsOnDisk()
    expect((await files().copy('a.txt', 'b.txt')).data).toEqual({ path: `${bucket}/b.txt` })
    expect((await files().move('b.txt', 'c.txt', { destinationBucket: `${bucket}-to` })).error).toBeNull()
    const there = harness.service.storage.from(`${bucket}-to`)
    expect(await (await there.download('c.txt')).data?.text()).toBe('content')
    expect((await there.info('c.txt')).data).toMatchObject({ metadata: { tag: 'x' }, contentType: 'text/plain' })
    expect((await files().list()).data?.map(({ name }) => name)).toEqual(['a.txt'])
    expect(await contentsOnDisk()).toBe(before + 1)
    expect((await files().copy('a.txt', 'a.txt')).error).toMatchObject({ statusCode: '409' })
    expect((await files().move('nothing', 'x')).error).toMatchObject({ statusCode: '404', message: 'Object not found' })
    await put('d.txt', 'd')
    expect((await files().move('d.txt', 'a.txt')).error).toMatchObject({ statusCode: '409' })
    expect(await (await files().download('a.txt')).data?.text()).toBe('content')
  })

  test('remove returns the removed objects and frees their space', async () => {
    const before = await contentsOnDisk()
    await put('a.txt', 'a')
    await put('b.txt', 'b')
    const { data } = await files().remove(['a.txt', 'missing', 'b.txt'])
    expect(data?.map(({ name }) => name).sort()).toEqual(['a.txt', 'b.txt'])
    expect(await contentsOnDisk()).toBe(before)
    const one = await harness.fetch(`/object/${bucket}/a.txt`, { method: 'DELETE' }, service)
    expect(await one.json()).toEqual({
      statusCode: '404',
      error: 'not_found',
      message: 'Object not found',
      code: 'NoSuchKey',
    })
  })
})

test.each([
  ['no token', undefined],
  ['a malformed token', 'not-a-jwt'],
])('rejects %s with upstream’s message', async (_name, token) => {
  const response = await harness.fetch('/bucket', {}, token)
  expect([response.status, await response.json()]).toEqual([
    400,
    { statusCode: '403', error: 'Unauthorized', message: 'Invalid Compact JWS', code: 'AccessDenied' },
  ])
})

test('an unknown route is a 404', async () => {
  const route = await harness.fetch('/nowhere', {}, service)
  expect([route.status, (await route.json()).message]).toEqual([404, 'Route GET:/nowhere not found'])
})

test('exactly one of many concurrent uploads to a new key succeeds', async () => {
  const results = await Promise.all(Array.from({ length: 8 }, (_, index) => put('race.txt', `body ${index}`)))
  const winner = results.findIndex(({ error }) => error === null)
  expect(results.filter(({ error }) => error === null)).toHaveLength(1)
  for (const { error } of results) if (error) expect(error).toMatchObject({ statusCode: '409' })
  expect(await (await files().download('race.txt')).data?.text()).toBe(`body ${winner}`)
})
