import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { createServer, request as forward, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { DeleteObjectCommand } from '@aws-sdk/client-s3'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { sql, statement } from '../../kernel/sql.ts'
import { startS3Store, type TestStore } from '../../testing/s3-store.ts'
import { type StorageServer, startStorageServer } from '../../testing/storage-server.ts'
import { openFiles, type S3Files } from './open-files.ts'

const MIB = 1024 * 1024
const QUIET = { log: { info: () => undefined } }

let store: TestStore
let harness: StorageServer
let files: S3Files
beforeAll(async () => {
  store = await startS3Store()
  harness = await startStorageServer({
    files: store.files,
    script: `insert into storage.buckets (id, name, public) values ('docs', 'docs', true), ('other', 'other', false)`,
  })
  files = (await openFiles(store.files, QUIET)) as S3Files
})
afterAll(async () => {
  await harness.close()
  files.close()
  await store.close()
})

const docs = () => harness.service.storage.from('docs')
const bytesOf = async (blob: Blob | null) => Buffer.from((await blob?.arrayBuffer()) ?? new ArrayBuffer(0))
const md5 = (bytes: Uint8Array) => createHash('md5').update(bytes).digest('hex')
async function* pieces(bytes: Buffer, size = 700_001) {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}
const place = () => ({ bucket: 'docs', version: randomUUID() })

test('stores an object under one key that contains nothing from the request', async () => {
  expect((await docs().upload('a/e.txt', 'hello', { contentType: 'text/plain' })).error).toBeNull()
  const { rows } = await harness.db.query<{ version: string; metadata: { eTag: string; size: number } }>(
    statement(sql`select version, metadata from storage.objects where name = 'a/e.txt'`),
  )
  const hash = createHash('sha256').update('docs').digest('hex').slice(0, 32)
  expect(await store.keys()).toEqual([`objects/${hash}/${rows[0]?.version}`])
  expect(rows[0]?.metadata).toMatchObject({ eTag: `"${md5(Buffer.from('hello'))}"`, size: 5 })
  expect(await (await docs().download('a/e.txt')).data?.text()).toBe('hello')
  await docs().remove(['a/e.txt'])
  expect(await store.keys()).toEqual([])
})

test("stores objects larger than a part, with the bytes' MD5 as entity tag", async () => {
  const content = randomBytes(12 * MIB + 17)
  expect((await docs().upload('large.bin', content)).error).toBeNull()
  const info = await docs().info('large.bin')
  expect(info.data).toMatchObject({ size: content.length, etag: `"${md5(content)}"` })
  expect(md5(await bytesOf((await docs().download('large.bin')).data))).toBe(md5(content))
  for (const [range, expected] of [
    ['bytes=5242870-5242890', content.subarray(5_242_870, 5_242_891)],
    ['bytes=-10', content.subarray(-10)],
    ['bytes=12582900-', content.subarray(12_582_900)],
  ] as const) {
    const response = await harness.fetch('/object/public/docs/large.bin', { headers: { range } })
    expect([range, response.status]).toEqual([range, 206])
    expect(Buffer.from(await response.arrayBuffer()).equals(expected)).toBe(true)
  }
  const beyond = await harness.fetch('/object/public/docs/large.bin', { headers: { range: 'bytes=99999999-' } })
  expect([beyond.status, beyond.headers.get('content-range')]).toEqual([416, `bytes */${content.length}`])
  expect((await harness.fetch('/object/public/docs/large.bin', { method: 'HEAD' })).headers.get('content-length')).toBe(
    String(content.length),
  )
})

test('stores an empty object and one of exactly one part', async () => {
  for (const size of [0, 5 * MIB]) {
    const content = randomBytes(size)
    expect((await docs().upload(`size-${size}`, content)).error).toBeNull()
    expect((await bytesOf((await docs().download(`size-${size}`)).data)).equals(content)).toBe(true)
  }
})

test('copies and moves keep the bytes and delete replaced objects', async () => {
  await docs().upload('from', 'first')
  await docs().copy('from', 'copied', { destinationBucket: 'other' })
  await docs().upload('from', 'second', { upsert: true })
  await docs().move('from', 'moved')
  const other = harness.service.storage.from('other')
  expect(await (await other.download('copied')).data?.text()).toBe('first')
  expect(await (await docs().download('moved')).data?.text()).toBe('second')
  expect((await docs().download('from')).error).not.toBeNull()
  const { rows } = await harness.db.query(statement(sql`select id from storage.objects`))
  expect(await store.keys()).toHaveLength(rows.length)
})

test('emptying a bucket deletes more than a thousand objects in batches', async () => {
  await harness.db.query(statement(sql`insert into storage.buckets (id, name) values ('many', 'many')`))
  await harness.db.query(
    statement(sql`insert into storage.objects (bucket_id, name, version)
      select 'many', n::text, gen_random_uuid()::text from generate_series(1, 1500) n`),
  )
  const { rows } = await harness.db.query<{ version: string }>(
    statement(sql`select version from storage.objects where bucket_id = 'many' and name = '1400'`),
  )
  const last = { bucket: 'many', version: rows[0]?.version ?? '' }
  await files.objects.write(last, pieces(Buffer.from('x')), 1)
  expect(await files.objects.size(last)).toBe(1)
  expect((await harness.service.storage.emptyBucket('many')).error).toBeNull()
  await expect(files.objects.size(last)).rejects.toMatchObject({ code: 'NoSuchKey' })
})

test('an upload that exceeds its limit or breaks off leaves nothing', async () => {
  const before = await store.keys()
  const content = randomBytes(11 * MIB)
  await expect(files.objects.write(place(), pieces(content), 10 * MIB)).rejects.toMatchObject({
    code: 'EntityTooLarge',
  })
  async function* broken() {
    yield* pieces(content)
    throw new Error('gone')
  }
  await expect(files.objects.write(place(), broken(), 20 * MIB)).rejects.toThrow('gone')
  expect(await store.keys()).toEqual(before)
})

test('reports a row without content as a missing object', async () => {
  await docs().upload('lost', 'lost')
  const { rows } = await harness.db.query<{ version: string }>(
    statement(sql`select version from storage.objects where name = 'lost'`),
  )
  const key = (await store.keys()).find((one) => one.endsWith(rows[0]?.version ?? '-'))
  await store.client.send(new DeleteObjectCommand({ Bucket: store.files.bucket, Key: `${store.files.prefix}/${key}` }))
  expect((await docs().download('lost')).error).toMatchObject({ status: 400 })
  expect((await harness.fetch('/object/public/docs/lost', { headers: { range: 'bytes=0-1' } })).status).toBe(400)
})

test('an aborted download frees its connection', async () => {
  const content = randomBytes(2 * MIB)
  await docs().upload('given-up', content)
  for (let turn = 0; turn < 60; turn += 1) {
    const giveUp = new AbortController()
    const response = await fetch(`${harness.url}/storage/v1/object/public/docs/given-up`, { signal: giveUp.signal })
    await response.body?.getReader().read()
    giveUp.abort()
  }
  expect(md5(await bytesOf((await docs().download('given-up')).data))).toBe(md5(content))
})

test('rejects an unusable bucket at the start, with what to do', async () => {
  const wrong = openFiles({ ...store.files, bucket: `none-${randomUUID()}` }, QUIET)
  await expect(wrong).rejects.toThrow(/The bucket none-.* cannot be used for files: .*NoSuchBucket.* Check its address/)
  const nowhere = openFiles({ ...store.files, endpoint: 'http://127.0.0.1:9' }, QUIET)
  await expect(nowhere).rejects.toThrow(/ECONNREFUSED/)
})

let fault: 'none' | 'silent' | 'cut' | 'refusing' = 'none'
let attempts = 0
let proxy: Server
let through: StorageServer
beforeAll(async () => {
  const { hostname, port: storePort, pathname } = new URL(store.files.endpoint ?? '')
  proxy = createServer((incoming, response) => {
    attempts += 1
    if (fault === 'silent') return
    if (fault === 'refusing') return response.writeHead(503).end('<Error><Code>SlowDown</Code></Error>')
    const isCut = fault === 'cut' && incoming.method === 'GET'
    const path = pathname.replace(/\/$/, '') + incoming.url
    // The signature is for the proxy's own address, which stays in the header.
    const { method, headers } = incoming
    const outgoing = forward({ hostname, port: storePort, path, method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      if (isCut) answer.once('data', (chunk) => response.write(chunk.subarray(0, 1000), () => response.destroy()))
      else answer.pipe(response)
    })
    incoming.pipe(outgoing)
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => proxy.once('listening', resolve))
  const { port } = proxy.address() as AddressInfo
  through = await startStorageServer({
    files: { ...store.files, endpoint: `http://127.0.0.1:${port}`, prefix: `${store.files.prefix}-far`, timeout: 300 },
    script: `insert into storage.buckets (id, name, public) values ('docs', 'docs', true)`,
  })
})
beforeEach(() => {
  attempts = 0
})
afterEach(() => {
  fault = 'none'
})
afterAll(async () => {
  await through.close()
  proxy.closeAllConnections()
  proxy.close()
})

test('retries a failing or silent store a few times, then fails within its time limit and logs the store', async () => {
  const far = through.service.storage.from('docs')
  expect((await far.upload('kept', 'kept')).error).toBeNull()
  attempts = 0
  for (const [kind, said] of [
    ['silent', /PutObject: the S3 store at http:.* failed: .*exceeded the configured 300 ms/],
    ['refusing', /PutObject: the S3 store at http:.* answered 503 SlowDown/],
  ] as const) {
    fault = kind
    attempts = 0
    const { error } = await far.upload('new', 'new')
    expect([kind, error]).toMatchObject([kind, { status: 500, statusCode: '500' }])
    expect(error?.message).toBe('The store that holds the files failed')
    expect(attempts).toBe(3)
    expect(through.logged.at(-1)).toMatch(said)
    expect((await through.fetch('/object/public/docs/kept')).status).toBe(500)
  }
  fault = 'none'
  expect((await far.upload('new', 'new')).error).toBeNull()
  expect(await (await far.download('kept')).data?.text()).toBe('kept')
})

test('a download that the store interrupts is aborted, not truncated', async () => {
  await through.service.storage.from('docs').upload('cut', 'x'.repeat(100_000))
  fault = 'cut'
  const response = await through.fetch('/object/public/docs/cut')
  expect(response.status).toBe(200)
  await expect(response.arrayBuffer()).rejects.toThrow()
})
