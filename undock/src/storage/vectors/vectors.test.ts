import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sql, statement } from '../../kernel/sql.ts'
import { ALICE, type StorageServer, startStorageServer } from '../../testing/storage-server.ts'

let harness: StorageServer
beforeAll(async () => {
  harness = await startStorageServer({
    toml: '[storage.vector]\nenabled = true\nmax_buckets = 4\nmax_indexes = 12\n[storage.vector.buckets.configured]',
  })
})
afterAll(() => harness.close())

const vectors = () => harness.service.storage.vectors
const fresh = async (name: string, rest: object = {}) => {
  const bucket = vectors().from('configured')
  const { error } = await bucket.createIndex({
    indexName: name,
    dataType: 'float32',
    dimension: 2,
    distanceMetric: 'cosine',
    ...rest,
  })
  expect(error).toBeNull()
  return bucket.index(name)
}
type Refused = { error: { status?: number | undefined; statusCode?: string | undefined; message: string } | null }
const refusal = ({ error }: Refused) => [error?.status, error?.statusCode, error?.message]
const post = async (call: string, body: object) => {
  const response = await harness.fetch(
    `/vector/${call}`,
    { method: 'POST', body: JSON.stringify(body), headers: { 'content-type': 'application/json' } },
    harness.identity.keys.serviceRole,
  )
  const text = await response.text()
  return [response.status, text === '' ? '' : JSON.parse(text)] as const
}

describe('buckets', () => {
  test('can be defined in config.toml, created, listed in pages and deleted', async () => {
    for (const name of ['one', 'two']) expect((await vectors().createBucket(name)).error).toBeNull()
    const first = await vectors().listBuckets({ maxResults: 2 })
    expect(first.data?.vectorBuckets.map(({ vectorBucketName }) => vectorBucketName)).toEqual(['configured', 'one'])
    const rest = await vectors().listBuckets({ nextToken: first.data?.nextToken ?? '' })
    expect(rest.data?.vectorBuckets.map(({ vectorBucketName }) => vectorBucketName)).toEqual(['two'])
    expect(rest.data?.nextToken).toBeUndefined()
    expect((await vectors().listBuckets({ prefix: 't' })).data?.vectorBuckets).toHaveLength(1)
    expect((await vectors().getBucket('one')).data?.vectorBucket).toEqual({
      vectorBucketName: 'one',
      creationTime: expect.any(Number),
    })
    expect(refusal(await vectors().createBucket('one'))).toEqual([409, '409', 'vector bucket "one" already exists'])
    await vectors().createBucket('three')
    expect(refusal(await vectors().createBucket('four'))[0]).toBe(400)
    for (const name of ['one', 'two', 'three']) expect((await vectors().deleteBucket(name)).error).toBeNull()
    expect(refusal(await vectors().getBucket('one'))).toEqual([404, '404', 'resource "one" not found'])
    expect(refusal(await vectors().deleteBucket('one'))[0]).toBe(404)
  })

  test("with an index can't be deleted", async () => {
    await fresh('kept-index')
    expect(refusal(await vectors().deleteBucket('configured'))).toEqual([
      400,
      '400',
      'Vector Bucket "configured" not empty',
    ])
  })
})

