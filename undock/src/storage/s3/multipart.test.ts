import { createHash } from 'node:crypto'
import { mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import {
  AbortMultipartUploadCommand,
  type CompletedPart,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  ListPartsCommand,
  PutObjectCommand,
  type S3Client,
  UploadPartCommand,
  UploadPartCopyCommand,
} from '@aws-sdk/client-s3'
import { Upload } from '@aws-sdk/lib-storage'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { sql, statement } from '../../kernel/sql.ts'
import { refusalOf, s3Of } from '../../testing/s3-client.ts'
import { type StorageServer, startStorageServer } from '../../testing/storage-server.ts'

let harness: StorageServer
let s3: S3Client
beforeAll(async () => {
  harness = await startStorageServer({
    script: `insert into storage.buckets (id, name, file_size_limit) values ('docs', 'docs', null), ('small', 'small', 1000)`,
  })
  s3 = s3Of(harness)
})
afterAll(async () => {
  s3.destroy()
  await harness.close()
})

const filesBelow = async (folder: string) =>
  (await readdir(join(harness.folder, folder), { recursive: true, withFileTypes: true })).filter((e) => e.isFile())
    .length
afterEach(async () => {
  await harness.db.query(statement(sql`delete from storage.s3_multipart_uploads`))
  await rm(join(harness.folder, 'multipart', 'objects'), { recursive: true, force: true })
  await mkdir(join(harness.folder, 'multipart', 'objects'), { recursive: true })
})

const begin = async (Key: string, rest = {}, Bucket = 'docs') => {
  const { UploadId } = await s3.send(new CreateMultipartUploadCommand({ Bucket, Key, ...rest }))
  return { Bucket, Key, UploadId }
}
type Begun = Awaited<ReturnType<typeof begin>>
const part = async (upload: Begun, PartNumber: number, Body: Buffer | string): Promise<CompletedPart> => {
  const { ETag } = await s3.send(new UploadPartCommand({ ...upload, PartNumber, Body }))
  return { PartNumber, ETag }
}
const complete = (upload: Begun, Parts?: CompletedPart[], rest = {}) =>
  s3.send(new CompleteMultipartUploadCommand({ ...upload, ...(Parts && { MultipartUpload: { Parts } }), ...rest }))
const textOf = async (Key: string) =>
  (await s3.send(new GetObjectCommand({ Bucket: 'docs', Key }))).Body?.transformToString()
const md5 = (bytes: Buffer) => createHash('md5').update(bytes).digest()

test('joins parts by number, with metadata and S3’s entity tag', async () => {
  const upload = await begin('whole.txt', {
    ContentType: 'text/plain',
    CacheControl: 'max-age=5',
    Metadata: { color: 'red' },
  })
  const second = await part(upload, 2, 'world')
  const first = await part(upload, 1, 'hello ')
  const listed = await s3.send(new ListPartsCommand(upload))
  expect(listed.Parts?.map(({ PartNumber, Size }) => [PartNumber, Size])).toEqual([
    [1, 6],
    [2, 5],
  ])
  const { ETag } = await complete(upload, [first, second])
  const hash = md5(Buffer.concat([md5(Buffer.from('hello ')), md5(Buffer.from('world'))])).toString('hex')
  expect(ETag).toBe(`"${hash}-2"`)
  expect(await textOf('whole.txt')).toBe('hello world')
  expect(await s3.send(new HeadObjectCommand({ Bucket: 'docs', Key: 'whole.txt' }))).toMatchObject({
    ETag,
    ContentLength: 11,
    ContentType: 'text/plain',
    CacheControl: 'max-age=5',
    Metadata: { color: 'red' },
  })
  expect(await filesBelow('multipart')).toBe(0)
  expect(await refusalOf(complete(upload, [first]))).toEqual({ status: 404, code: 'NoSuchUpload' })
})

test('lib-storage uploads a stream in parallel parts', async () => {
  const content = Buffer.alloc(12_000_000, '0123456789abc')
  const chunks = Array.from({ length: 24 }, (_, index) => content.subarray(index * 500_000, (index + 1) * 500_000))
  const params = { Bucket: 'docs', Key: 'big.bin', Body: Readable.from(chunks) }
  await new Upload({ client: s3, params, queueSize: 3 }).done()
  const found = await s3.send(new GetObjectCommand({ Bucket: 'docs', Key: 'big.bin' }))
  expect(md5(Buffer.from((await found.Body?.transformToByteArray()) ?? []))).toEqual(md5(content))
  expect(found.ETag).toMatch(/-3"$/)
})

test('a repeated part replaces the first, and a single part or an unspecified list is accepted', async () => {
  const upload = await begin('again.txt')
  await part(upload, 1, 'first')
  await part(upload, 1, 'second')
  expect(await filesBelow('multipart')).toBe(1)
  await complete(upload)
  expect(await textOf('again.txt')).toBe('second')
})

test("a completion that doesn't match its parts changes nothing", async () => {
  const upload = await begin('never.txt')
  const one = await part(upload, 1, 'a')
  const two = await part(upload, 2, 'b')
  expect(await refusalOf(complete(upload, [one, { PartNumber: 3, ETag: '"x"' }]))).toEqual({
    status: 400,
    code: 'MissingPart',
  })
  expect(await refusalOf(complete(upload, [{ ...one, ETag: '"x"' }]))).toEqual({ status: 400, code: 'InvalidPart' })
  expect(await refusalOf(complete(upload, [two, one]))).toEqual({ status: 400, code: 'InvalidPartOrder' })
  expect(await refusalOf(complete({ ...upload, Key: 'other' }, [one]))).toEqual({ status: 404, code: 'NoSuchUpload' })
  expect(await refusalOf(textOf('never.txt'))).toMatchObject({ status: 404 })
  expect((await s3.send(new ListPartsCommand(upload))).Parts).toHaveLength(2)
})

test("a completion can require that the object doesn't exist", async () => {
  await s3.send(new PutObjectCommand({ Bucket: 'docs', Key: 'taken', Body: 'old' }))
  const upload = await begin('taken')
  const one = await part(upload, 1, 'new')
  expect(await refusalOf(complete(upload, [one], { IfNoneMatch: '*' }))).toMatchObject({ status: 412 })
  expect(await textOf('taken')).toBe('old')
})

test("the limit applies to all parts together, and failed or repeated ones don't count twice", async () => {
  const upload = await begin('limit', {}, 'small')
  await part(upload, 1, Buffer.alloc(600))
  expect(await refusalOf(part(upload, 2, Buffer.alloc(500)))).toEqual({ status: 413, code: 'EntityTooLarge' })
  await part(upload, 1, Buffer.alloc(400))
  await part(upload, 2, Buffer.alloc(600))
  expect(await refusalOf(part(upload, 3, 'x'))).toMatchObject({ status: 413 })
})

test('copies parts from objects, whole or a range', async () => {
  await s3.send(new PutObjectCommand({ Bucket: 'docs', Key: 'source', Body: '0123456789' }))
  const upload = await begin('copied')
  const copy = (PartNumber: number, CopySourceRange?: string, rest = {}) =>
    s3.send(new UploadPartCopyCommand({ ...upload, PartNumber, CopySource: 'docs/source', CopySourceRange, ...rest }))
  const one = await copy(1, 'bytes=2-4')
  expect(one.CopyPartResult?.LastModified).toBeInstanceOf(Date)
  await copy(2)
  expect(await refusalOf(copy(3, 'bytes=-5'))).toEqual({ status: 400, code: 'InvalidRange' })
  expect(await refusalOf(copy(3, 'bytes=5-10'))).toEqual({ status: 400, code: 'InvalidRange' })
  expect(await refusalOf(copy(3, undefined, { CopySourceIfMatch: '"x"' }))).toMatchObject({ status: 412 })
  await complete(upload)
  expect(await textOf('copied')).toBe('2340123456789')
})

test('aborting frees everything', async () => {
  const upload = await begin('aborted')
  await part(upload, 1, 'x')
  await s3.send(new AbortMultipartUploadCommand(upload))
  expect(await filesBelow('multipart')).toBe(0)
  expect(await refusalOf(s3.send(new ListPartsCommand(upload)))).toEqual({ status: 404, code: 'NoSuchUpload' })
  expect(await refusalOf(part(upload, 2, 'x'))).toEqual({ status: 404, code: 'NoSuchUpload' })
})

test('lists uploads and parts in pages', async () => {
  const uploads = [await begin('n/1'), await begin('n/2'), await begin('x'), await begin('x')]
  const ids = async (input: object) => {
    const seen: (string | undefined)[] = []
    let markers = {}
    for (;;) {
      const page = await s3.send(new ListMultipartUploadsCommand({ Bucket: 'docs', ...input, ...markers }))
      seen.push(...(page.CommonPrefixes ?? []).map(({ Prefix }) => Prefix), ...(page.Uploads ?? []).map((u) => u.Key))
      if (!page.IsTruncated) return seen
      markers = { KeyMarker: page.NextKeyMarker, UploadIdMarker: page.NextUploadIdMarker }
    }
  }
  expect(await ids({})).toEqual(['n/1', 'n/2', 'x', 'x'])
  expect(await ids({ MaxUploads: 1 })).toEqual(['n/1', 'n/2', 'x', 'x'])
  expect(await ids({ MaxUploads: 1, Delimiter: '/' })).toEqual(['n/', 'x', 'x'])
  expect(await ids({ Prefix: 'n_' })).toEqual([])
  const [upload] = uploads
  if (!upload) throw new Error('no upload')
  for (const number of [1, 2, 3]) await part(upload, number, 'x')
  const page = await s3.send(new ListPartsCommand({ ...upload, MaxParts: 2 }))
  expect([page.IsTruncated, page.NextPartNumberMarker]).toEqual([true, '2'])
  const rest = await s3.send(new ListPartsCommand({ ...upload, PartNumberMarker: page.NextPartNumberMarker }))
  expect(rest.Parts?.map(({ PartNumber }) => PartNumber)).toEqual([3])
})

test('after a kill, removes parts without rows and rows without parts, and the upload continues', async () => {
  const upload = await begin('resumed')
  await part(upload, 1, 'kept ')
  await part(upload, 2, 'lost')
  await harness.db.query(
    statement(sql`update storage.s3_multipart_uploads_parts set id = gen_random_uuid() where part_number = 2`),
  )
  await harness.restart()
  expect((await s3.send(new ListPartsCommand(upload))).Parts?.map(({ PartNumber }) => PartNumber)).toEqual([1])
  expect(await filesBelow('multipart')).toBe(1)
  await part(upload, 2, 'found')
  await complete(upload)
  expect(await textOf('resumed')).toBe('kept found')
})

test('removes an unfinished upload after a day', async () => {
  const upload = await begin('stale')
  await part(upload, 1, 'x')
  await harness.db.query(
    statement(sql`update storage.s3_multipart_uploads set created_at = now() - interval '25 hours'`),
  )
  await harness.restart()
  expect(await refusalOf(s3.send(new ListPartsCommand(upload)))).toEqual({ status: 404, code: 'NoSuchUpload' })
  expect(await filesBelow('multipart')).toBe(0)
})
