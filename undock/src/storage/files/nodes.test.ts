import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { request } from 'node:http'
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  GetObjectCommand,
  ListPartsCommand,
  PutObjectCommand,
  type S3Client,
  UploadPartCommand,
  UploadPartCopyCommand,
} from '@aws-sdk/client-s3'
import { Upload as TusUpload } from 'tus-js-client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sql, statement } from '../../kernel/sql.ts'
import { refusalOf, s3Of } from '../../testing/s3-client.ts'
import { startS3Store, type TestStore } from '../../testing/s3-store.ts'
import { type StorageServer, startStorageServer } from '../../testing/storage-server.ts'
import { Uploads } from '../resumable/uploads.ts'

// Two nodes with one database and one S3 store: each can continue what the other began.

const MIB = 1024 * 1024
let store: TestStore
let [first, second]: StorageServer[] = []
let nodes: [StorageServer, StorageServer]
beforeAll(async () => {
  store = await startS3Store()
  first = await startStorageServer({
    files: store.files,
    script: `insert into storage.buckets (id, name, file_size_limit) values ('docs', 'docs', null), ('small', 'small', 1000)`,
  })
  second = await startStorageServer({ files: store.files, beside: first })
  nodes = [first, second]
})
afterAll(async () => {
  await second?.close()
  await first?.close()
  await store.close()
})

const md5 = (bytes: Uint8Array) => createHash('md5').update(bytes).digest()
const contentOf = async (key: string) => {
  const { data } = await nodes[1].service.storage.from('docs').download(key)
  return Buffer.from((await data?.arrayBuffer()) ?? new ArrayBuffer(0))
}
const tus = () => ({ 'tus-resumable': '1.0.0', authorization: `Bearer ${nodes[0].identity.keys.serviceRole}` })
const encode = (text: string) => Buffer.from(text).toString('base64')

async function begin(key: string, size: number): Promise<[string, string]> {
  const created = await fetch(`${nodes[0].url}/storage/v1/upload/resumable`, {
    method: 'POST',
    headers: {
      ...tus(),
      'upload-length': String(size),
      'upload-metadata': `bucketName ${encode('docs')},objectName ${encode(key)}`,
    },
  })
  expect(created.status).toBe(201)
  const { pathname } = new URL(created.headers.get('location') ?? '')
  return [nodes[0].url + pathname, nodes[1].url + pathname]
}
const patch = (url: string, offset: number, body: Uint8Array) =>
  fetch(url, {
    method: 'PATCH',
    headers: { ...tus(), 'upload-offset': String(offset), 'content-type': 'application/offset+octet-stream' },
    body: new Uint8Array(body),
  })
const offsetOf = async (url: string) => {
  const head = await fetch(url, { method: 'HEAD', headers: tus() })
  expect(head.status).toBe(200)
  return Number(head.headers.get('upload-offset'))
}
const left = async () => (await store.keys()).filter((key) => !key.startsWith('objects/'))
const idOf = (url: string) => url.split('/').at(-1) ?? ''

test('the official client pauses an upload on one node and resumes it on another', async () => {
  const content = randomBytes(15 * MIB + 3)
  const metadata = { bucketName: 'docs', objectName: 'book.pdf', contentType: 'application/pdf' }
  const send = (endpoint: string, uploadUrl: string | null, stopAt: number) =>
    new Promise<string>((resolve, reject) => {
      const upload = new TusUpload(content, {
        endpoint: `${endpoint}/storage/v1/upload/resumable`,
        uploadUrl,
        headers: tus(),
        metadata,
        chunkSize: 6 * MIB,
        retryDelays: null,
        onError: reject,
        onSuccess: () => resolve(upload.url ?? ''),
        onChunkComplete: (_size, accepted) => {
          if (accepted >= stopAt) void upload.abort().then(() => resolve(upload.url ?? ''))
        },
      })
      upload.start()
    })
  const url = await send(nodes[0].url, null, 6 * MIB)
  const elsewhere = url.replace(nodes[0].url, nodes[1].url)
  expect(await offsetOf(elsewhere)).toBeGreaterThanOrEqual(6 * MIB)
  await send(nodes[1].url, elsewhere, Number.POSITIVE_INFINITY)
  expect(md5(await contentOf('book.pdf'))).toEqual(md5(content))
  const info = await nodes[0].service.storage.from('docs').info('book.pdf')
  expect(info.data).toMatchObject({ size: content.length, contentType: 'application/pdf' })
  expect(info.data?.etag).toMatch(/^"[0-9a-f]{32}-4"$/)
  expect(await left()).toEqual([])
  // A client that missed the last response can ask any node about the upload.
  expect(await offsetOf(url)).toBe(content.length)
})

