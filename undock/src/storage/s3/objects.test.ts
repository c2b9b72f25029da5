import { Readable } from 'node:stream'
import {
  CopyObjectCommand,
  CreateBucketCommand,
  DeleteBucketCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetBucketLocationCommand,
  GetBucketVersioningCommand,
  GetObjectCommand,
  GetObjectTaggingCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListBucketsCommand,
  PutObjectCommand,
  PutObjectTaggingCommand,
  type S3Client,
} from '@aws-sdk/client-s3'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { refusalOf, s3Of } from '../../testing/s3-client.ts'
import { type StorageServer, startStorageServer } from '../../testing/storage-server.ts'

let harness: StorageServer
let s3: S3Client
beforeAll(async () => {
  harness = await startStorageServer({
    script: `insert into storage.buckets (id, name, file_size_limit, allowed_mime_types) values
      ('docs', 'docs', null, null), ('small', 'small', 1000, '{text/*}')`,
  })
  s3 = s3Of(harness)
})
afterAll(async () => {
  s3.destroy()
  await harness.close()
})

const put = (Key: string, Body: string | Buffer | Readable, rest = {}) =>
  s3.send(new PutObjectCommand({ Bucket: 'docs', Key, Body, ...rest }))
const get = (Key: string, rest = {}) => s3.send(new GetObjectCommand({ Bucket: 'docs', Key, ...rest }))
const textOf = async (Key: string, rest = {}) => (await get(Key, rest)).Body?.transformToString()

describe('buckets', () => {
  test('can be created, found, described and deleted', async () => {
    expect((await s3.send(new CreateBucketCommand({ Bucket: 'fresh' }))).Location).toBe('/fresh')
    const { Buckets = [] } = await s3.send(new ListBucketsCommand({}))
    expect(Buckets.map(({ Name }) => Name)).toContain('fresh')
    expect(Buckets[0]?.CreationDate).toBeInstanceOf(Date)
    expect((await s3.send(new HeadBucketCommand({ Bucket: 'fresh' }))).BucketRegion).toBe('local')
    expect((await s3.send(new GetBucketLocationCommand({ Bucket: 'fresh' }))).LocationConstraint).toBe('local')
    expect((await s3.send(new GetBucketVersioningCommand({ Bucket: 'fresh' }))).Status).toBe('Suspended')
    expect((await s3.send(new DeleteBucketCommand({ Bucket: 'fresh' }))).$metadata.httpStatusCode).toBe(204)
    expect(await refusalOf(s3.send(new HeadBucketCommand({ Bucket: 'fresh' })))).toMatchObject({ status: 404 })
  })

  test('reject like upstream', async () => {
    await put('occupied.txt', 'x')
    const refused = async (command: CreateBucketCommand | DeleteBucketCommand) =>
      Object.values(await refusalOf(s3.send(command as CreateBucketCommand)))
    expect(await refused(new CreateBucketCommand({ Bucket: 'docs' }))).toEqual([409, 'BucketAlreadyExists'])
    expect(await refused(new DeleteBucketCommand({ Bucket: 'docs' }))).toEqual([409, 'ResourceNotEmpty'])
    expect(await refused(new DeleteBucketCommand({ Bucket: 'none' }))).toEqual([404, 'NoSuchBucket'])
  })
})

