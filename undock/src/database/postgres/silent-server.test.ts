import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { openTestDatabase, type TestDatabase } from '../../testing/database.ts'
import { eventually } from '../../testing/eventually.ts'
import { type NetworkLink, openLink } from '../../testing/network-link.ts'
import type { Db } from '../db.ts'
import { createDb } from '../engine-db.ts'
import { openServerEngine, type ServerEngine, type ServerEngineOptions } from './server-engine.ts'

const SILENCE_LIMIT = 500

let database: TestDatabase
let link: NetworkLink
const engines: ServerEngine[] = []
beforeAll(async () => {
  database = await openTestDatabase()
  link = await openLink(() => Number(new URL(database.url).port))
})
afterEach(async () => {
  link.mend()
  await Promise.all(engines.splice(0).map((engine) => engine.close()))
})
afterAll(async () => {
  await link?.close()
  await database?.close()
})

const linked = (): string => Object.assign(new URL(database.url), { port: String(link.port) }).href

async function open(options: Partial<ServerEngineOptions> = {}): Promise<Db> {
  const engine = await openServerEngine({
    url: linked(),
    statementLimit: 30_000,
    waitLimit: 10_000,
    silenceLimit: SILENCE_LIMIT,
    ...options,
  })
  engines.push(engine)
  return createDb(engine)
}

const sleepForMinutes = (db: Db) => db.query({ text: 'select pg_sleep(300)', values: [] })
const answers = (db: Db) =>
  expect(db.query({ text: 'select 1 as one', values: [] })).resolves.toMatchObject({ rows: [{ one: 1 }] })

test('reconnects its listener to a server that stopped responding and fails pending statements', async () => {
  const db = await open()
  const heard: string[] = []
  await db.listen('news', (payload) => heard.push(payload))
  const waiting = expect(sleepForMinutes(db)).rejects.toMatchObject({ code: '57P01' })
  link.strand()
  await waiting
  await eventually(async () => {
    await database.db.exec(`notify news, 'arrived'`)
    expect(heard).toContain('arrived')
  })
  await answers(db)
})

test("doesn't interrupt a long statement on a responsive server", async () => {
  const db = await open()
  await db.listen('news', () => undefined)
  const { rows } = await db.query({
    text: 'select pg_sleep($1) is not null as slept',
    values: [(4 * SILENCE_LIMIT) / 1_000],
  })
  expect(rows).toEqual([{ slept: true }])
})

test('a statement fails at its timeout when the pooler stops responding', async () => {
  const db = await open({ url: database.url, poolerUrl: linked(), statementLimit: 500 })
  const waiting = expect(sleepForMinutes(db)).rejects.toMatchObject({ code: '57P01' })
  link.strand()
  await waiting
  await answers(db)
})

test("connecting to an unresponsive server fails in time, and closing doesn't wait for it", async () => {
  const db = await open()
  await db.listen('news', () => undefined)
  link.cut()
  for (let times = 0; times < 2; times++)
    await expect(sleepForMinutes(db)).rejects.toMatchObject({ code: expect.stringMatching(/^57P0[13]$/) })
  await Promise.all(engines.splice(0).map((engine) => engine.close()))
})