describe('indexes', () => {
  test('can be described, listed and deleted with their vectors', async () => {
    const bucket = vectors().from('configured')
    const index = await fresh('described', {
      dimension: 3,
      distanceMetric: 'euclidean',
      metadataConfiguration: { nonFilterableMetadataKeys: ['raw'] },
    })
    expect((await bucket.getIndex('described')).data?.index).toEqual({
      indexName: 'described',
      vectorBucketName: 'configured',
      dataType: 'float32',
      dimension: 3,
      distanceMetric: 'euclidean',
      metadataConfiguration: { nonFilterableMetadataKeys: ['raw'] },
      creationTime: expect.any(Number),
    })
    await index.putVectors({ vectors: [{ key: 'a', data: { float32: [1, 2, 3] } }] })
    expect((await bucket.listIndexes({ prefix: 'desc' })).data?.indexes).toHaveLength(1)
    expect((await bucket.deleteIndex('described')).error).toBeNull()
    const { rows } = await harness.db.query(
      statement(sql`select tablename from pg_tables where schemaname = 'storage_vectors'
        and tablename not in (select 'vector_' || id from storage.vector_indexes)`),
    )
    expect(rows).toEqual([])
    expect(refusal(await index.listVectors({}))).toEqual([404, '404', 'resource "described" not found'])
    expect(refusal(await bucket.deleteIndex('described'))[0]).toBe(404)
    expect(refusal(await vectors().from('none').listIndexes())[0]).toBe(404)
  })

  test.each([
    [{ indexName: 'UPPER' }, 400],
    [{ indexName: 'ab' }, 400],
    [{ indexName: 'x'.repeat(46) }, 400],
    [{ dimension: 0 }, 400],
    [{ dimension: 4097 }, 400],
    [{ dimension: 1.5 }, 400],
    [{ dimension: '3' }, 400],
    [{ distanceMetric: 'manhattan' }, 400],
    [{ dataType: 'float64' }, 400],
    [{ metadataConfiguration: { nonFilterableMetadataKeys: [] } }, 400],
    [{ vectorBucketName: 'none' }, 404],
    [{ indexName: 'kept-index' }, 409],
  ])('reject %j', async (change, status) => {
    const body = {
      vectorBucketName: 'configured',
      indexName: 'refused',
      dataType: 'float32',
      dimension: 3,
      distanceMetric: 'cosine',
    }
    const [answered, { message }] = await post('CreateIndex', { ...body, ...change })
    expect(answered).toBe(status)
    expect(message).toEqual(expect.any(String))
  })

  test.each([2000, 2001, 4001])('find the nearest of %i dimensions', async (dimension) => {
    const index = await fresh(`wide-${dimension}`, { dimension, distanceMetric: 'euclidean' })
    const at = (value: number) => ({ float32: Array.from({ length: dimension }, () => value) })
    await index.putVectors({ vectors: [1, 2, 3].map((n) => ({ key: `v${n}`, data: at(n) })) })
    const { data } = await index.queryVectors({ queryVector: at(2.9), topK: 2 })
    expect(data?.vectors.map(({ key }) => key)).toEqual(['v3', 'v2'])
    await vectors().from('configured').deleteIndex(`wide-${dimension}`)
  })
})

