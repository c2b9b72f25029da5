import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestConsole, type TestConsole } from '../testing/console.ts'

let on: TestConsole
beforeAll(async () => {
  on = await startTestConsole()
})
afterAll(() => on.close())

test('returns values as the text Postgres writes', async () => {
  const [result] = await on.query({
    statements: [{ text: 'select id, price, at, null, body from public.notes where id = $1', values: ['1'] }],
  })
  expect(result?.rows).toEqual([['1', '1.10', '2026-01-01 00:00:00.123456+00', null, '<b>note</b> 1']])
  expect(result?.fields.map(({ name, type, column }) => [name, type, column])).toEqual([
    ['id', 20, 1],
    ['price', 1700, 4],
    ['at', 1184, 5],
    ['?column?', 25, 0],
    ['body', 25, 3],
  ])
  const types = (await (await on.post('/api/types', [20, 1700, 1184])).json()) as object
  expect(types).toEqual({ 20: 'bigint', 1184: 'timestamp with time zone', 1700: 'numeric' })
})

test('truncates a result at its limit and says so', async () => {
  const text = 'select id from public.notes order by id'
  const [short, whole] = await on.query({
    statements: [
      { text, limit: 1200 },
      { text, limit: 5000 },
    ],
  })
  expect([short?.rows.length, short?.isPartial, short?.rows.at(-1)]).toEqual([1200, true, ['1200']])
  expect([whole?.rows.length, whole?.isPartial]).toEqual([5000, false])
})

test('keeps the data before rows are deleted, unless declined or on trial', async () => {
  const before = on.kept.length
  const text = 'delete from public.goods where id = -1'
  const body = { access: 'write', statements: [{ text: 'select 1' }, { text: `-- one\n${text}`, changes: 0 }] }
  await on.query(body)
  expect(on.kept.slice(before)).toEqual(['console'])
  await on.query({ ...body, snapshot: false })
  await on.query({ ...body, access: undefined, trial: 'select 1' })
  await on.query({ access: 'write', statements: [{ text: 'update public.goods set note = null where id = -1' }] })
  expect(on.kept.length).toBe(before + 1)
})

test("runs a request's statements in one transaction, and read requests change nothing", async () => {
  const update = { text: 'update public.notes set body = $1 where id = 9', values: ['changed'] }
  const body = { access: 'write', statements: [update, { text: 'select 1/0' }] }
  const failed = await on.post('/api/query', body)
  expect([failed.status, ((await failed.json()) as { code: string }).code]).toEqual([422, '22012'])
  const read = await on.post('/api/query', { statements: [update] })
  expect(((await read.json()) as { code: string }).code).toBe('25006')
  const [row] = await on.query({ statements: [{ text: 'select body from public.notes where id = 9' }] })
  expect(row?.rows).toEqual([['<b>note</b> 9']])
  const [done] = await on.query({ access: 'write', statements: [update] })
  expect([done?.command, done?.count]).toEqual(['UPDATE', 1])
})

test.each([
  ['commit', ['commit', 'create table public.made ()']],
  ['commit after a comment', ['/* ; */ ; -- x\n commit', 'create table public.made ()']],
  ['commit in a multi-statement text', ['commit; create table public.made ()']],
  ['transaction mode', ['set transaction read write', 'create table public.made ()']],
  [
    'transaction mode set with set_config',
    ["select set_config('transaction_read_only', 'off', true)", 'create table public.made ()'],
  ],
  ['a block that commits', ['do $$ begin commit; create table public.made (); end $$']],
])('read requests change nothing: %s', async (_name, texts) => {
  const { status } = await on.post('/api/query', { statements: texts.map((text) => ({ text })) })
  expect(status).toBe(422)
  const [made] = await on.query({ statements: [{ text: "select to_regclass('public.made')" }] })
  expect(made?.rows).toEqual([[null]])
})

test('read requests leave no settings or locks in shared sessions', async () => {
  const set = { text: "select set_config('app.left', 'behind', false), pg_advisory_lock(4712)" }
  await Promise.all(Array.from({ length: 8 }, () => on.query({ statements: [set] })))
  const read = { text: "select current_setting('app.left', true) = 'behind'" }
  const locks = { text: "select count(*) from pg_locks where locktype = 'advisory' and objid = 4712" }
  const [left, held] = await on.query({ statements: [read, locks] })
  expect([left?.rows[0]?.[0] === 't', held?.rows]).toEqual([false, [['0']]])
})

test("a statement can't commit a trial", async () => {
  const body = { trial: 'delete from public.notes', statements: [{ text: '; commit' }] }
  expect((await on.post('/api/query', body)).status).toBe(422)
  const [kept] = await on.query({ statements: [{ text: 'select count(*) from public.notes' }] })
  expect(kept?.rows).toEqual([['5000']])
})

test('shows rows as another role or user', async () => {
  const statements = [{ text: 'select count(*), current_user from public.notes' }]
  const seen = async (as?: string) => (await on.query({ statements, as }))[0]?.rows[0]
  expect(await seen()).toEqual(['5000', 'postgres'])
  expect(await seen('anon')).toEqual(['0', 'anon'])
  expect(await seen('ada@example.com')).toEqual(['3', 'authenticated'])
})

test('a trial is visible to its statements and rolled back', async () => {
  const count = { text: 'select count(*) from public.notes' }
  const trial = 'create policy "all" on public.notes for select to anon using (true)'
  expect((await on.query({ as: 'anon', trial, statements: [count] }))[0]?.rows).toEqual([['5000']])
  expect((await on.query({ as: 'anon', statements: [count] }))[0]?.rows).toEqual([['0']])
  expect((await on.query({ trial: 'delete from public.notes', statements: [count] }))[0]?.rows).toEqual([['0']])
  expect((await on.query({ statements: [count] }))[0]?.rows).toEqual([['5000']])
  const ending = await on.post('/api/query', { trial: '/* x */ commit', statements: [count] })
  expect([ending.status, ((await ending.json()) as { message: string }).message]).toEqual([
    422,
    expect.stringContaining('can begin or end one'),
  ])
})

test.each([
  ['invalid JSON', '{', 400],
  ['no statement', '{"statements": []}', 400],
  ['an unknown member', '{"statements": [{"text": "select 1"}], "sql": 1}', 400],
])('rejects a body with %s, with the reason', async (_name, body, status) => {
  const response = await on.ask('/api/query', { method: 'POST', body })
  expect([response.status, ((await response.json()) as { message: string }).message]).toEqual([
    status,
    expect.stringContaining('The request body cannot be used'),
  ])
})

test('rolls back statements that change another number of rows than announced', async () => {
  const text = 'update public.notes set body = $1 where id = any ($2::bigint[])'
  const update = { text, values: ['undone', '{11,12}'] }
  const statements = [
    { ...update, changes: 2 },
    { ...update, changes: 3 },
  ]
  const response = await on.post('/api/query', { access: 'write', statements })
  expect([response.status, await response.json()]).toEqual([409, { message: '2 rows would change instead of 3.' }])
  const [after] = await on.query({
    statements: [{ text: "select count(*) from public.notes where body = 'undone'" }],
  })
  expect(after?.rows).toEqual([['0']])
})
