import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openTestDatabase, type TestDatabase } from '../../testing/database.ts'
import { type BucketLimit, type Buckets, createMemoryBuckets, createSharedBuckets, pruneBuckets } from './buckets.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database.close())

const start = new Date('2026-11-21T12:00:00Z')
const at = (seconds: number) => new Date(start.getTime() + seconds * 1_000)
const limitOf = (name: string, size: number, perSecond: number): BucketLimit => ({ name, size, perSecond })

describe.each(['memory', 'shared'] as const)('buckets, %s', (kind) => {
  let buckets: Buckets
  beforeAll(() => {
    buckets = kind === 'memory' ? createMemoryBuckets() : createSharedBuckets(database.db)
  })

  test('refill evenly', async () => {
    const limit = limitOf('even', 2, 1)
    const taken: boolean[] = []
    for (const second of [0, 0, 0, 1, 1, 10, 10, 10]) taken.push(await buckets.take(limit, 'a', at(second)))
    expect(taken).toEqual([true, true, false, true, false, true, true, false])
    expect(await buckets.take(limit, 'b', at(10))).toBe(true)
  })

  test('can be overdrawn, and tokens returned', async () => {
    const limit = limitOf('forced', 2, 1)
    for (let index = 0; index < 9; index++) await buckets.force(limit, 'a', start)
    expect(await buckets.has(limit, 'a', at(2))).toBe(false)
    expect(await buckets.has(limit, 'a', at(3))).toBe(true)
    await buckets.giveBack(limit, 'a', at(2))
    expect(await buckets.has(limit, 'a', at(2))).toBe(true)
  })

  test('hand out each token once to concurrent requests', async () => {
    const limit = limitOf('together', 10, 0)
    const taken = await Promise.all(Array.from({ length: 30 }, () => buckets.take(limit, 'a', start)))
    expect(taken.filter(Boolean)).toHaveLength(10)
    await buckets.forget(limit, 'a')
    expect(await buckets.take(limit, 'a', start)).toBe(true)
  })

  test('with no capacity are empty', async () => {
    const none = limitOf('none', 0, 0)
    expect([await buckets.take(none, '', start), await buckets.has(none, '', start)]).toEqual([false, false])
  })

  test('keep no one waiting for a time from which the clock was set back', async () => {
    const [limit, once] = [limitOf('day', 1, 0.001), limitOf('once a day', 1, 0)]
    const taken: boolean[] = []
    for (const day of [1, 1, 0, 0]) {
      taken.push(await buckets.take(limit, 'a', at(day * 86_400)), await buckets.has(limit, 'a', at(day * 86_400)))
      taken.push(await buckets.take(once, 'a', at(day * 86_400)))
    }
    expect(taken).toEqual([true, false, true, false, false, false, true, false, false, false, false, false])
  })

  test('tolerate a clock that goes back', async () => {
    const limit = limitOf('back', 1, 1)
    expect(await buckets.take(limit, 'a', at(10))).toBe(true)
    expect(await buckets.take(limit, 'a', at(5))).toBe(false)
    expect(await buckets.take(limit, 'a', at(11))).toBe(true)
  })
})

test('removes shared buckets unused for a day', async () => {
  const buckets = createSharedBuckets(database.db)
  const limit = limitOf('pruned', 1, 0)
  await buckets.take(limit, 'old', start)
  await buckets.take(limit, 'new', at(3_600))
  await pruneBuckets(database.db, at(24 * 3_600 + 1))
  expect(await buckets.has(limit, 'old', start)).toBe(true)
  expect(await buckets.has(limit, 'new', start)).toBe(false)
})

test('a shared bucket that never refills survives a crash and a failover', async () => {
  await createSharedBuckets(database.db).take(limitOf('once', 1, 0), 'a', start)
  const { rows } = await database.db.query({
    text: `select c.relpersistence from _undock.kept_buckets b join pg_class c on c.oid = b.tableoid where b.name = 'once'`,
    values: [],
  })
  expect(rows).toEqual([{ relpersistence: 'p' }])
})