describe('objects', () => {
  test('keep their content, type, cache control and metadata', async () => {
    const stored = await put('a/b.txt', 'hello', {
      ContentType: 'text/plain',
      CacheControl: 'max-age=7',
      Metadata: { color: 'blue' },
    })
    expect(stored.ETag).toBe('"5d41402abc4b2a76b9719d911017c592"')
    const found = await get('a/b.txt')
    expect(await found.Body?.transformToString()).toBe('hello')
    expect(found).toMatchObject({
      ContentType: 'text/plain',
      CacheControl: 'max-age=7',
      ContentLength: 5,
      ETag: stored.ETag,
      Metadata: { color: 'blue' },
      AcceptRanges: 'bytes',
    })
    const head = await s3.send(new HeadObjectCommand({ Bucket: 'docs', Key: 'a/b.txt' }))
    expect(head).toMatchObject({ ContentLength: 5, ETag: stored.ETag, Metadata: { color: 'blue' } })
    expect(await harness.service.storage.from('docs').download('a/b.txt')).toMatchObject({ error: null })
  })

  test('are the same in every other protocol, and report the number of metadata values invalid in headers', async () => {
    await harness.service.storage.from('docs').upload('rest.txt', 'r', { metadata: { ok: 'yes', ü: 'ö', n: 3 } })
    const found = await get('rest.txt')
    expect(found.Metadata).toEqual({ ok: 'yes' })
    expect(found.MissingMeta).toBe(2)
  })

  test('arrive as a stream of unknown checksum (aws-chunked with a trailer)', async () => {
    const content = Buffer.alloc(3_000_000, 'abcdefg')
    const chunks = Array.from({ length: 30 }, (_, index) => content.subarray(index * 100_000, (index + 1) * 100_000))
    await put('stream.bin', Readable.from(chunks), { ContentLength: content.length })
    expect(Buffer.from((await (await get('stream.bin')).Body?.transformToByteArray()) ?? [])).toEqual(content)
  })

  test.each([["test!$&'() *+,:;=@ing.bin"], ['a//b'], ['folder/'], ['-'.repeat(1024)], ['1e5'], ['true']])(
    'accept the key %j',
    async (key) => {
      await put(key, 'x')
      expect(await textOf(key)).toBe('x')
    },
  )

  test.each([
    ['a[b]', 'InvalidKey'],
    ['ünicode', 'InvalidKey'],
    ['-'.repeat(1025), 'InvalidKey'],
  ])('reject the key %j', async (key, code) => {
    expect(await refusalOf(put(key, 'x'))).toEqual({ status: 400, code })
  })

  test('with an empty body and a folder’s name create the folder', async () => {
    await put('new folder/', '')
    const { data } = await harness.service.storage.from('docs').list('new folder')
    expect(data?.map(({ name }) => name)).toEqual(['.emptyFolderPlaceholder'])
  })

  test('are subject to the bucket’s limits', async () => {
    const small = (Body: Buffer, ContentType: string) =>
      refusalOf(s3.send(new PutObjectCommand({ Bucket: 'small', Key: 'a', Body, ContentType })))
    expect(await small(Buffer.alloc(1001), 'text/plain')).toEqual({ status: 413, code: 'EntityTooLarge' })
    expect(await small(Buffer.alloc(10), 'image/png')).toEqual({ status: 415, code: 'InvalidMimeType' })
    expect(await small(Buffer.alloc(1000), 'text/plain')).toEqual({ status: 200, code: 'none' })
  })

  test("that are missing return a 404 with the error's name", async () => {
    expect(await refusalOf(get('none'))).toEqual({ status: 404, code: 'NoSuchKey' })
    expect(await refusalOf(s3.send(new GetObjectCommand({ Bucket: 'none', Key: 'x' })))).toMatchObject({ status: 404 })
  })

  test("have no tags, and writing tags doesn't overwrite them", async () => {
    await put('tagged', 'kept')
    expect((await s3.send(new GetObjectTaggingCommand({ Bucket: 'docs', Key: 'tagged' }))).TagSet ?? []).toEqual([])
    const tagging = { Bucket: 'docs', Key: 'tagged', Tagging: { TagSet: [{ Key: 'a', Value: 'b' }] } }
    expect(await refusalOf(s3.send(new PutObjectTaggingCommand(tagging)))).toEqual({
      status: 501,
      code: 'NotImplemented',
    })
    expect(await textOf('tagged')).toBe('kept')
  })
})

describe('reading', () => {
  test.each([
    ['bytes=2-4', '234', 'bytes 2-4/10'],
    ['bytes=-3', '789', 'bytes 7-9/10'],
    ['bytes=8-', '89', 'bytes 8-9/10'],
    ['bytes=0-99', '0123456789', 'bytes 0-9/10'],
  ])('the range %s', async (Range, text, contentRange) => {
    await put('digits', '0123456789')
    const found = await get('digits', { Range })
    expect([await found.Body?.transformToString(), found.ContentRange]).toEqual([text, contentRange])
  })

  test('rejects a range outside the content', async () => {
    await put('digits', '0123456789')
    expect(await refusalOf(get('digits', { Range: 'bytes=10-' }))).toEqual({ status: 416, code: 'InvalidRange' })
  })

  test('obeys conditions', async () => {
    const { ETag } = await put('conditions', 'x')
    const later = new Date(Date.now() + 60_000)
    const earlier = new Date(Date.now() - 60_000)
    const status = async (rest: object) => (await refusalOf(get('conditions', rest))).status
    expect(await status({ IfNoneMatch: ETag })).toBe(304)
    expect(await status({ IfNoneMatch: '"other"' })).toBe(200)
    expect(await status({ IfModifiedSince: later })).toBe(304)
    expect(await status({ IfModifiedSince: earlier })).toBe(200)
    expect(await status({ IfMatch: '"other"' })).toBe(412)
    expect(await status({ IfMatch: ETag })).toBe(200)
    expect(await status({ IfUnmodifiedSince: earlier })).toBe(412)
    expect(await status({ IfUnmodifiedSince: later })).toBe(200)
    expect(
      await refusalOf(s3.send(new HeadObjectCommand({ Bucket: 'docs', Key: 'conditions', IfNoneMatch: ETag }))),
    ).toMatchObject({ status: 304 })
  })

  test('can override headers with valid values', async () => {
    await put('override', 'x', { ContentType: 'text/plain' })
    const found = await get('override', {
      ResponseContentType: 'application/pdf',
      ResponseCacheControl: 'no-store',
      ResponseContentDisposition: 'attachment; filename="a\r\nb"',
      ResponseContentLanguage: 'de',
      ResponseExpires: new Date('2030-01-01T00:00:00Z'),
    })
    expect(found).toMatchObject({
      ContentType: 'application/pdf',
      CacheControl: 'no-store',
      ContentLanguage: 'de',
      ExpiresString: 'Tue, 01 Jan 2030 00:00:00 GMT',
    })
    expect(found.ContentDisposition).toBeUndefined()
  })
})

