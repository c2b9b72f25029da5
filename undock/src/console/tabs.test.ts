import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestConsole, type TestConsole } from '../testing/console.ts'
import type { SizedLoss } from './find-losses.ts'
import type { Cell, Field } from './run-statements.ts'
import type { ScriptEnd, ScriptEvent, ScriptResult } from './tabs.ts'

let on: TestConsole
beforeAll(async () => {
  on = await startTestConsole()
})
afterAll(() => on.close())

type ScriptOutcome = ScriptEnd & { results: ScriptResult[]; batches: number }
async function script(tab: string, text: string, more: object = {}): Promise<ScriptOutcome> {
  const response = await on.post(`/api/tabs/${tab}`, { text, ...more })
  const body = await response.text()
  expect(response.status, body).toBe(200)
  const results: ScriptResult[] = []
  let [fields, rows, batches]: [readonly Field[], (readonly Cell[])[], number] = [[], [], 0]
  let statement = { start: 0, text: '' }
  for (const line of body.trimEnd().split('\n')) {
    const event = JSON.parse(line) as ScriptEvent
    if (event.kind === 'statement') [statement, fields, rows] = [{ start: event.start, text: event.text }, [], []]
    if (event.kind === 'rows') [fields, rows, batches] = [event.fields, [...rows, ...event.rows], batches + 1]
    if (event.kind === 'done') results.push({ ...statement, result: { ...event.result, fields, rows } })
    if (event.kind === 'error') results.push({ ...statement, error: event.error })
    if (event.kind === 'end') return { ...event, results, batches }
  }
  throw new Error(`The answer has no end: ${body.slice(0, 500)}`)
}
const messages = (outcome: ScriptOutcome) =>
  outcome.results.map((one) => ('error' in one ? one.error.message : one.result.rows))

test('returns a result for each statement of a script, and the position of an error', async () => {
  const outcome = await script('one', "select 1;\n\nselect 'a;b';\nselect nope;\nselect 4")
  expect(messages(outcome)).toEqual([[['1']], [['a;b']], 'column "nope" does not exist'])
  const last = outcome.results[2]
  expect(last && 'error' in last && [last.start, last.error.code, last.error.position]).toEqual([
    "select 1;\n\nselect 'a;b';\n".length,
    '42703',
    'select n'.length,
  ])
  // Postgres counts characters; JavaScript counts UTF-16 units.
  const [first, second] = (await script('one', "select '📚';\nselect '📚', nope")).results
  expect([first && 'result' in first, second && 'error' in second && second.error.position]).toEqual([
    true,
    "select '📚', n".length,
  ])
})

test.each([
  ['copy public.notes from stdin;\n1\n\\.\nselect 1', 'the console sends no rows'],
  ['copy public.notes to stdout', 'does not show the rows of COPY'],
])('%s is rejected, and the session continues', async (text, message) => {
  expect(messages(await script('copy', text))).toEqual([expect.stringContaining(message)])
  expect(messages(await script('copy', 'select 1'))).toEqual([[['1']]])
})

test('takes a snapshot before a script drops objects or deletes all rows, unless rolled back or opted out', async () => {
  const [note, doom] = ['kept before SQL editor', 'create table public.doomed (id int); drop table public.doomed']
  expect((await script('kept', doom)).notices).toContain(note)
  expect((await script('kept', doom, { snapshot: false })).notices).not.toContain(note)
  expect((await script('kept', doom, { ending: 'rollback' })).notices).not.toContain(note)
  expect((await script('kept', 'delete from public.notes where id < 0')).notices).not.toContain(note)
})

test('explains each statement of a script without changing anything', async () => {
  const explained = await script('plans', 'delete from public.notes;\nset work_mem = 4096;\n(select 1);\nselect nope', {
    explain: true,
    ending: 'rollback',
  })
  expect(
    explained.results.map((one) => ('result' in one ? one.result.fields.map(({ name }) => name) : 'failed')),
  ).toEqual([['QUERY PLAN'], [], ['QUERY PLAN'], 'failed'])
  const last = explained.results[3]
  expect(last && 'error' in last && last.error.position).toBe('select n'.length)
  expect(messages(await script('plans', 'select count(*) from public.notes'))).toEqual([[['5000']]])
})

test('a transaction stays open across scripts, and the tab shows it', async () => {
  expect((await script('two', 'begin; set app.who = 7; create table public.drafts ()')).transaction).toBe('open')
  expect((await script('two', 'select nope')).transaction).toBe('failed')
  expect((await script('two', 'rollback')).transaction).toBeNull()
  expect(messages(await script('two', "select to_regclass('public.drafts')"))).toEqual([[[null]]])
})

test("a trial run shows its changes and rolls back; running as a user doesn't keep the role", async () => {
  const trial = await script('three', 'delete from public.notes; select count(*) from public.notes', {
    ending: 'rollback',
  })
  expect(messages(trial)).toEqual([[], [['0']]])
  const owned = await script('three', 'select count(*), current_user from public.notes', { as: on.ada })
  expect(messages(owned)).toEqual([[['3', 'authenticated']]])
  expect(messages(await script('three', 'select count(*), current_user from public.notes'))).toEqual([
    [['5000', 'postgres']],
  ])
  const notice = await script('three', `do $$ begin raise notice 'told'; end $$`)
  expect(notice.notices).toEqual(['NOTICE: told'])
})

