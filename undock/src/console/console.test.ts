import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeProject, type TestProject } from '../../../tests/support/project.ts'
import { refuseUpgrade } from '../kernel/handshake.ts'
import { createRecentLines } from '../kernel/log-lines.ts'
import { type Stack, startStack } from '../runtime/stack.ts'
import { type Console, type ConsoleOptions, startConsole } from './index.ts'
import type { Cell, Field, StatementResult } from './run-statements.ts'
import type { ScriptEnd, ScriptEvent, ScriptResult } from './tabs.ts'

let project: TestProject
let stack: Stack
let client: string
let served: Console
let cookie: string
let ada: string
const lines = createRecentLines()
/** The addresses of the sockets that Realtime got. */
const passed: string[] = []

beforeAll(async () => {
  project = await makeProject({
    'config.toml': 'project_id = "console"\n[edge_runtime]\nenabled = false\n',
    'migrations/1_notes.sql': `
      create table public.notes (id bigint primary key, owner uuid default auth.uid(), body text, price numeric, at timestamptz);
      alter table public.notes enable row level security;
      create policy "own notes" on public.notes using (owner = auth.uid()) with check (owner = auth.uid());
      insert into public.notes (id, body, price, at)
        select n, '<b>note</b> ' || n, 1.10, '2026-01-01 00:00:00.123456+00' from generate_series(1, 5000) n;
      create table public.goods (
        id bigint generated always as identity primary key, code varchar(5) not null unique, price numeric(6, 2) check (price > 0),
        note bigint references public.notes);`,
  })
  stack = await startStack({ workdir: project.folder, ports: 'free', state: 'memory' })
  const { id } = (await service('/auth/v1/admin/users', { method: 'POST', body: { email: 'ada@example.com' } })) as {
    id: string
  }
  ada = id
  await stack.db.query({ text: 'update public.notes set owner = $1 where id <= 3', values: [ada] })
  client = await mkdtemp(join(tmpdir(), 'undock-client-'))
  await mkdir(join(client, 'assets'))
  await writeFile(join(client, 'index.html'), '<!doctype html><title>Console</title>')
  await writeFile(join(client, 'assets', 'index-1.js'), 'export {}')
  await writeFile(join(client, '..', 'outside.js'), '')
  served = await startConsole(options())
  cookie = await open(served.openingUrl())
})
afterAll(async () => {
  await served?.close()
  await stack?.stop()
  await project?.remove()
  await rm(client, { recursive: true, force: true })
})

const options = (): ConsoleOptions => ({
  host: '127.0.0.1',
  port: 0,
  claimPort: (port, _what, take) => take(port),
  db: stack.db,
  dbUrl: stack.dbUrl,
  apiUrl: stack.url,
  identity: stack.identity,
  isLocal: true,
  supabaseFolder: join(project.folder, 'supabase'),
  config: stack.config,
  facts: () => Promise.reject(new Error('not asked here')),
  handlerOf: (path) => (path.startsWith('/absent') ? null : (forwarded) => fetch(forwarded)),
  mailTemplates: null,
  mail: (forwarded) => fetch(forwarded.url.replace(served.url, stack.mailUrl ?? ''), forwarded),
  joinRealtime: (handshake, socket) => {
    passed.push(handshake.url ?? '')
    refuseUpgrade(socket, 503)
  },
  clock: stack.clock,
  folder: client,
  recentLines: lines,
  log: { info() {}, warn() {}, error() {} },
})

async function service(path: string, { method, body }: { method: string; body: unknown }): Promise<unknown> {
  const headers = { apikey: stack.identity.keys.secret, 'content-type': 'application/json' }
  return (await fetch(stack.url + path, { method, headers, body: JSON.stringify(body) })).json()
}

async function open(url: string): Promise<string> {
  const response = await fetch(url, { redirect: 'manual' })
  expect([response.status, response.headers.get('location')]).toEqual([303, '/'])
  return (response.headers.get('set-cookie') ?? '').split(';')[0] ?? ''
}

const ask = (path: string, init: RequestInit & { headers?: Record<string, string> } = {}) =>
  fetch(served.url + path, { ...init, headers: { cookie, 'sec-fetch-site': 'same-origin', ...init.headers } })