describe('writing under conditions', () => {
  test('If-None-Match: * never replaces an object', async () => {
    await put('once', 'first', { IfNoneMatch: '*' })
    expect(await refusalOf(put('once', 'second', { IfNoneMatch: '*' }))).toEqual({
      status: 412,
      code: 'PreconditionFailed',
    })
    expect(await textOf('once')).toBe('first')
  })

  test('one of several concurrent writes succeeds', async () => {
    const results = await Promise.all(
      Array.from({ length: 8 }, (_, index) => refusalOf(put('race', `${index}`, { IfNoneMatch: '*' }))),
    )
    expect(results.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(results.filter(({ status }) => status === 412)).toHaveLength(7)
  })

  test('If-Match replaces only the named version', async () => {
    const { ETag } = await put('matched', 'one')
    await put('matched', 'two', { IfMatch: ETag })
    expect(await refusalOf(put('matched', 'three', { IfMatch: ETag }))).toMatchObject({ status: 412 })
    expect(await refusalOf(put('not there', 'x', { IfMatch: ETag }))).toMatchObject({ status: 404 })
    expect(await textOf('matched')).toBe('two')
  })
})

describe('copying', () => {
  const copy = (Key: string, CopySource: string, rest = {}) =>
    s3.send(new CopyObjectCommand({ Bucket: 'docs', Key, CopySource, ...rest }))

  test('keeps or replaces the metadata', async () => {
    await put('source u', 'content', { ContentType: 'text/plain', Metadata: { a: '1' } })
    const copied = await copy('copied', 'docs/source%20u')
    expect(copied.CopyObjectResult?.ETag).toBe('"9a0364b9e99bb480dd25e1f0284c8555"')
    expect(copied.CopyObjectResult?.LastModified).toBeInstanceOf(Date)
    expect(await get('copied')).toMatchObject({ ContentType: 'text/plain', Metadata: { a: '1' } })
    await copy('copied', '/docs/copied', { MetadataDirective: 'REPLACE', CacheControl: 'max-age=9' })
    const replaced = await get('copied')
    expect(replaced).toMatchObject({ ContentType: 'binary/octet-stream', CacheControl: 'max-age=9', Metadata: {} })
    expect(await replaced.Body?.transformToString()).toBe('content')
  })

  test('happens only if its conditions hold', async () => {
    const { ETag } = await put('from', 'x')
    expect(await refusalOf(copy('to', 'docs/from', { CopySourceIfMatch: '"no"' }))).toMatchObject({ status: 412 })
    expect(await refusalOf(copy('to', 'docs/from', { CopySourceIfNoneMatch: ETag }))).toMatchObject({ status: 412 })
    expect(await refusalOf(copy('to', 'docs/from', { CopySourceIfMatch: ETag }))).toMatchObject({ status: 200 })
    expect(await refusalOf(copy('to', 'docs/none'))).toEqual({ status: 404, code: 'NoSuchKey' })
  })
})

describe('deleting', () => {
  test('succeeds for an existing or missing object, but not in a missing bucket', async () => {
    await put('gone', 'x')
    const status = (Bucket: string) => refusalOf(s3.send(new DeleteObjectCommand({ Bucket, Key: 'gone' })))
    expect(await status('docs')).toEqual({ status: 200, code: 'none' })
    expect(await status('docs')).toEqual({ status: 200, code: 'none' })
    expect(await status('none')).toEqual({ status: 404, code: 'NoSuchBucket' })
  })

  test('removes many objects, also with unusual keys', async () => {
    const keys = [' ', '1', '007', 'true', 'a&b', 'missing']
    for (const key of keys.slice(0, -1)) await put(key, 'x')
    const remove = (Quiet: boolean, Bucket = 'docs') =>
      s3.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects: keys.map((Key) => ({ Key })), Quiet } }))
    const { Deleted, Errors } = await remove(false)
    expect(Deleted?.map(({ Key }) => Key)).toEqual(keys)
    expect(Errors ?? []).toEqual([])
    expect((await remove(true)).Deleted ?? []).toEqual([])
    expect(await refusalOf(remove(false, 'none'))).toEqual({ status: 404, code: 'NoSuchBucket' })
  })

  test('accepts at most a thousand keys', async () => {
    const Objects = Array.from({ length: 1001 }, (_, index) => ({ Key: `k${index}` }))
    expect(await refusalOf(s3.send(new DeleteObjectsCommand({ Bucket: 'docs', Delete: { Objects } })))).toEqual({
      status: 400,
      code: 'InvalidRequest',
    })
  })
})
