import {
  ListObjectsCommand,
  ListObjectsV2Command,
  ListObjectVersionsCommand,
  type ListObjectVersionsCommandOutput,
  paginateListObjectsV2,
  type S3Client,
} from '@aws-sdk/client-s3'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { refusalOf, s3Of } from '../../testing/s3-client.ts'
import { type StorageServer, startStorageServer } from '../../testing/storage-server.ts'

const KEYS = ['a.txt', 'a/1', 'a/2', 'a/b/3', 'a//4', 'b.txt', 'c/1', "d!'(1)*", 'e&<f>', 'z-x-y']

let harness: StorageServer
let s3: S3Client
beforeAll(async () => {
  harness = await startStorageServer({
    script: `insert into storage.buckets (id, name) values ('docs', 'docs'), ('empty', 'empty');
      insert into storage.objects (bucket_id, name, metadata, version)
      select 'docs', k, '{"size": 3, "eTag": "\\"e\\"", "mimetype": "text/plain"}', gen_random_uuid()::text
      from unnest(array[${KEYS.map((key) => `'${key.replaceAll("'", "''")}'`).join(',')}]) k`,
  })
  s3 = s3Of(harness)
})
afterAll(async () => {
  s3.destroy()
  await harness.close()
})

const list = (input: object = {}) => s3.send(new ListObjectsV2Command({ Bucket: 'docs', ...input }))
const sorted = KEYS.toSorted((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)))

test('lists every key in byte order, with its properties', async () => {
  const page = await list()
  expect(page.Contents?.map(({ Key }) => Key)).toEqual(sorted)
  expect(page).toMatchObject({ IsTruncated: false, KeyCount: KEYS.length, MaxKeys: 1000, Name: 'docs' })
  expect(page.Contents?.[0]).toMatchObject({ Size: 3, ETag: '"e"', StorageClass: 'STANDARD' })
  expect(page.Contents?.[0]?.LastModified).toBeInstanceOf(Date)
})

test.each([
  ['one level', { Delimiter: '/' }, ['a.txt', 'b.txt', "d!'(1)*", 'e&<f>', 'z-x-y'], ['a/', 'c/']],
  ['a folder', { Delimiter: '/', Prefix: 'a/' }, ['a/1', 'a/2'], ['a//', 'a/b/']],
  ['any other delimiter', { Delimiter: '-', Prefix: 'z' }, [], ['z-']],
  ['a delimiter of several characters', { Delimiter: '-x-' }, sorted.slice(0, -1), ['z-x-']],
  ["a prefix that isn't a folder", { Prefix: 'a' }, ['a.txt', 'a//4', 'a/1', 'a/2', 'a/b/3'], []],
  ['starting after a key', { StartAfter: 'c/1' }, ["d!'(1)*", 'e&<f>', 'z-x-y'], []],
  ['url encoding', { Prefix: 'e', EncodingType: 'url' }, ['e%26%3Cf%3E'], []],
])('%s', async (_name, input, keys, folders) => {
  const page = await list(input)
  expect(page.Contents?.map(({ Key }) => Key) ?? []).toEqual(keys)
  expect(page.CommonPrefixes?.map(({ Prefix }) => Prefix) ?? []).toEqual(folders)
})

test.each([1, 2, 3])('pages of %i neither skip nor repeat keys', async (pageSize) => {
  const entries: (string | undefined)[] = []
  for await (const page of paginateListObjectsV2({ client: s3, pageSize }, { Bucket: 'docs', Delimiter: '/' })) {
    expect(page.KeyCount).toBeLessThanOrEqual(pageSize)
    entries.push(
      ...(page.Contents ?? []).map(({ Key }) => Key),
      ...(page.CommonPrefixes ?? []).map((one) => one.Prefix),
    )
  }
  expect(entries.toSorted()).toEqual(['a.txt', 'a/', 'b.txt', 'c/', "d!'(1)*", 'e&<f>', 'z-x-y'].toSorted())
})

test('version 1 pages with a marker', async () => {
  const entries: (string | undefined)[] = []
  let Marker: string | undefined
  do {
    const page = await s3.send(new ListObjectsCommand({ Bucket: 'docs', Delimiter: '/', MaxKeys: 2, Marker }))
    entries.push(
      ...(page.Contents ?? []).map(({ Key }) => Key),
      ...(page.CommonPrefixes ?? []).map((one) => one.Prefix),
    )
    Marker = page.NextMarker
    expect(page.IsTruncated).toBe(Marker !== undefined)
  } while (Marker !== undefined)
  expect(entries.toSorted()).toEqual(['a.txt', 'a/', 'b.txt', 'c/', "d!'(1)*", 'e&<f>', 'z-x-y'].toSorted())
  const flat = await s3.send(new ListObjectsCommand({ Bucket: 'docs', MaxKeys: 2 }))
  expect([flat.IsTruncated, flat.NextMarker]).toEqual([true, undefined])
})

test('each object is its own latest version, like in a bucket without versioning', async () => {
  const page = await s3.send(new ListObjectVersionsCommand({ Bucket: 'docs', Prefix: 'e', EncodingType: 'url' }))
  expect(page).toMatchObject({ Name: 'docs', Prefix: 'e', IsTruncated: false, MaxKeys: 1000, EncodingType: 'url' })
  expect(page.Versions).toMatchObject([
    { Key: 'e%26%3Cf%3E', VersionId: 'null', IsLatest: true, Size: 3, ETag: '"e"', StorageClass: 'STANDARD' },
  ])
  expect(page.DeleteMarkers).toBeUndefined()
})

test.each([
  ['all', undefined, sorted, []],
  ['one level', '/', ['a.txt', 'b.txt', "d!'(1)*", 'e&<f>', 'z-x-y'], ['a/', 'c/']],
])('pages of versions neither skip nor repeat keys: %s', async (_name, Delimiter, keys, folders) => {
  const found: { keys: unknown[]; folders: unknown[] } = { keys: [], folders: [] }
  let marker: { KeyMarker?: string | undefined; VersionIdMarker?: string | undefined } | undefined = {}
  while (marker) {
    const page: ListObjectVersionsCommandOutput = await s3.send(
      new ListObjectVersionsCommand({ Bucket: 'docs', Delimiter, MaxKeys: 2, ...marker }),
    )
    found.keys.push(...(page.Versions ?? []).map(({ Key }) => Key))
    found.folders.push(...(page.CommonPrefixes ?? []).map(({ Prefix }) => Prefix))
    expect(page.IsTruncated).toBe(page.NextKeyMarker !== undefined)
    marker = page.IsTruncated ? { KeyMarker: page.NextKeyMarker, VersionIdMarker: page.NextVersionIdMarker } : undefined
  }
  expect(found).toEqual({ keys, folders })
})

test('an empty bucket returns an empty list; a missing bucket and invalid parameters return errors', async () => {
  expect(await s3.send(new ListObjectsV2Command({ Bucket: 'empty' }))).toMatchObject({ KeyCount: 0 })
  expect(await refusalOf(s3.send(new ListObjectsV2Command({ Bucket: 'none' })))).toEqual({
    status: 404,
    code: 'NoSuchBucket',
  })
  expect(await refusalOf(list({ ContinuationToken: '%%%' }))).toEqual({ status: 400, code: 'InvalidParameter' })
  expect(await refusalOf(list({ MaxKeys: -1 }))).toEqual({ status: 400, code: 'InvalidRequest' })
})