describe('vectors', () => {
  test('are stored in single precision, replaced by key, read, listed and deleted', async () => {
    const index = await fresh('basics', { dimension: 3 })
    const put = (key: string, float32: number[], metadata?: Record<string, string>) =>
      index.putVectors({ vectors: [{ key, data: { float32 }, ...(metadata && { metadata }) }] })
    await put('b', [0.1, 0.2, 0.3], { title: 'old' })
    await put('b', [0.4, 0.5, 0.6], { title: 'new' })
    await put('a', [1, 0, 0])
    const { data } = await index.getVectors({ keys: ['b', 'none'], returnData: true, returnMetadata: true })
    expect(data?.vectors).toEqual([{ key: 'b', data: { float32: [0.4, 0.5, 0.6] }, metadata: { title: 'new' } }])
    expect((await index.getVectors({ keys: ['a'] })).data?.vectors).toEqual([{ key: 'a' }])
    const page = await index.listVectors({ maxResults: 1 })
    expect([page.data?.vectors, page.data?.nextToken]).toEqual([[{ key: 'a' }], 'a'])
    const rest = await index.listVectors({ nextToken: 'a', returnMetadata: true })
    expect(rest.data).toEqual({ vectors: [{ key: 'b', metadata: { title: 'new' } }] })
    expect((await index.deleteVectors({ keys: ['a', 'none'] })).error).toBeNull()
    expect((await index.listVectors({})).data?.vectors).toHaveLength(1)
  })

  test('are spread over segments without duplicates', async () => {
    const index = await fresh('segments')
    const keys = Array.from({ length: 40 }, (_, n) => `k${n}`)
    await index.putVectors({ vectors: keys.map((key, n) => ({ key, data: { float32: [n + 1, 1] } })) })
    const listed = await Promise.all(
      [0, 1, 2].map((segmentIndex) => index.listVectors({ segmentCount: 3, segmentIndex })),
    )
    expect(listed.flatMap(({ data }) => data?.vectors.map(({ key }) => key) ?? []).toSorted()).toEqual(keys.toSorted())
    const [status, body] = await post('ListVectors', {
      vectorBucketName: 'configured',
      indexName: 'segments',
      segmentCount: 2,
    })
    expect([status, body.message]).toEqual([400, 'segmentCount and segmentIndex must be provided together'])
  })

  test.each([
    ['cosine', [1, 1], ['x', 'y', 'far'], [0.292893, 0.292893, 1]],
    ['euclidean', [1, 0], ['x', 'y', 'far'], [0, Math.SQRT2, Math.sqrt(101)]],
    ['dotproduct', [1, 0], ['x', 'y', 'far'], [-1, 0, 0]],
  ] as const)('are compared by %s', async (distanceMetric, query, keys, distances) => {
    const index = await fresh(`metric-${distanceMetric}`, { distanceMetric })
    const far = distanceMetric === 'cosine' ? [1, -1] : [0, -10]
    const data = { x: [1, 0], y: [0, 1], far }
    await index.putVectors({ vectors: Object.entries(data).map(([key, float32]) => ({ key, data: { float32 } })) })
    const answer = await index.queryVectors({ queryVector: { float32: [...query] }, topK: 3, returnDistance: true })
    expect(answer.data?.vectors.map(({ key }) => key).toSorted()).toEqual([...keys].toSorted())
    const measured = answer.data?.vectors.map(({ distance = Number.NaN }) => distance) ?? []
    expect(measured).toHaveLength(3)
    for (const [nth, distance] of measured.entries()) expect(distance).toBeCloseTo(distances[nth] ?? Number.NaN, 5)
    expect(answer.data).toMatchObject({ distanceMetric })
  })

  const INDEX = { vectorBucketName: 'configured', indexName: 'kept-index' }
  const record = (rest: object = {}) => ({ key: 'a', data: { float32: [1, 0] }, ...rest })
  test.each([
    ['no key', [{ data: { float32: [1, 0] } }]],
    ['an empty key', [record({ key: '' })]],
    ['a long key', [record({ key: 'k'.repeat(1025) })]],
    ['the same key twice', [record(), record()]],
    ['too few numbers', [record({ data: { float32: [1] } })]],
    ['numbers as strings', [record({ data: { float32: ['1', '0'] } })]],
    ['numbers beyond single precision', [record({ data: { float32: [1e39, 0] } })]],
    ['a zero vector', [record({ data: { float32: [0, 0] } })]],
    ['no vectors', []],
    ['too many', Array.from({ length: 501 }, (_, n) => record({ key: `k${n}` }))],
    ['deeply nested metadata', [record({ metadata: { a: [[[[[[[[[[[[1]]]]]]]]]]]] } })]],
    ['invalid metadata', [record({ metadata: ['a'] })]],
    [
      'metadata with too many keys',
      [record({ metadata: Object.fromEntries(Array.from({ length: 51 }, (_, n) => [`k${n}`, 1])) })],
    ],
    ['metadata too long to search', [record({ metadata: { a: 'x'.repeat(2048) } })]],
  ])('are rejected with %s', async (_name, list) => {
    expect((await post('PutVectors', { ...INDEX, vectors: list }))[0]).toBe(400)
    expect(await post('ListVectors', INDEX)).toEqual([200, { vectors: [] }])
  })

  test.each([
    ['GetVectors', { ...INDEX, keys: Array.from({ length: 101 }, (_, n) => `${n}`) }],
    ['DeleteVectors', { ...INDEX, keys: [] }],
    ['ListVectors', { ...INDEX, maxResults: 1001 }],
    ['QueryVectors', { ...INDEX, queryVector: { float32: [1, 0] }, topK: 101 }],
    ['QueryVectors', { ...INDEX, queryVector: { float32: [1, 0, 0] }, topK: 1 }],
    ['QueryVectors', { ...INDEX, queryVector: { float32: [1, 0] }, topK: 1, unknown: true }],
  ])('%s rejects values out of range', async (call, body) => {
    expect((await post(call, body))[0]).toBe(400)
  })
})

