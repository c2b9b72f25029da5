import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sql, statement } from '../kernel/sql.ts'
import { openTestDatabase, type TestDatabase } from '../testing/database.ts'
import { eventually } from '../testing/eventually.ts'
import type { Db } from './db.ts'
import { createDb } from './engine-db.ts'
import { openServerEngine, type ServerEngine } from './postgres/server-engine.ts'

let database: TestDatabase
let engine: ServerEngine
let db: Db

beforeAll(async () => {
  database = await openTestDatabase()
  engine = await openServerEngine({ url: database.ownUrl, statementLimit: 5_000, waitLimit: 1_000, sessions: 1 })
  db = createDb(engine)
  await db.exec(`
    create role reader; grant reader to authenticator;
    create table notes (id int primary key, body text, owner text default current_setting('app.owner', true));
    grant select, insert on notes to reader;
    insert into notes (id, body) values (1, 'one'), (2, 'two');
  `)
})
afterAll(async () => {
  await engine?.close()
  await database?.close()
})

const one = async (text: string) => Object.values((await db.query({ text, values: [] })).rows[0] ?? {})[0]

describe('values', () => {
  test.each([
    ['numbers', '1.5::float8', 1.5],
    ['bigint as text, for it may exceed a number', '9007199254740993::int8', '9007199254740993'],
    ['json', `'{"a":[1]}'::jsonb`, { a: [1] }],
    ['arrays', `array['a','b"c']`, ['a', 'b"c']],
    ['null', 'null::text', null],
    ['instants', `'2026-01-02T03:04:05Z'::timestamptz`, new Date('2026-01-02T03:04:05Z')],
  ])('come back as %s', async (_name, expression, expected) => {
    expect(await one(`select ${expression}`)).toEqual(expected)
  })

  test('are passed as parameters, whatever they contain', async () => {
    const hostile = `'; drop table notes; --\u0001é`
    const { rows } = await db.query(
      statement(sql`select ${hostile}::text as a, ${{ k: [1] }}::jsonb as b, ${['x', 'y']}::text[] as c`),
    )
    expect(rows).toEqual([{ a: hostile, b: { k: [1] }, c: ['x', 'y'] }])
  })
})

describe('prepared statements', () => {
  const prepared = () => one('select count(*)::int from pg_prepared_statements')

  test("of failed exchanges don't accumulate in the session", async () => {
    await prepared()
    const before = Number(await prepared())
    for (let at = 0; at < 50; at += 1)
      await expect(db.query({ text: `select ${at}, 1 / $1::int`, values: [0] })).rejects.toMatchObject({
        code: '22012',
      })
    expect(Number(await prepared()) - before).toBeLessThan(3)
  })

  test('of a lost session are prepared again, also in transactions', async () => {
    const read = statement(sql`select body from notes where id = ${1}`)
    const rollback = () => db.run({ statements: [read], end: 'rollback' })
    const transaction = () => db.transaction({}, (tx) => tx.query(read))
    await rollback()
    for (const again of [rollback, transaction]) {
      await db.exec('deallocate all')
      const result = await again()
      expect((Array.isArray(result) ? result[0] : result)?.rows).toEqual([{ body: 'one' }])
    }
  })
})