const post = (path: string, body: unknown) => ask(path, { method: 'POST', body: JSON.stringify(body) })
async function query(body: object): Promise<StatementResult[]> {
  const response = await post('/api/query', body)
  expect(response.status, await response.clone().text()).toBe(200)
  return response.json()
}
type ScriptOutcome = ScriptEnd & { results: ScriptResult[]; batches: number }
async function script(tab: string, text: string, more: object = {}): Promise<ScriptOutcome> {
  const response = await post(`/api/tabs/${tab}`, { text, ...more })
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

test('a link opens the console once; the cookie is for this origin and no script', async () => {
  const url = served.openingUrl()
  const response = await fetch(url, { redirect: 'manual' })
  expect(response.headers.get('set-cookie')).toMatch(
    /^undock_console_\d+=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict$/,
  )
  expect((await fetch(url, { redirect: 'manual' })).status).toBe(403)
  expect((await fetch(`${served.url}/open/guess`, { redirect: 'manual' })).status).toBe(403)
})

test('a browser of this machine gets a session with the page; another request gets none', async () => {
  const page = await fetch(`${served.url}/tables`, { headers: { 'sec-fetch-dest': 'document' } })
  expect([page.status, page.headers.get('set-cookie')?.split(';')[0]]).toEqual([200, cookie])
  expect(page.headers.get('content-security-policy')).toContain("script-src 'self';")
  expect(page.headers.get('x-frame-options')).toBe('DENY')
  const frame = await fetch(served.url, { headers: { 'sec-fetch-dest': 'iframe' } })
  expect(frame.headers.get('set-cookie')).toBeNull()
})

test.each([
  ['without the cookie', { cookie: '' }],
  ['with another cookie', { cookie: 'undock_console_1=x' }],
  ['from a page of another port of this machine', { 'sec-fetch-site': 'same-site' }],
  ['from a foreign page', { 'sec-fetch-site': 'cross-site' }],
  ['from a page whose browser says its origin only', { 'sec-fetch-site': '', origin: 'http://127.0.0.1:3000' }],
])('data is refused %s', async (_name, headers) => {
  const given = new Headers({ cookie, 'sec-fetch-site': 'same-origin', ...headers })
  for (const [name, value] of [...given]) if (value === '') given.delete(name)
  for (const path of ['/api/project', '/api/services/rest/v1/notes']) {
    const response = await fetch(served.url + path, { headers: given })
    expect([response.status, Object.keys(await response.json())]).toEqual([401, ['message']])
  }
})

test('a host name that a foreign page points here is refused', async () => {
  expect(await statusOf('/', { host: 'evil.example' })).toBe(403)
})

test('a file of a bucket is no page of the console', async () => {
  const path = '/api/services/storage/v1/object/public/open/page.html'
  expect(await statusOf(path, { 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'navigate' })).toBe(401)
})

test('only a page of the console opens a socket to Realtime, as the caller that it names', async () => {
  const handshake = { connection: 'upgrade', upgrade: 'websocket', origin: served.url }
  const path = '/api/realtime/websocket?vsn=2.0.0&apikey=none'
  for (const headers of [
    { origin: '' },
    { origin: 'http://127.0.0.1:3000' },
    { origin: 'null' },
    { cookie: '' },
    { host: 'evil.example', origin: 'http://evil.example' },
  ])
    expect(await statusOf(path, { ...handshake, ...headers })).toBe(403)
  expect(await statusOf('/api/realtime/other', handshake)).toBe(404)
  expect(await statusOf(`${path}&as=nobody`, handshake)).toBe(422)
  expect(passed).toEqual([])

  expect(await statusOf(path, handshake)).toBe(503)
  expect(await statusOf(`${path}&as=anon`, handshake)).toBe(503)
  expect(await statusOf(`${path}&as=ada@example.com`, handshake)).toBe(503)
  const [own, anon, user = ''] = passed.map((url) => new URL(url, served.url).searchParams.get('apikey'))
  expect([own, anon]).toEqual([stack.identity.keys.secret, stack.identity.keys.publishable])
  expect((await stack.identity.verify(user ?? '')).claims).toMatchObject({ sub: ada, role: 'authenticated' })
  expect(await (await ask('/api/caller?as=ada@example.com')).json()).toMatchObject({ claims: { sub: ada } })
  expect((await ask('/api/caller?as=nobody')).status).toBe(422)
})

/** Fetch sets some of these headers itself. An empty one is not sent. */
function statusOf(path: string, headers: Record<string, string>): Promise<number | undefined> {
  const given = Object.fromEntries(Object.entries({ cookie, ...headers }).filter(([, value]) => value !== ''))
  return new Promise((resolve, reject) => {
    const sent = request(served.url + path, { headers: given }, (response) => {
      response.resume()
      resolve(response.statusCode)
    })
    sent.on('error', reject).end()
  })
}

test('the files of the client are answered, and none outside of its folder', async () => {
  const file = await ask('/assets/index-1.js')
  expect([file.status, file.headers.get('cache-control')]).toEqual([200, 'max-age=31536000, immutable'])
  expect((await ask('/assets/none.js')).status).toBe(404)
  for (const path of ['/..%2foutside.js', '/assets/..%2f..%2foutside.js'])
    expect(await (await ask(path)).text()).not.toBe('')
  expect(await (await ask('/sql/anything?x=1')).text()).toContain('<title>Console</title>')
})

test('the addresses of Studio lead to the same screens', async () => {
  const at = async (path: string) => (await ask(path, { redirect: 'manual' })).headers.get('location')
  expect(await at('/project/default/editor')).toBe('/tables')
  expect(await at('/project/default/sql/new')).toBe('/sql')
  expect(await at('/project/default/database/triggers/data')).toBe('/schema/triggers')
  expect(await at('/project/default/integrations/cron/jobs')).toBe('/schema/cron')
  expect(await at('/project/default/realtime/inspector')).toBe('/realtime')
  expect(await at('/project/default/realtime/policies')).toBe('/policies?schema=realtime')
  expect(await at('/project/default')).toBe('/')
})

test('a service is called with the secret key, or as somebody', async () => {
  const path = '/api/services/rest/v1/notes?select=id&order=id&limit=4'
  const ids = async (headers: Record<string, string>) =>
    ((await (await ask(path, { headers })).json()) as { id: number }[]).map(({ id }) => id)
  expect(await ids({})).toEqual([1, 2, 3, 4])
  expect(await ids({ 'x-console-as': 'ada@example.com' })).toEqual([1, 2, 3])
  expect(await ids({ 'x-console-as': 'anon' })).toEqual([])
  const unknown = await ask(path, { headers: { 'x-console-as': 'nobody' } })
  expect([unknown.status, await unknown.json()]).toEqual([422, { message: 'There is no user and no role "nobody".' }])
  expect((await ask('/api/services/absent/v1')).status).toBe(404)
})

test('what a service answers cannot run as a page of the console', async () => {
  const response = await ask('/api/services/rest/v1/notes?limit=1')
  expect(response.headers.get('content-security-policy')).toBe("default-src 'none'; sandbox")
})

test('values stay the text that Postgres writes', async () => {
  const [result] = await query({
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
  const types = (await (await post('/api/types', [20, 1700, 1184])).json()) as object
  expect(types).toEqual({ 20: 'bigint', 1184: 'timestamp with time zone', 1700: 'numeric' })
})

test('a result is cut at its limit, and says so', async () => {
  const text = 'select id from public.notes order by id'
  const [short, whole] = await query({
    statements: [
      { text, limit: 1200 },
      { text, limit: 5000 },
    ],
  })
  expect([short?.rows.length, short?.isPartial, short?.rows.at(-1)]).toEqual([1200, true, ['1200']])
  expect([whole?.rows.length, whole?.isPartial]).toEqual([5000, false])
})

test('statements of one request stand or fall together, and reading changes nothing', async () => {
  const update = { text: 'update public.notes set body = $1 where id = 9', values: ['changed'] }
  const body = { access: 'write', statements: [update, { text: 'select 1/0' }] }
  const failed = await post('/api/query', body)
  expect([failed.status, ((await failed.json()) as { code: string }).code]).toEqual([422, '22012'])
  const read = await post('/api/query', { statements: [update] })
  expect(((await read.json()) as { code: string }).code).toBe('25006')
  const [row] = await query({ statements: [{ text: 'select body from public.notes where id = 9' }] })
  expect(row?.rows).toEqual([['<b>note</b> 9']])
  const [done] = await query({ access: 'write', statements: [update] })
  expect([done?.command, done?.count]).toEqual(['UPDATE', 1])
})

test('rows are seen as another role or user sees them', async () => {
  const statements = [{ text: 'select count(*), current_user from public.notes' }]
  const seen = async (as?: string) => (await query({ statements, as }))[0]?.rows[0]
  expect(await seen()).toEqual(['5000', 'postgres'])
  expect(await seen('anon')).toEqual(['0', 'anon'])
  expect(await seen('ada@example.com')).toEqual(['3', 'authenticated'])
})

test('a script has a result for each statement, until one fails at its place', async () => {
  const outcome = await script('one', "select 1;\n\nselect 'a;b';\nselect nope;\nselect 4")
  expect(messages(outcome)).toEqual([[['1']], [['a;b']], 'column "nope" does not exist'])
  const last = outcome.results[2]
  expect(last && 'error' in last && [last.start, last.error.code, last.error.position]).toEqual([
    "select 1;\n\nselect 'a;b';\n".length,
    '42703',
    'select n'.length,
  ])
  // Postgres counts characters, and JavaScript two units for some of them.
  const [first, second] = (await script('one', "select '📚';\nselect '📚', nope")).results
  expect([first && 'result' in first, second && 'error' in second && second.error.position]).toEqual([
    true,
    "select '📚', n".length,
  ])
})

test.each([
  ['copy public.notes from stdin;\n1\n\\.\nselect 1', 'the console sends no rows'],
  ['copy public.notes to stdout', 'does not show the rows of COPY'],
])('%s is refused, and the session goes on', async (text, message) => {
  expect(messages(await script('copy', text))).toEqual([expect.stringContaining(message)])
  expect(messages(await script('copy', 'select 1'))).toEqual([[['1']]])
})

test('each statement of a script is explained at its place, and nothing is changed', async () => {
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

test('a transaction of a tab stays open until it ends, and the tab says so', async () => {
  expect((await script('two', 'begin; set app.who = 7; create table public.drafts ()')).transaction).toBe('open')
  expect((await script('two', 'select nope')).transaction).toBe('failed')
  expect((await script('two', 'rollback')).transaction).toBeNull()
  expect(messages(await script('two', "select to_regclass('public.drafts')"))).toEqual([[[null]]])
})

test('a script on trial shows its changes and takes them back; one as a user does not leave the role behind', async () => {
  const trial = await script('three', 'delete from public.notes; select count(*) from public.notes', {
    ending: 'rollback',
  })
  expect(messages(trial)).toEqual([[], [['0']]])
  const owned = await script('three', 'select count(*), current_user from public.notes', { as: ada })
  expect(messages(owned)).toEqual([[['3', 'authenticated']]])
  expect(messages(await script('three', 'select count(*), current_user from public.notes'))).toEqual([
    [['5000', 'postgres']],
  ])
  const notice = await script('three', `do $$ begin raise notice 'told'; end $$`)
  expect(notice.notices).toEqual(['NOTICE: told'])
})

test('a large result arrives in batches; a reader that goes away leaves the tab as it was', async () => {
  const large = await script('large', 'select * from public.notes; select 1', { limit: 3000, as: 'service_role' })
  const [first] = large.results
  expect(first && 'result' in first && [first.result.rows.length, first.result.isPartial]).toEqual([3000, true])
  expect(large.batches).toBeGreaterThan(5)
  const text = "delete from public.notes; select repeat('x', 10000) from generate_series(1, 5000)"
  const leaving = await post('/api/tabs/large', { text, as: 'service_role', limit: 5000 })
  const reader = leaving.body?.pipeThrough(new TextDecoderStream()).getReader()
  for (let piece = ''; !piece.includes('xxx'); ) piece = (await reader?.read())?.value ?? 'xxx'
  await reader?.cancel()
  const after = await script('large', 'select count(*), current_user from public.notes')
  expect([messages(after), after.transaction]).toEqual([[[['5000', 'postgres']]], null])
})

test('a constraint that is violated at the end of a transaction is an error of the script', async () => {
  await script('deferred', 'create table public.pairs (id int unique deferrable initially deferred)')
  const { results } = await script('deferred', 'insert into public.pairs values (1), (1)', { as: 'service_role' })
  const last = results.at(-1)
  expect(last && 'error' in last && [last.text, last.error.code]).toEqual(['commit', '23505'])
})

test('what a tab runs is cancelled', async () => {
  const sleeping = script('four', 'select pg_sleep(50)')
  const waiting = setInterval(() => void ask('/api/tabs/four/cancel', { method: 'POST' }), 200)
  expect(messages(await sleeping)).toEqual(['canceling statement due to user request'])
  clearInterval(waiting)
  expect((await ask('/api/tabs/four', { method: 'DELETE' })).status).toBe(204)
})

test('a change of the schema becomes a migration file that is applied; one that fails leaves nothing', async () => {
  const made = await post('/api/migrations', { name: 'add_shelf', script: 'alter table public.notes add shelf text;' })
  const { path } = (await made.json()) as { path: string }
  expect(path).toMatch(/^supabase\/migrations\/\d+_add_shelf\.sql$/)
  expect(await readFile(join(project.folder, path), 'utf8')).toBe('alter table public.notes add shelf text;\n')
  const [history] = await query({
    statements: [{ text: 'select name from supabase_migrations.schema_migrations order by version desc limit 1' }],
  })
  expect(history?.rows).toEqual([['add_shelf']])
  const refuse = async (name: string, script: string) => {
    const response = await post('/api/migrations', { name, script })
    return [response.status, ((await response.json()) as { message: string }).message]
  }
  expect(await refuse('again', 'alter table public.notes add shelf text')).toEqual([
    422,
    'column "shelf" of relation "notes" already exists',
  ])
  expect(await refuse('../out', 'select 1')).toEqual([422, expect.stringContaining('is no name for a migration')])
  expect(await refuse('ending', 'select 1; commit')).toEqual([422, expect.stringContaining('cannot contain commit')])
  expect((await readdir(join(project.folder, 'supabase', 'migrations'))).length).toBe(2)
})

test('a change of a declared schema is added to a file of the schema, too, or to nothing', async () => {
  expect(await (await ask('/api/schema-files')).json()).toEqual([])
  await project.write('schemas/a.sql', 'create type public.mood as enum ()')
  await project.write('schemas/b.sql', '')
  expect(await (await ask('/api/schema-files')).json()).toEqual(['supabase/schemas/a.sql', 'supabase/schemas/b.sql'])
  const declared = () => readFile(join(project.folder, 'supabase/schemas/a.sql'), 'utf8')
  const change = (script: string, schemaFile: string) =>
    post('/api/migrations', { name: 'declared', script, schemaFile })
  expect((await change('create table public.one ()', 'supabase/schemas/a.sql')).status).toBe(200)
  expect((await change('create table public.two ();', 'supabase/schemas/a.sql')).status).toBe(200)
  const text = 'create type public.mood as enum ()\n;\n\ncreate table public.one ()\n;\n\ncreate table public.two ();\n'
  expect(await declared()).toBe(text)
  expect((await change('create table public.two ();', 'supabase/schemas/a.sql')).status).toBe(422)
  expect((await change('select 1', 'supabase/migrations/1_notes.sql')).status).toBe(422)
  expect(await declared()).toBe(text)
})

test('a script on trial is seen by a caller, and taken back', async () => {
  const count = { text: 'select count(*) from public.notes' }
  const trial = 'create policy "all" on public.notes for select to anon using (true)'
  expect((await query({ as: 'anon', trial, statements: [count] }))[0]?.rows).toEqual([['5000']])
  expect((await query({ as: 'anon', statements: [count] }))[0]?.rows).toEqual([['0']])
  expect((await query({ trial: 'delete from public.notes', statements: [count] }))[0]?.rows).toEqual([['0']])
  expect((await query({ statements: [count] }))[0]?.rows).toEqual([['5000']])
  const ending = await post('/api/query', { trial: '/* x */ commit', statements: [count] })
  expect([ending.status, ((await ending.json()) as { message: string }).message]).toEqual([
    422,
    expect.stringContaining('begins and ends no transaction'),
  ])
})

test('a token is decoded and verified with the keys of the project', async () => {
  const read = async (token: string) => (await post('/api/token', { token })).json()
  const valid = await stack.identity.sign({ sub: ada, role: 'authenticated', exp: 4_000_000_000 })
  expect(await read(valid)).toMatchObject({
    header: { alg: 'ES256' },
    claims: { sub: ada },
    role: 'authenticated',
    refusal: null,
  })
  const late = await stack.identity.sign({ sub: ada, role: 'authenticated', exp: 1_000_000_000 })
  expect(await read(late)).toMatchObject({
    claims: { sub: ada },
    role: null,
    refusal: expect.stringMatching(/expired/i),
  })
  expect(await read(stack.identity.keys.secret)).toMatchObject({ header: null, role: 'service_role', refusal: null })
  expect(await read('nothing')).toMatchObject({ header: null, claims: null, role: null, refusal: expect.any(String) })
})

test.each([
  ['no JSON', '{', 400],
  ['no statement', '{"statements": []}', 400],
  ['an unknown member', '{"statements": [{"text": "select 1"}], "sql": 1}', 400],
])('a body with %s is refused with the reason', async (_name, body, status) => {
  const response = await ask('/api/query', { method: 'POST', body })
  expect([response.status, ((await response.json()) as { message: string }).message]).toEqual([
    status,
    expect.stringContaining('The request body cannot be used'),
  ])
})

test('a database that is not local is changed only when a request says so', async () => {
  const elsewhere = await startConsole({ ...options(), isLocal: false })
  const session = await open(elsewhere.openingUrl())
  const status = async (path: string, body: object, headers: Record<string, string> = {}) => {
    const init = { method: 'POST', headers: { cookie: session, ...headers }, body: JSON.stringify(body) }
    return (await fetch(elsewhere.url + path, init)).status
  }
  const statements = [{ text: 'select 1' }]
  expect(await status('/api/query', { statements })).toBe(200)
  expect(await status('/api/query', { statements, access: 'write' })).toBe(403)
  expect(await status('/api/query', { statements, trial: 'select 1' })).toBe(403)
  expect(await status('/api/tabs/x', { text: 'select 1' })).toBe(403)
  expect(await status('/api/services/auth/v1/admin/users', {})).toBe(403)
  expect(await status('/api/starters', { name: 'todo' })).toBe(403)
  expect(await status('/api/tabs/x', { text: 'select 1' }, { 'x-console-changes': 'yes' })).toBe(200)
  // Its seed makes users whose password is known.
  expect(await status('/api/starters', { name: 'todo' }, { 'x-console-changes': 'yes' })).toBe(422)
  // The project's own files are not on that server.
  const init = { method: 'PUT', headers: { cookie: session }, body: JSON.stringify({ text: '', version: null }) }
  expect((await fetch(`${elsewhere.url}/api/snippets/a%2Fb`, init)).status).toBe(200)
  expect((await fetch(`${elsewhere.url}/api/snippets/a%2Fb`, init)).status).toBe(409)
  expect((await fetch(`${elsewhere.url}/api/snippets/..%2F..%2Fb`, init)).status).toBe(400)
  await elsewhere.close()
})

test('the inbox answers through the console; a mail may be framed, but nothing else is opened as a page', async () => {
  await ask('/api/mail/v1/messages', { method: 'DELETE', body: '{}' })
  const mail = { From: { Email: 'a@x.test' }, To: [{ Email: 'b@x.test' }], Subject: 'Hi', HTML: '<script>1</script>' }
  expect((await post('/api/mail/v1/send', mail)).status).toBe(200)
  const list = (await (await ask('/api/mail/v1/messages')).json()) as { messages: { ID: string }[] }
  const id = list.messages[0]?.ID
  const frame = { 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'iframe' }
  const view = await ask(`/api/mail/view/${id}.html?remote=on`, { headers: frame })
  expect([view.status, view.headers.get('x-frame-options')]).toEqual([200, 'SAMEORIGIN'])
  expect(view.headers.get('content-security-policy')).toMatch(/^sandbox; default-src 'none'; img-src data:;/)
  expect(await statusOf(`/api/mail/view/${id}.html`, frame)).toBe(200)
  expect(await statusOf(`/api/mail/view/${id}.html`, { ...frame, 'sec-fetch-dest': 'document' })).toBe(401)
  expect(await statusOf(`/api/mail/view/${id}.html`, { ...frame, 'sec-fetch-site': 'same-site' })).toBe(401)
  expect(await statusOf(`/api/mail/view/${id}.html`, { ...frame, cookie: '' })).toBe(401)
  expect(await statusOf(`/api/mail/v1/message/${id}/raw`, frame)).toBe(401)
  expect(await statusOf('/api/mail/inbox.js', {})).toBe(404)
})

test('a call of a function is told of as it is; what cannot be sent is refused with the reason', async () => {
  const call = { path: 'absent?x=1', method: 'GET', headers: [['x-one', '1']], body: null, as: 'anon' }
  const response = await post('/api/functions/call', call)
  const [head = ''] = (await response.text()).split('\n', 1)
  expect([response.status, JSON.parse(head)]).toEqual([200, expect.objectContaining({ status: 503 })])
  const refuse = async (change: object) => {
    const refused = await post('/api/functions/call', { ...call, ...change })
    return [refused.status, ((await refused.json()) as { message: string }).message]
  }
  expect(await refuse({ headers: [['a b', '1']] })).toEqual([400, '"a b: 1" is no valid header'])
  expect(await refuse({ path: '../rest/v1/' })).toEqual([400, expect.stringContaining('must begin with the name')])
  expect(await refuse({ path: 'a/../../../../undock/v1/reset' })).toEqual([
    400,
    expect.stringContaining('leaves its function'),
  ])
  expect(await refuse({ as: 'nobody known' })).toEqual([422, 'There is no user and no role "nobody known".'])
})

test('what the console does not know is refused as such', async () => {
  expect((await ask('/api/nothing')).status).toBe(404)
})

test('the log is read from its beginning, as it grows, and again from where a reader was', async () => {
  lines.add(line('one'))
  lines.add(line('two'))
  const first = await follow()
  const last = await first.next()
  expect(last.messages).toEqual(['one', 'two'])
  lines.add(line('<script>three</script>'))
  expect((await first.next()).messages).toEqual(['<script>three</script>'])
  first.stop()
  const again = await follow({ 'last-event-id': last.id })
  expect((await again.next()).messages).toEqual(['<script>three</script>'])
  again.stop()
  const ofAnotherStack = await follow({ 'last-event-id': 'another.2' })
  expect((await ofAnotherStack.next()).messages).toHaveLength(3)
  ofAnotherStack.stop()
})

const line = (message: string) => ({
  time: '2026-01-01T00:00:00.000Z',
  service: 'rest',
  level: 'info' as const,
  message,
  fields: {},
})

async function follow(headers: Record<string, string> = {}) {
  const aborted = new AbortController()
  const response = await ask('/api/logs', { headers, signal: aborted.signal })
  expect(response.headers.get('content-type')).toBe('text/event-stream')
  const reader = (response.body as ReadableStream<BufferSource>).pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  return {
    async next(): Promise<{ id: string; messages: string[] }> {
      while (!text.includes('\n\n')) text += (await reader.read()).value ?? ''
      const [event = '', ...rest] = text.split('\n\n')
      text = rest.join('\n\n')
      const [, id = '', data = ''] = /^id: (.+)\ndata: (.+)$/.exec(event) ?? []
      return { id, messages: (JSON.parse(data) as { message: string }[]).map(({ message }) => message) }
    },
    stop: () => aborted.abort(),
  }
}

test('statements that change other rows than they say are taken back together', async () => {
  const text = 'update public.notes set body = $1 where id = any ($2::bigint[])'
  const update = { text, values: ['taken back', '{11,12}'] }
  const statements = [
    { ...update, changes: 2 },
    { ...update, changes: 3 },
  ]
  const response = await post('/api/query', { access: 'write', statements })
  expect([response.status, await response.json()]).toEqual([409, { message: '2 rows would change instead of 3.' }])
  const [after] = await query({ statements: [{ text: "select count(*) from public.notes where body = 'taken back'" }] })
  expect(after?.rows).toEqual([['0']])
})

const importBody = (head: object, rows: readonly unknown[]) =>
  [{ schema: 'public', table: 'goods', rows: rows.length, ...head }, ...rows]
    .map((line) => JSON.stringify(line))
    .join('\n')
async function sendImport(head: object, rows: readonly unknown[]): Promise<[number, Record<string, unknown>]> {
  const response = await ask('/api/import', { method: 'POST', body: importBody(head, rows) })
  return [response.status, (await response.json()) as Record<string, unknown>]
}
const countGoods = async () =>
  (await query({ statements: [{ text: 'select count(*), max(id) from public.goods' }] }))[0]?.rows[0]

test('many rows are imported in one transaction', async () => {
  const rows = Array.from({ length: 2_500 }, (_, n) => [String(n + 10), `a${n}`, n % 2 ? '1.5' : null])
  expect(await sendImport({ columns: ['id', 'code', 'price'] }, rows)).toEqual([200, { count: 2_500 }])
  expect(await countGoods()).toEqual(['2500', '2509'])
})

test.each([
  [
    'a value of another type',
    ['code', 'price'],
    ['x1', 'cheap'],
    'price',
    'invalid input syntax for type numeric: "cheap"',
  ],
  ['a number that is too large', ['code', 'price'], ['x1', '123456'], 'price', 'numeric field overflow'],
  [
    'a text that is too long',
    ['code', 'price'],
    ['too long', '1'],
    'code',
    'value too long for type character varying(5)',
  ],
  ['null', ['code', 'price'], [null, '1'], 'code', 'null value in column "code"'],
  ['a value that is taken', ['code', 'price'], ['f1', '1'], 'code', 'duplicate key value'],
  ['a check', ['code', 'price'], ['x1', '-1'], 'price', 'violates check constraint'],
  ['a missing row of another table', ['code', 'note'], ['x1', '77777'], 'note', 'violates foreign key constraint'],
  ['a character that texts cannot have', ['code', 'price'], ['x\u0000', '1'], 'code', 'invalid byte sequence'],
])('%s is refused with its row and column, and nothing is imported', async (_what, [, other], bad, column, message) => {
  const before = await countGoods()
  const good = Array.from({ length: 1_200 }, (_, n) => [`f${n}`, other === 'note' ? '1' : '2'])
  const [status, fault] = await sendImport({ columns: ['code', other] }, [
    ...good.slice(0, 1_100),
    bad,
    ...good.slice(1_100),
  ])
  expect([status, fault.row, fault.column]).toEqual([422, 1_101, column])
  expect(fault.message).toContain(message)
  expect(await countGoods()).toEqual(before)
})

test('an import that ends early, or has another form, imports nothing', async () => {
  const before = await countGoods()
  const head = { columns: ['code'] }
  expect(await sendImport({ ...head, rows: 3 }, [['y1'], ['y2']])).toEqual([
    400,
    { message: 'The rows cannot be imported: 3 rows were announced, and 2 arrived.' },
  ])
  expect((await sendImport(head, [['y1'], [7]]))[0]).toBe(400)
  expect((await sendImport(head, [['y1'], ['y2', 'y3']]))[0]).toBe(400)
  expect(await sendImport({ columns: ['kode'] }, [['y1']])).toEqual([
    422,
    { message: 'There is no column "kode" in public.goods.' },
  ])
  expect((await ask('/api/import', { method: 'POST', body: 'code\ny1' })).status).toBe(400)
  const abort = new AbortController()
  const endless = new ReadableStream({
    async pull(controller) {
      controller.enqueue(new TextEncoder().encode(`${importBody({ ...head, rows: 9 }, [['y1']])}\n`))
      await new Promise(() => abort.abort())
    },
  })
  await expect(
    ask('/api/import', { method: 'POST', body: endless, duplex: 'half', signal: abort.signal } as Parameters<
      typeof ask
    >[1]),
  ).rejects.toThrow('abort')
  expect(await countGoods()).toEqual(before)
})

test('row security decides about each imported row', async () => {
  const head = { table: 'notes', columns: ['id', 'owner'], as: 'ada@example.com' }
  const [status, fault] = await sendImport(head, [
    ['9001', ada],
    ['9002', '00000000-0000-0000-0000-000000000001'],
  ])
  expect([status, fault.code, fault.row]).toEqual([422, '42501', 2])
  expect(await sendImport(head, [['9001', ada]])).toEqual([200, { count: 1 }])
})