describe('filters', () => {
  const METADATA = {
    a: { group: 'one', score: 1, ok: true, tags: ['red', 'blue'], raw: 'r' },
    b: { group: 'two', score: 10, ok: false, tags: ['red'] },
    c: { group: "o'ne", score: '10', 'user-id': 7 },
  }
  beforeAll(async () => {
    const index = await fresh('filters', { metadataConfiguration: { nonFilterableMetadataKeys: ['raw'] } })
    const list = Object.entries(METADATA).map(([key, metadata], n) => ({ key, data: { float32: [1, n] }, metadata }))
    const { error } = await index.putVectors({ vectors: list as never })
    expect(error).toBeNull()
  })
  const query = (filter: unknown) =>
    post('QueryVectors', {
      vectorBucketName: 'configured',
      indexName: 'filters',
      queryVector: { float32: [1, 0] },
      topK: 10,
      filter,
    })

  test.each<[unknown, string[]]>([
    [{ group: 'one' }, ['a']],
    [{ group: "o'ne" }, ['c']],
    [{ 'user-id': 7 }, ['c']],
    [{ tags: 'red' }, ['a', 'b']],
    [{ tags: { $ne: 'blue' } }, ['b']],
    [{ ok: true }, ['a']],
    [{ score: 10 }, ['b']],
    [{ score: { $gte: 5 } }, ['b']],
    [{ score: { $gt: 0, $lt: 5 } }, ['a']],
    [{ group: { $in: ['one', 'two'] } }, ['a', 'b']],
    [{ group: { $nin: ['one', 'two'] } }, ['c']],
    [{ tags: { $in: ['blue', 'green'] } }, ['a']],
    [{ tags: { $exists: false } }, ['c']],
    [{ group: 'one', score: 10 }, []],
    [{ $or: [{ group: 'one' }, { $and: [{ score: 10 }, { ok: false }] }] }, ['a', 'b']],
    [{ none: { $ne: 1 } }, []],
  ])('%j', async (filter, keys) => {
    const [status, body] = await query(filter)
    expect([status, body.vectors.map(({ key }: { key: string }) => key)]).toEqual([200, keys])
  })

  const deep = Array.from({ length: 40 }).reduce<unknown>((inner) => ({ $and: [inner] }), { a: 1 })
  test.each<[unknown]>([
    [{}],
    [[]],
    ['group'],
    [{ $and: [] }],
    [{ $and: [{ a: 1 }], b: 1 }],
    [{ $where: '1=1' }],
    [{ a: {} }],
    [{ a: { $regex: 'x' } }],
    [{ a: { $gt: '1' } }],
    [{ a: { $in: [] } }],
    [{ a: { $exists: 1 } }],
    [{ a: null }],
    [{ raw: 'r' }],
    [{ $or: [{ raw: { $exists: true } }] }],
    [deep],
  ])('rejected: %j', async (filter) => {
    expect((await query(filter))[0]).toBe(400)
  })

  test('return the requested number of vectors even if few near ones match', async () => {
    const index = await fresh('rare', { distanceMetric: 'euclidean' })
    const list = Array.from({ length: 500 }, (_, n) => ({
      key: `k${n}`,
      data: { float32: [n, 0] },
      metadata: { rare: n % 50 === 49 },
    }))
    await index.putVectors({ vectors: list })
    const { data } = await index.queryVectors({ queryVector: { float32: [0, 0] }, topK: 10, filter: { rare: true } })
    expect(data?.vectors.map(({ key }) => key)).toEqual(Array.from({ length: 10 }, (_, n) => `k${n * 50 + 49}`))
  })
})

test('rejects callers other than the service, and reports a disabled feature', async () => {
  const user = await harness.as(ALICE)
  expect(refusal(await user.storage.vectors.listBuckets())[0]).toBe(403)
  expect(refusal(await harness.anon.storage.vectors.createBucket('x'))[0]).toBe(403)
  const off = await startStorageServer()
  expect(refusal(await off.service.storage.vectors.listBuckets())).toEqual([
    409,
    '409',
    'Vector buckets are off on this stack: set enabled = true in [storage.vector] of config.toml',
  ])
  await off.close()
})
