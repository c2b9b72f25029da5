// Invalid vector bucket calls with and without permission: each is rejected in the service's format, without an internal error.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { startWholeStack, type WholeStack } from '../../src/test-kit/whole-stack.ts'
import { makeProject, type TestProject } from '../support/project.ts'

let project: TestProject
let stack: WholeStack
beforeAll(async () => {
  project = await makeProject({ 'config.toml': 'project_id = "vectors"\n[storage.vector]\nenabled = true\n' })
  const exclude = ['rest', 'auth', 'realtime', 'functions', 'pg', 'mcp', 'mail'] as const
  stack = await startWholeStack({ workdir: project.folder, exclude })
})
afterAll(async () => {
  await stack?.stop()
  await project.remove()
})

const PLACE = { vectorBucketName: 'one', indexName: 'index' }
const INDEX = { ...PLACE, dataType: 'float32', dimension: 2, distanceMetric: 'cosine' }
const vector = (float32: unknown, rest: object = {}) => ({
  ...PLACE,
  vectors: [{ key: 'a', data: { float32 }, ...rest }],
})
const query = (filter: unknown, rest: object = {}) => ({
  ...PLACE,
  topK: 1,
  queryVector: { float32: [1, 0] },
  filter,
  ...rest,
})

const post = (path: string, body: string, key: Record<string, string> = { apikey: stack.keys.secret }) =>
  fetch(`${stack.url}/storage/v1${path}`, {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json', ...key },
  })

beforeEach(async () => {
  await post('/vector/CreateVectorBucket', JSON.stringify({ vectorBucketName: 'one' }))
  await post('/vector/CreateIndex', JSON.stringify(INDEX))
})

/** A placeholder for nesting so deep that recursive parsers like JSON.stringify would fail. */
const DEEP = 'DEEP'
const jsonOf = (body: unknown): string =>
  JSON.stringify(body).replace(`"${DEEP}"`, `${'{"$and":['.repeat(5_000)}{"a":1}${']}'.repeat(5_000)}`)

const HOSTILE: [call: string, body: unknown][] = [
  ['CreateVectorBucket', { vectorBucketName: '' }],
  ['CreateVectorBucket', { vectorBucketName: 'a\u0000b' }],
  ['CreateVectorBucket', { vectorBucketName: '../../x' }],
  ['CreateVectorBucket', { vectorBucketName: 'x'.repeat(100_000) }],
  ['CreateVectorBucket', { vectorBucketName: '\ud800' }],
  ['GetVectorBucket', { vectorBucketName: 'a\u0000b' }],
  ['DeleteVectorBucket', { vectorBucketName: "'; drop table storage.buckets; --" }],
  ['ListVectorBuckets', { nextToken: 'a\u0000b' }],
  ['ListVectorBuckets', { nextToken: 'x'.repeat(100_000), prefix: '%_\\' }],
  ['CreateIndex', { ...INDEX, indexName: 'a"b' }],
  ['CreateIndex', { ...INDEX, indexName: 'other', dimension: 1e308 }],
  ['CreateIndex', { ...INDEX, indexName: 'other', metadataConfiguration: { nonFilterableMetadataKeys: ['a\u0000b'] } }],
  ['PutVectors', vector([])],
  ['PutVectors', vector([1, 2, 3])],
  ['PutVectors', vector([1e39, 0])],
  ['PutVectors', vector(['1', null])],
  ['PutVectors', vector([1, 0], { key: 'a\u0000b' })],
  ['PutVectors', vector([1, 0], { metadata: { a: 'x\u0000y' } })],
  ['PutVectors', vector([1, 0], { metadata: { 'a\u0000b': 1 } })],
  ['PutVectors', vector([1, 0], { metadata: DEEP })],
  [
    'PutVectors',
    { ...PLACE, vectors: Array.from({ length: 10_000 }, () => ({ key: 'a', data: { float32: [1, 0] } })) },
  ],
  [
    'PutVectors',
    {
      ...PLACE,
      vectors: [
        { key: 'a', data: { float32: [1, 0] } },
        { key: 'a', data: { float32: [0, 1] } },
      ],
    },
  ],
  ['GetVectors', { ...PLACE, keys: ['a\u0000b'] }],
  ['DeleteVectors', { ...PLACE, keys: Array.from({ length: 100_000 }, () => 'a') }],
  ['ListVectors', { ...PLACE, segmentCount: 2, segmentIndex: 5 }],
  ['ListVectors', { ...PLACE, nextToken: '\u0000' }],
  ['QueryVectors', query({}, { topK: 1e9 })],
  ['QueryVectors', query({}, { queryVector: { float32: [1] } })],
  ['QueryVectors', query({}, { queryVector: { float32: [1e39, 1] } })],
  ['QueryVectors', query({ a: { $nothing: 1 } })],
  ['QueryVectors', query({ a: { constructor: 1 } })],
  ['QueryVectors', query({ 'a\u0000b': 1 })],
  ['QueryVectors', query({ a: 'x\u0000y' })],
  ['QueryVectors', query({ "a' or 1=1 --": { $eq: 1 } })],
  ['QueryVectors', query(JSON.parse('{"__proto__": {"$eq": 1}, "constructor": {"$in": [1]}}'))],
  ['QueryVectors', query({ a: { $in: Array.from({ length: 50_000 }, (_, n) => n) } })],
  ['QueryVectors', query(DEEP)],
  ['QueryVectors', query({ a: { $gt: 'x' }, $or: [] })],
  ['QueryVectors', query({ a: { $gt: 1e308, $lt: -1e308 } })],
]

test.each(HOSTILE.map(([call, body], at) => [at, call, body] as const))(
  '%i %s is no fault',
  async (_at, call, body) => {
    const response = await post(`/vector/${call}`, jsonOf(body))
    const text = await response.text()
    expect(response.status, text.slice(0, 300)).toBeLessThan(500)
    if (!response.ok) expect(JSON.parse(text)).toMatchObject({ message: expect.any(String) })
  },
)

test.each(['', '{', '[]', 'null', '"x"', '1e999', '{"vectorBucketName":{"$ne":1}}', '{"a":'.repeat(50_000)])(
  'rejects a body of %j',
  async (body) => {
    for (const call of ['CreateVectorBucket', 'PutVectors', 'QueryVectors'])
      expect((await post(`/vector/${call}`, body)).status).toBeOneOf([400, 413])
  },
)

test('only the service role has access', async () => {
  const user = await stack.identity.sign({ role: 'authenticated', sub: crypto.randomUUID(), exp: 9_999_999_999 })
  const keys = [
    {},
    { apikey: stack.keys.publishable },
    { authorization: `Bearer ${user}` },
    { authorization: 'Bearer x' },
  ]
  for (const key of keys) {
    for (const call of new Set(HOSTILE.map(([name]) => name)))
      expect((await post(`/vector/${call}`, JSON.stringify(PLACE), key)).status).toBeOneOf([400, 401, 403])
  }
  expect(await stack.query('select from storage.buckets')).toEqual([])
})
