import { text } from 'node:stream/consumers'
import postgres from 'postgres'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { testCertificate } from '../../testing/certificate.ts'
import { type EmbeddedTestDatabase, openEmbeddedTestDatabase } from '../../testing/database.ts'
import { startWireServer, type WireServer } from './listener.ts'

// postgres.js asks for a statement's types with Flush and waits before it binds, pipelines, and copies both ways.

let database: EmbeddedTestDatabase
let wire: WireServer
let sql: postgres.Sql

beforeAll(async () => {
  database = await openEmbeddedTestDatabase('create table public.notes (id int primary key, body text)')
  wire = await startWireServer({
    ...database,
    host: '127.0.0.1',
    port: 0,
    password: 'postgres',
    idleInTransactionTimeout: 60,
    maxConnections: 20,
    maxMessageSize: 64 * 1024 ** 2,
    certificate: testCertificate,
    log: { info() {}, warn() {}, error() {} },
  })
  sql = postgres({
    host: '127.0.0.1',
    port: wire.port,
    user: 'postgres',
    password: 'postgres',
    database: 'postgres',
    max: 4,
  })
})
afterAll(async () => {
  await sql.end()
  await wire.close()
  await database.close()
})

test('parameters, arrays and JSON', async () => {
  expect(await sql`select ${1}::int as a, ${[1, 2]}::int[] as b, ${sql.json({ c: 'd' })}::jsonb as c`).toEqual([
    { a: 1, b: [1, 2], c: { c: 'd' } },
  ])
})

test('an error between Parse and Bind leaves the connection usable', async () => {
  await expect(sql`select ${1}::nope`).rejects.toMatchObject({ code: '42704' })
  await expect(sql`select 1 / ${0}::int`).rejects.toMatchObject({ code: '22012' })
  expect(await sql`select 1 as a`).toEqual([{ a: 1 }])
})

test('queries over several connections, some in transactions', async () => {
  const sums = await Promise.all(
    Array.from({ length: 12 }, (_, index) =>
      index % 3 === 0
        ? sql.begin(async (tx) => {
            await tx`insert into notes values (${index}, 'in a transaction')`
            const [row] = await tx`select count(*)::int as n from notes where id = ${index}`
            return row?.n
          })
        : sql`select ${index}::int as n`.then(([row]) => row?.n),
    ),
  )
  expect(sums).toEqual([1, 1, 2, 1, 4, 5, 1, 7, 8, 1, 10, 11])
  expect(await sql`delete from notes returning id`.then((rows) => rows.length)).toBe(4)
})

test('a transaction that throws is rolled back to its savepoint, or whole', async () => {
  await sql.begin(async (tx) => {
    await tx`insert into notes values (1, 'kept')`
    await tx
      .savepoint(async (inner) => {
        await inner`insert into notes values (1, 'twice')`
      })
      .catch(() => undefined)
  })
  expect(await sql`select body from notes`).toEqual([{ body: 'kept' }])
  await sql`truncate notes`
})

test('a cursor reads in steps', async () => {
  const seen: number[] = []
  await sql`select generate_series(1, 5) as n`.cursor(2, (rows) => {
    seen.push(rows.length)
  })
  expect(seen).toEqual([2, 2, 1])
})

test('COPY in both directions, alone and in a transaction', async () => {
  const rows = Array.from({ length: 2000 }, (_, index) => `${index}\tbody ${index}\n`)
  const writable = await sql`copy notes from stdin`.writable()
  await new Promise<void>((resolve, reject) => {
    writable.on('error', reject).on('finish', resolve)
    for (const row of rows) writable.write(row)
    writable.end()
  })
  expect(await text(await sql`copy (select * from notes order by id) to stdout`.readable())).toBe(rows.join(''))
  await expect(
    sql.begin(async (tx) => {
      const more = await tx`copy notes (id) from stdin`.writable()
      await new Promise<void>((resolve, reject) => {
        more.on('error', reject).on('finish', resolve)
        more.end('9000\n')
      })
      expect(await tx`select count(*)::int as n from notes`).toEqual([{ n: 2001 }])
      throw new Error('not after all')
    }),
  ).rejects.toThrow('not after all')
  expect(await sql`select count(*)::int as n from notes`).toEqual([{ n: 2000 }])
})

test('a COPY that cannot begin leaves the connection usable', async () => {
  await expect(sql`copy nowhere from stdin`.writable()).rejects.toMatchObject({ code: '42P01' })
  expect(await sql`select 1 as a`).toEqual([{ a: 1 }])
})

test('LISTEN and NOTIFY', async () => {
  const heard = new Promise((resolve) => {
    sql.listen('news', resolve).then(() => sql.notify('news', 'it works'))
  })
  expect(await heard).toBe('it works')
})