test('small chunks sent to both nodes in turn become one object, with the MD5 of its bytes below part size', async () => {
  const content = randomBytes(13 * MIB)
  const urls = await begin('turns.bin', content.length)
  const step = 1_900_001
  for (let offset = 0, turn = 0; offset < content.length; offset += step, turn += 1) {
    const answer = await patch(urls[turn % 2] ?? '', offset, content.subarray(offset, offset + step))
    const end = Math.min(offset + step, content.length)
    expect([answer.status, answer.headers.get('upload-offset')]).toEqual([204, String(end)])
    expect(await offsetOf(urls[(turn + 1) % 2] ?? '')).toBe(end)
  }
  expect(md5(await contentOf('turns.bin'))).toEqual(md5(content))
  const short = await begin('short.bin', 10)
  await patch(short[0], 0, content.subarray(0, 4))
  await patch(short[1], 4, content.subarray(4, 10))
  const info = await nodes[0].service.storage.from('docs').info('short.bin')
  expect(info.data?.etag).toBe(`"${md5(content.subarray(0, 10)).toString('hex')}"`)
  const empty = await begin('empty.bin', 0)
  expect(await offsetOf(empty[1])).toBe(0)
  expect((await contentOf('empty.bin')).length).toBe(0)
  expect(await left()).toEqual([])
})

test('rejects a wrong offset and more bytes than announced', async () => {
  const urls = await begin('refused.bin', 100)
  await patch(urls[0], 0, Buffer.alloc(60))
  expect((await patch(urls[1], 0, Buffer.alloc(60))).status).toBe(409)
  expect((await patch(urls[1], 60, Buffer.alloc(41))).status).toBe(413)
  expect((await fetch(urls[1], { method: 'DELETE', headers: tus() })).status).toBe(204)
  expect(await left()).toEqual([])
  expect((await fetch(urls[0], { method: 'HEAD', headers: tus() })).status).toBe(404)
})

test('keeps what arrived of an interrupted request, and the other node continues', async () => {
  const content = randomBytes(14 * MIB)
  const urls = await begin('broken.bin', content.length)
  const sending = request(urls[0], {
    method: 'PATCH',
    headers: {
      ...tus(),
      'upload-offset': '0',
      'content-type': 'application/offset+octet-stream',
      'content-length': String(content.length),
    },
  })
  sending.on('error', () => undefined)
  sending.write(content.subarray(0, 7 * MIB))
  const received = sql`select received::int from _undock.uploads where id = ${idOf(urls[0])}`
  await expect
    .poll(async () => (await nodes[0].db.query(statement(received))).rows[0]?.received, { timeout: 30_000 })
    .toBeGreaterThan(0)
  const offset = await offsetOf(urls[1])
  sending.destroy()
  expect(offset).toBeGreaterThan(0)
  expect(offset).toBeLessThanOrEqual(7 * MIB)
  expect((await patch(urls[1], offset, content.subarray(offset))).status).toBe(204)
  expect(md5(await contentOf('broken.bin'))).toEqual(md5(content))
  expect(await left()).toEqual([])
})

test('a dead node holds an upload for at most five seconds', async () => {
  const urls = await begin('held.bin', 10)
  const dead = { id: idOf(urls[0]), holder: randomUUID() }
  expect(await new Uploads(nodes[0].db).take(dead)).toBe('taken')
  const start = Date.now()
  expect((await patch(urls[1], 0, Buffer.alloc(10, 'x'))).status).toBe(204)
  expect(Date.now() - start).toBeGreaterThan(3000)
  expect(Date.now() - start).toBeLessThan(9000)
})