test('streams a large result in batches; a client that disconnects leaves the tab usable', async () => {
  const large = await script('large', 'select * from public.notes; select 1', { limit: 3000, as: 'service_role' })
  const [first] = large.results
  expect(first && 'result' in first && [first.result.rows.length, first.result.isPartial]).toEqual([3000, true])
  expect(large.batches).toBeGreaterThan(5)
  const text = "delete from public.notes; select repeat('x', 10000) from generate_series(1, 5000)"
  const leaving = await on.post('/api/tabs/large', { text, as: 'service_role', limit: 5000 })
  const reader = leaving.body?.pipeThrough(new TextDecoderStream()).getReader()
  for (let piece = ''; !piece.includes('xxx'); ) piece = (await reader?.read())?.value ?? 'xxx'
  await reader?.cancel()
  const after = await script('large', 'select count(*), current_user from public.notes')
  expect([messages(after), after.transaction]).toEqual([[[['5000', 'postgres']]], null])
})

test('reports a deferred constraint violation as an error of the script', async () => {
  await script('deferred', 'create table public.pairs (id int unique deferrable initially deferred)')
  const { results } = await script('deferred', 'insert into public.pairs values (1), (1)', { as: 'service_role' })
  const last = results.at(-1)
  expect(last && 'error' in last && [last.text, last.error.code]).toEqual(['commit', '23505'])
})

test('cancels a running script', async () => {
  for (const text of ['select pg_sleep(50)', 'select 1; select pg_sleep(50); select 3']) {
    // After the first line has arrived, the statement is being sent or was just sent.
    const sleeping = await on.post('/api/tabs/four', { text })
    expect((await on.ask('/api/tabs/four/cancel', { method: 'POST' })).status).toBe(204)
    expect(await sleeping.text()).toMatch(/"kind":"error".*canceling statement due to user request.*\n.*"kind":"end"/)
  }
  expect(messages(await script('four', 'select 4'))).toEqual([[['4']]])
  expect((await on.ask('/api/tabs/four', { method: 'DELETE' })).status).toBe(204)
})

test('lists what a script would destroy, with counts, without destroying anything', async () => {
  await script('losses', 'create view public.short_notes as select id from public.notes')
  const ask = async (text: string, more: object = {}) => {
    const response = await on.post('/api/tabs/losses/losses', { text, ...more })
    return ((await response.json()) as SizedLoss[]).map(({ action, kind, name, column, count, tables, others }) => ({
      what: [action, kind, name, ...(column === undefined ? [] : [column])].join(' '),
      count,
      ...(tables === null ? {} : { tables }),
      ...(others.length > 0 ? { others } : {}),
    }))
  }
  expect(await ask('select 1; drop table if exists public.absent; delete from public.notes where id = 1')).toEqual([])
  expect(
    await ask(
      'drop table public.notes cascade; alter table public.notes drop column id; update public.notes set id = 1',
    ),
  ).toEqual([
    {
      what: 'drop table public.notes',
      count: 5000,
      others: ['constraint goods_note_fkey on table goods', 'view short_notes'],
    },
    { what: 'drop table public.notes id', count: 5000 },
    { what: 'update table public.notes', count: 5000 },
  ])
  expect(await ask('drop table public.absent; drop function f()')).toEqual([
    { what: 'drop table public.absent', count: null },
    { what: 'drop function f()', count: null },
  ])
  await script(
    'losses',
    'create schema shop; create table shop.a as select generate_series(1, 3); create table shop.b ()',
  )
  expect(await ask('drop schema shop cascade')).toEqual([
    { what: 'drop schema shop', count: 3, tables: 2, others: ['table shop.a', 'table shop.b'] },
  ])
  // Row security decides which rows are deleted.
  expect(await ask('delete from public.notes', { as: 'anon' })).toEqual([
    { what: 'delete table public.notes', count: 0 },
  ])
  expect(await ask('delete from public.notes', { ending: 'rollback' })).toEqual([])
  expect(await ask('delete from public.notes; commit', { ending: 'rollback' })).toHaveLength(1)
  await script('losses', 'begin; delete from public.notes where id <= 10')
  expect(await ask('delete from public.notes', { ending: 'rollback' })).toEqual([
    { what: 'delete table public.notes', count: 4990 },
  ])
  expect((await script('losses', 'select nope')).transaction).toBe('failed')
  expect(await ask('delete from public.notes')).toEqual([{ what: 'delete table public.notes', count: null }])
  await script('losses', 'rollback; drop view public.short_notes; drop schema shop cascade')
  expect(messages(await script('losses', 'select count(*) from public.notes'))).toEqual([[['5000']]])
})

test('reports committed statements that changed the schema', async () => {
  const changes = async (text: string, more: object = {}) => (await script('ddl', text, more)).schemaChanges
  expect(await changes('create table public.kept (); select 1')).toEqual(['create table public.kept ()'])
  expect(await changes('create table public.tried ()', { ending: 'rollback' })).toEqual([])
  expect(await changes('begin; alter table public.kept add a int')).toEqual([])
  expect(await changes('commit; comment on table public.kept is null; create table public.kept ()')).toEqual([
    'alter table public.kept add a int',
    'comment on table public.kept is null',
  ])
  expect(await changes('create table public.made ()', { as: 'service_role' })).toEqual([])
  expect(await changes('drop table public.kept')).toEqual(['drop table public.kept'])
})