describe('run', () => {
  test('applies settings and role only to its own statements', async () => {
    const [result] = await db.run({
      settings: { role: 'reader', 'request.jwt.claims': '{"sub":"7"}' },
      statements: [statement(sql`select current_user, current_setting('request.jwt.claims') as claims`)],
    })
    expect(result?.rows).toEqual([{ current_user: 'reader', claims: '{"sub":"7"}' }])
    expect(await one('select current_user')).toBe('supabase_admin')
    expect(await one(`select current_setting('request.jwt.claims', true)`)).toBe('')
  })

  test('prepares settings when needed, also after the session lost its statements', async () => {
    const options = { settings: { role: 'reader', 'request.path': '/notes' }, access: 'read only' as const }
    const batch = { ...options, preparedSettings: db.prepareSettings(options) }
    const seen = statement(sql`
      select current_user, current_setting('request.path') as path, current_setting('transaction_read_only') as read_only`)
    const expected = { current_user: 'reader', path: '/notes', read_only: 'on' }
    const run = async (more = {}) => (await db.run({ ...batch, ...more, statements: [seen] }))[0]?.rows[0]
    expect(await run()).toEqual(expected)
    const many = await Promise.all(Array.from({ length: 20 }, () => run()))
    expect(many).toEqual(many.map(() => expected))
    await db.exec('deallocate all')
    expect(await run()).toEqual(expected)
    expect(await run({ end: 'rollback' })).toEqual(expected)
  })

  test('runs in one transaction: a failed statement rolls back the earlier ones', async () => {
    const batch = {
      statements: [statement(sql`insert into notes values (10, 'x')`), statement(sql`select 1 / ${0}::int`)],
    }
    await expect(db.run(batch)).rejects.toMatchObject({ code: '22012' })
    expect(await one('select count(*)::int from notes where id = 10')).toBe(0)
  })

  test('rejects writes if read-only', async () => {
    const batch = { access: 'read only' as const, statements: [statement(sql`insert into notes values (11, 'x')`)] }
    await expect(db.run(batch)).rejects.toMatchObject({ code: '25006' })
  })

  test('returns rows and rolls back with end rollback', async () => {
    const [result] = await db.run({
      end: 'rollback',
      statements: [statement(sql`insert into notes values (12, 'x') returning id`)],
    })
    expect(result).toEqual({ rows: [{ id: 12 }], rowCount: 1, command: 'INSERT' })
    expect(await one('select count(*)::int from notes where id = 12')).toBe(0)
  })

  test('survives DDL on its prepared statements', async () => {
    const all = statement(sql`select * from notes where id = ${1}`)
    expect((await db.run({ statements: [all] }))[0]?.rows[0]).toEqual({ id: 1, body: 'one', owner: null })
    await db.exec('alter table notes add column extra int default 5')
    expect((await db.run({ statements: [all] }))[0]?.rows[0]).toEqual({ id: 1, body: 'one', owner: null, extra: 5 })
    await db.exec('alter table notes drop column extra; deallocate all')
    expect((await db.run({ statements: [all] }))[0]?.rows[0]).toEqual({ id: 1, body: 'one', owner: null })
  })
})

describe('transaction', () => {
  test('commits, and rolls back on an exception', async () => {
    await db.transaction({}, (tx) => tx.query(statement(sql`insert into notes values (20, 'kept')`)))
    const failing = db.transaction({}, async (tx) => {
      await tx.query(statement(sql`insert into notes values (21, 'lost')`))
      throw new Error('no')
    })
    await expect(failing).rejects.toThrow('no')
    expect(await one('select array_agg(id) from notes where id >= 20')).toEqual([20])
  })

  test('blocks other callers until it ends, and rejects them after a timeout', async () => {
    let entered: () => void = () => undefined
    const inside = new Promise<void>((resolve) => {
      entered = resolve
    })
    let finish: () => void = () => undefined
    const holding = db.transaction({}, () => {
      entered()
      return new Promise<void>((resolve) => {
        finish = resolve
      })
    })
    await inside
    await expect(db.query(statement(sql`select 1`))).rejects.toMatchObject({ code: '55P03' })
    finish()
    await holding
    expect(await one('select 1')).toBe(1)
  })
})

test("a script that leaves a transaction open or fails in one doesn't affect other callers", async () => {
  await db.exec('begin; insert into notes values (30, 1)')
  await expect(db.exec('begin; select 1 / 0')).rejects.toMatchObject({ code: '22012' })
  expect(await one('select count(*)::int from notes where id = 30')).toBe(0)
})

test('NOTIFY reaches listeners until they unsubscribe', async () => {
  const heard: string[] = []
  const stop = await db.listen('we"ird', (payload) => heard.push(payload))
  await db.query(statement(sql`select pg_notify('we"ird', ${'first'})`))
  await eventually(() => expect(heard).toEqual(['first']))
  await stop()
  await db.query(statement(sql`select pg_notify('we"ird', ${'second'})`))
  await db.exec('select')
  expect(heard).toEqual(['first'])
})

test('cancels an endless statement with 57014, and the engine continues', async () => {
  await expect(db.exec('do $$ begin loop null; end loop; end $$')).rejects.toMatchObject({ code: '57014' })
  expect(await one('select 1')).toBe(1)
})