test('a paused node that returns after a takeover changes nothing', async () => {
  const urls = await begin('paused.bin', 10)
  const id = idOf(urls[0])
  const uploads = new Uploads(nodes[0].db)
  const [paused, other] = [randomUUID(), randomUUID()].map((holder) => ({ id, holder })) as [never, never]
  expect(await uploads.take(paused)).toBe('taken')
  expect(await uploads.take(other)).toBe('busy')
  expect(await uploads.renew(paused)).toBe(true)
  await nodes[0].db.query(
    statement(sql`update _undock.uploads set held_until = now() - interval '1 s' where id = ${id}`),
  )
  expect(await uploads.take(other)).toBe('taken')
  expect(await uploads.renew(paused)).toBeNull()
  await expect(uploads.addPart(paused, { number: 1, size: 5, etag: 'x' }, 5)).rejects.toMatchObject({
    code: 'ResourceLocked',
  })
  await expect(uploads.setTail(paused, randomUUID(), 5, 5)).rejects.toMatchObject({ code: 'ResourceLocked' })
  await expect(uploads.reservePart(paused)).rejects.toMatchObject({ code: 'ResourceLocked' })
  await uploads.release(paused)
  expect(await uploads.renew(other)).toBe(false)
  await uploads.release(other)
  expect(await offsetOf(urls[1])).toBe(0)
})

test('a kill between the last byte and the row, or the row and its record, loses nothing', async () => {
  const content = randomBytes(5 * MIB)
  for (const state of ['content', 'row'] as const) {
    const key = `killed-${state}.bin`
    const urls = await begin(key, content.length)
    expect((await patch(urls[0], 0, content)).status).toBe(204)
    await nodes[0].db.query(statement(sql`update _undock.uploads set is_committed = false where id = ${idOf(urls[0])}`))
    if (state === 'content')
      await nodes[0].db.transaction({}, async (tx) => {
        await tx.query(statement(sql`select set_config('storage.allow_delete_query', 'true', true)`))
        await tx.query(statement(sql`delete from storage.objects where name = ${key}`))
      })
    expect(await Promise.all(urls.map(offsetOf))).toEqual([content.length, content.length])
    expect(md5(await contentOf(key))).toEqual(md5(content))
  }
})

test('removes unfinished uploads after a day on any node', async () => {
  const urls = await begin('stale.bin', 9 * MIB)
  await patch(urls[0], 0, randomBytes(7 * MIB))
  expect(await left()).toHaveLength(1)
  await nodes[0].db.query(statement(sql`update _undock.uploads set created_at = now() - interval '25 hours'`))
  expect((await fetch(urls[0], { method: 'HEAD', headers: tus() })).status).toBe(410)
  await nodes[1].restart()
  expect((await fetch(urls[1], { method: 'HEAD', headers: tus() })).status).toBe(404)
  expect(await left()).toEqual([])
})

const s3OfNodes = (): [S3Client, S3Client] => [s3Of(nodes[0]), s3Of(nodes[1])]
const target = (Key: string) => ({ Bucket: 'docs', Key })

test('S3: parts sent to both nodes become one object, completed on either', async () => {
  const [one, two] = s3OfNodes()
  const upload = { ...target('parts.bin'), ...{ UploadId: '' } }
  upload.UploadId = (await one.send(new CreateMultipartUploadCommand(target('parts.bin')))).UploadId ?? ''
  const content = [randomBytes(5 * MIB), randomBytes(6 * MIB), Buffer.from('the end')]
  const sent = await Promise.all(
    content.map((Body, index) =>
      (index % 2 === 0 ? one : two).send(new UploadPartCommand({ ...upload, PartNumber: index + 1, Body })),
    ),
  )
  const again = await two.send(new UploadPartCommand({ ...upload, PartNumber: 3, Body: 'the very end' }))
  expect((await one.send(new ListPartsCommand(upload))).Parts?.map(({ Size }) => Size)).toEqual([5 * MIB, 6 * MIB, 12])
  const etags = [sent[0]?.ETag, sent[1]?.ETag, again.ETag]
  const Parts = etags.map((ETag, index) => ({ ETag, PartNumber: index + 1 }))
  const wrong = [Parts[0], Parts[1], { ETag: sent[2]?.ETag, PartNumber: 3 }].flatMap((part) => (part ? [part] : []))
  const complete = (client: S3Client, parts: typeof wrong) =>
    client.send(new CompleteMultipartUploadCommand({ ...upload, MultipartUpload: { Parts: parts } }))
  expect(await refusalOf(complete(one, wrong))).toEqual({ status: 400, code: 'InvalidPart' })
  const { ETag } = await complete(two, Parts)
  const whole = Buffer.concat([...content.slice(0, 2), Buffer.from('the very end')])
  const hash = md5(
    Buffer.concat([md5(content[0] ?? whole), md5(content[1] ?? whole), md5(Buffer.from('the very end'))]),
  )
  expect(ETag).toBe(`"${hash.toString('hex')}-3"`)
  const found = await one.send(new GetObjectCommand(target('parts.bin')))
  expect(md5((await found.Body?.transformToByteArray()) ?? whole)).toEqual(md5(whole))
  expect(await refusalOf(complete(one, Parts))).toEqual({ status: 404, code: 'NoSuchUpload' })
})

test('S3: a completion whose response was lost can be repeated', async () => {
  const [one, two] = s3OfNodes()
  const { UploadId } = await one.send(new CreateMultipartUploadCommand(target('repeated')))
  const { ETag } = await one.send(new UploadPartCommand({ ...target('repeated'), UploadId, PartNumber: 1, Body: 'x' }))
  const rows = await nodes[0].db.query<{ key: string; version: string }>(
    statement(sql`select key, version from storage.s3_multipart_uploads where id = ${UploadId}`),
  )
  const hash = createHash('sha256').update('docs').digest('hex').slice(0, 32)
  const Key = `${store.files.prefix}/objects/${hash}/${rows.rows[0]?.version}`
  const input = { Bucket: store.files.bucket, Key, UploadId, MultipartUpload: { Parts: [{ ETag, PartNumber: 1 }] } }
  await store.client.send(new CompleteMultipartUploadCommand(input))
  const parts = { MultipartUpload: { Parts: [{ ETag, PartNumber: 1 }] } }
  await two.send(new CompleteMultipartUploadCommand({ ...target('repeated'), UploadId, ...parts }))
  expect((await contentOf('repeated')).toString()).toBe('x')
})

test('S3: copies parts, limits the total size, and frees everything on abort', async () => {
  const [one, two] = s3OfNodes()
  await one.send(new PutObjectCommand({ ...target('source'), Body: '0123456789' }))
  const { UploadId } = await one.send(new CreateMultipartUploadCommand(target('copied')))
  const upload = { ...target('copied'), UploadId }
  const copy = { ...upload, PartNumber: 1, CopySource: 'docs/source', CopySourceRange: 'bytes=2-4' }
  const { CopyPartResult } = await two.send(new UploadPartCopyCommand(copy))
  const Parts = [{ PartNumber: 1, ETag: CopyPartResult?.ETag }]
  await one.send(new CompleteMultipartUploadCommand({ ...upload, MultipartUpload: { Parts } }))
  expect((await contentOf('copied')).toString()).toBe('234')

  const small = { Bucket: 'small', Key: 'limit' }
  const limited = { ...small, ...(await one.send(new CreateMultipartUploadCommand(small))) }
  const part = (client: S3Client, PartNumber: number, size: number) =>
    client.send(new UploadPartCommand({ ...small, UploadId: limited.UploadId, PartNumber, Body: Buffer.alloc(size) }))
  await part(one, 1, 600)
  expect(await refusalOf(part(two, 2, 500))).toEqual({ status: 413, code: 'EntityTooLarge' })
  const outcomes = await Promise.all([2, 3, 4].map((number) => refusalOf(part(number === 3 ? one : two, number, 300))))
  expect(outcomes.filter(({ status }) => status === 200)).toHaveLength(1)
  expect(outcomes.filter(({ status }) => status === 413)).toHaveLength(2)
  await two.send(new AbortMultipartUploadCommand({ ...small, UploadId: limited.UploadId }))
  expect(await refusalOf(part(one, 1, 1))).toEqual({ status: 404, code: 'NoSuchUpload' })
})
