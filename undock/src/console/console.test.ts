import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestConsole, type TestConsole } from '../testing/console.ts'
import { startConsole } from './index.ts'
import { consoleRoutes } from './routes.ts'

let on: TestConsole
beforeAll(async () => {
  on = await startTestConsole()
})
afterAll(() => on.close())

test('a link opens the console once and sets an HttpOnly, same-site cookie', async () => {
  const url = on.served.openingUrl()
  const response = await fetch(url, { redirect: 'manual' })
  expect(response.headers.get('set-cookie')).toMatch(
    /^undock_console_\d+=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict$/,
  )
  expect((await fetch(url, { redirect: 'manual' })).status).toBe(403)
  expect((await fetch(`${on.served.url}/open/guess`, { redirect: 'manual' })).status).toBe(403)
})

test("a local browser gets a session with the page; a frame doesn't", async () => {
  const page = await fetch(`${on.served.url}/tables`, { headers: { 'sec-fetch-dest': 'document' } })
  expect([page.status, page.headers.get('set-cookie')?.split(';')[0]]).toEqual([200, on.cookie])
  expect(page.headers.get('content-security-policy')).toContain("script-src 'self';")
  expect(page.headers.get('x-frame-options')).toBe('DENY')
  const frame = await fetch(on.served.url, { headers: { 'sec-fetch-dest': 'iframe' } })
  expect(frame.headers.get('set-cookie')).toBeNull()
})

test.each([
  ['without the cookie', { cookie: '' }],
  ['with another cookie', { cookie: 'undock_console_1=x' }],
  ['from a page on another port of this machine', { 'sec-fetch-site': 'same-site' }],
  ['from a foreign page', { 'sec-fetch-site': 'cross-site' }],
  ['from a page whose browser sends only its origin', { 'sec-fetch-site': '', origin: 'http://127.0.0.1:3000' }],
])('rejects data requests %s', async (_name, headers) => {
  const given = new Headers({ cookie: on.cookie, 'sec-fetch-site': 'same-origin', ...headers })
  for (const [name, value] of [...given]) if (value === '') given.delete(name)
  for (const path of ['/api/project', '/api/services/rest/v1/notes']) {
    const response = await fetch(on.served.url + path, { headers: given })
    expect([response.status, Object.keys(await response.json())]).toEqual([401, ['message']])
  }
})

test('rejects foreign host names (DNS rebinding)', async () => {
  expect(await on.statusOf('/', { host: 'evil.example' })).toBe(403)
})

test("a file in a bucket can't be opened as a console page", async () => {
  const path = '/api/services/storage/v1/object/public/open/page.html'
  expect(await on.statusOf(path, { 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'navigate' })).toBe(401)
})

test('only console pages can open a Realtime socket, as the requested caller', async () => {
  const handshake = { connection: 'upgrade', upgrade: 'websocket', origin: on.served.url }
  const path = '/api/realtime/websocket?vsn=2.0.0&apikey=none'
  for (const headers of [
    { origin: '' },
    { origin: 'http://127.0.0.1:3000' },
    { origin: 'null' },
    { cookie: '' },
    { host: 'evil.example', origin: 'http://evil.example' },
  ])
    expect(await on.statusOf(path, { ...handshake, ...headers })).toBe(403)
  expect(await on.statusOf('/api/realtime/other', handshake)).toBe(404)
  expect(await on.statusOf(`${path}&as=nobody`, handshake)).toBe(422)
  expect(on.sockets).toEqual([])

  expect(await on.statusOf(path, handshake)).toBe(503)
  expect(await on.statusOf(`${path}&as=anon`, handshake)).toBe(503)
  expect(await on.statusOf(`${path}&as=ada@example.com`, handshake)).toBe(503)
  const [own, anon, user = ''] = on.sockets.map((url) => new URL(url, on.served.url).searchParams.get('apikey'))
  expect([own, anon]).toEqual([on.stack.identity.keys.secret, on.stack.identity.keys.publishable])
  expect((await on.stack.identity.verify(user ?? '')).claims).toMatchObject({ sub: on.ada, role: 'authenticated' })
  expect(await (await on.ask('/api/caller?as=ada@example.com')).json()).toMatchObject({ claims: { sub: on.ada } })
  expect((await on.ask('/api/caller?as=nobody')).status).toBe(422)
})

test("serves the client's files and nothing outside their folder", async () => {
  const file = await on.ask('/assets/index-1.js')
  expect([file.status, file.headers.get('cache-control')]).toEqual([200, 'max-age=31536000, immutable'])
  const plain = await on.ask('/assets/index-1.js', { headers: { 'accept-encoding': 'gzip;q=0' } })
  expect([file, plain].map(({ headers }) => headers.get('content-encoding'))).toEqual(['gzip', null])
  expect(await file.text()).toBe(await plain.text())
  expect((await on.ask('/assets/none.js')).status).toBe(404)
  for (const path of ['/..%2foutside.js', '/assets/..%2f..%2foutside.js'])
    expect(await (await on.ask(path)).text()).not.toBe('')
  expect(await (await on.ask('/sql/anything?x=1')).text()).toContain('<title>Console</title>')
})

test("redirects Supabase Studio's paths to the matching screens", async () => {
  const at = async (path: string) => (await on.ask(path, { redirect: 'manual' })).headers.get('location')
  expect(await at('/project/default/editor')).toBe('/tables')
  expect(await at('/project/default/sql/new')).toBe('/sql')
  expect(await at('/project/default/database/triggers/data')).toBe('/schema/triggers')
  expect(await at('/project/default/integrations/cron/jobs')).toBe('/schema/cron')
  expect(await at('/project/default/realtime/inspector')).toBe('/realtime')
  expect(await at('/project/default/realtime/policies')).toBe('/policies?schema=realtime')
  expect(await at('/project/default')).toBe('/')
})

test('calls services with the secret key, or as a user or role', async () => {
  const path = '/api/services/rest/v1/notes?select=id&order=id&limit=4'
  const ids = async (headers: Record<string, string>) =>
    ((await (await on.ask(path, { headers })).json()) as { id: number }[]).map(({ id }) => id)
  expect(await ids({})).toEqual([1, 2, 3, 4])
  expect(await ids({ 'x-console-as': 'ada@example.com' })).toEqual([1, 2, 3])
  expect(await ids({ 'x-console-as': 'anon' })).toEqual([])
  const unknown = await on.ask(path, { headers: { 'x-console-as': 'nobody' } })
  expect([unknown.status, await unknown.json()]).toEqual([422, { message: 'There is no user or role "nobody".' }])
  expect((await on.ask('/api/services/absent/v1')).status).toBe(404)
})

test('keeps the data before a service deletes some, if it was asked to', async () => {
  const before = on.kept.length
  const path = `/api/services/auth/v1/admin/users/${crypto.randomUUID()}`
  expect((await on.ask(path, { method: 'DELETE' })).status).toBe(404)
  expect(on.kept.length).toBe(before)
  await on.ask(path, { method: 'DELETE', headers: { 'x-console-snapshot': 'yes' } })
  expect(on.kept.slice(before)).toEqual(['console'])
})

test("service responses can't run as a console page", async () => {
  const response = await on.ask('/api/services/rest/v1/notes?limit=1')
  expect(response.headers.get('content-security-policy')).toBe("default-src 'none'; sandbox")
})

test('a schema change becomes a migration that is applied; a failed one leaves nothing behind', async () => {
  const made = await on.post('/api/migrations', {
    name: 'add_shelf',
    script: 'alter table public.notes add shelf text;',
  })
  const { path } = (await made.json()) as { path: string }
  expect(path).toMatch(/^supabase\/migrations\/\d+_add_shelf\.sql$/)
  expect(await readFile(join(on.project.folder, path), 'utf8')).toBe('alter table public.notes add shelf text;\n')
  const [history] = await on.query({
    statements: [{ text: 'select name from supabase_migrations.schema_migrations order by version desc limit 1' }],
  })
  expect(history?.rows).toEqual([['add_shelf']])
  const refuse = async (name: string, script: string) => {
    const response = await on.post('/api/migrations', { name, script })
    return [response.status, ((await response.json()) as { message: string }).message]
  }
  expect(await refuse('again', 'alter table public.notes add shelf text')).toEqual([
    422,
    'column "shelf" of relation "notes" already exists',
  ])
  expect(await refuse('../out', 'select 1')).toEqual([
    422,
    expect.stringContaining('is not a valid name for a migration'),
  ])
  expect(await refuse('ending', 'select 1; commit')).toEqual([422, expect.stringContaining('cannot contain commit')])
  expect((await readdir(join(on.project.folder, 'supabase', 'migrations'))).length).toBe(2)
})

test('records an already applied change as a migration without running it again', async () => {
  const script = 'create table public.by_hand ();'
  await on.query({ access: 'write', statements: [{ text: script }] })
  const before = on.kept.length
  const made = await on.post('/api/migrations', { name: 'by_hand', script, isApplied: true, snapshot: true })
  expect(on.kept.slice(before)).toEqual(['console'])
  const { path } = (await made.json()) as { path: string }
  expect(await readFile(join(on.project.folder, path), 'utf8')).toBe(`${script}\n`)
  const [history] = await on.query({
    statements: [
      { text: 'select statements[1] from supabase_migrations.schema_migrations order by version desc limit 1' },
    ],
  })
  expect(history?.rows).toEqual([['create table public.by_hand ()']])
})

test('a change to a declared schema can also be added to a schema file', async () => {
  expect(await (await on.ask('/api/schema-files')).json()).toEqual([])
  await on.project.write('schemas/a.sql', 'create type public.mood as enum ()')
  await on.project.write('schemas/b.sql', '')
  expect(await (await on.ask('/api/schema-files')).json()).toEqual(['supabase/schemas/a.sql', 'supabase/schemas/b.sql'])
  const declared = () => readFile(join(on.project.folder, 'supabase/schemas/a.sql'), 'utf8')
  const change = (script: string, schemaFile: string) =>
    on.post('/api/migrations', { name: 'declared', script, schemaFile })
  expect((await change('create table public.one ()', 'supabase/schemas/a.sql')).status).toBe(200)
  expect((await change('create table public.two ();', 'supabase/schemas/a.sql')).status).toBe(200)
  const text = 'create type public.mood as enum ()\n;\n\ncreate table public.one ()\n;\n\ncreate table public.two ();\n'
  expect(await declared()).toBe(text)
  expect((await change('create table public.two ();', 'supabase/schemas/a.sql')).status).toBe(422)
  expect((await change('select 1', 'supabase/migrations/1_notes.sql')).status).toBe(422)
  expect(await declared()).toBe(text)
})

test("decodes and verifies tokens with the project's keys", async () => {
  const read = async (token: string) => (await on.post('/api/token', { token })).json()
  const valid = await on.stack.identity.sign({ sub: on.ada, role: 'authenticated', exp: 4_000_000_000 })
  expect(await read(valid)).toMatchObject({
    header: { alg: 'ES256' },
    claims: { sub: on.ada },
    role: 'authenticated',
    refusal: null,
  })
  const late = await on.stack.identity.sign({ sub: on.ada, role: 'authenticated', exp: 1_000_000_000 })
  expect(await read(late)).toMatchObject({
    claims: { sub: on.ada },
    role: null,
    refusal: expect.stringMatching(/expired/i),
  })
  expect(await read(on.stack.identity.keys.secret)).toMatchObject({ header: null, role: 'service_role', refusal: null })
  expect(await read('nothing')).toMatchObject({ header: null, claims: null, role: null, refusal: expect.any(String) })
})

test('changes a remote database only when the request confirms it', async () => {
  const elsewhere = await startConsole({ ...on.options(), isLocal: false })
  const session = await on.open(elsewhere.openingUrl())
  const status = async (path: string, body: object, headers: Record<string, string> = {}) => {
    const init = { method: 'POST', headers: { cookie: session, ...headers }, body: JSON.stringify(body) }
    return (await fetch(elsewhere.url + path, init)).status
  }
  const statements = [{ text: 'select 1' }]
  expect(await status('/api/query', { statements })).toBe(200)
  expect(await status('/api/query', { statements, access: 'write' })).toBe(403)
  expect(await status('/api/query', { statements, trial: 'select 1' })).toBe(403)
  for (const { method, path } of consoleRoutes.filter(({ access }) => access === 'change')) {
    const init = { method: method.replace('*', 'POST'), headers: { cookie: session } }
    expect([path, (await fetch(elsewhere.url + path.replaceAll(/\{.+?\}/g, 'x'), init)).status]).toEqual([path, 403])
  }
  expect(await status('/api/tabs/x', { text: 'select 1' }, { 'x-console-changes': 'yes' })).toBe(200)
  // Its seed creates users with known passwords.
  expect(await status('/api/starters', { name: 'todo' }, { 'x-console-changes': 'yes' })).toBe(422)
  // The project's files aren't on that server.
  const init = { method: 'PUT', headers: { cookie: session }, body: JSON.stringify({ text: '', version: null }) }
  expect((await fetch(`${elsewhere.url}/api/snippets/a%2Fb`, init)).status).toBe(200)
  expect((await fetch(`${elsewhere.url}/api/snippets/a%2Fb`, init)).status).toBe(409)
  expect((await fetch(`${elsewhere.url}/api/snippets/..%2F..%2Fb`, init)).status).toBe(400)
  await elsewhere.close()
})

test('serves the inbox; only emails can be framed, and nothing else opens as a page', async () => {
  await on.ask('/api/mail/v1/messages', { method: 'DELETE', body: '{}' })
  const mail = { From: { Email: 'a@x.test' }, To: [{ Email: 'b@x.test' }], Subject: 'Hi', HTML: '<script>1</script>' }
  expect((await on.post('/api/mail/v1/send', mail)).status).toBe(200)
  const list = (await (await on.ask('/api/mail/v1/messages')).json()) as { messages: { ID: string }[] }
  const id = list.messages[0]?.ID
  const frame = { 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'iframe' }
  const view = await on.ask(`/api/mail/view/${id}.html?remote=on`, { headers: frame })
  expect([view.status, view.headers.get('x-frame-options')]).toEqual([200, 'SAMEORIGIN'])
  expect(view.headers.get('content-security-policy')).toMatch(/^sandbox; default-src 'none'; img-src data:;/)
  expect(await on.statusOf(`/api/mail/view/${id}.html`, frame)).toBe(200)
  expect(await on.statusOf(`/api/mail/view/${id}.html`, { ...frame, 'sec-fetch-dest': 'document' })).toBe(401)
  expect(await on.statusOf(`/api/mail/view/${id}.html`, { ...frame, 'sec-fetch-site': 'same-site' })).toBe(401)
  expect(await on.statusOf(`/api/mail/view/${id}.html`, { ...frame, cookie: '' })).toBe(401)
  expect(await on.statusOf(`/api/mail/v1/message/${id}/raw`, frame)).toBe(401)
  expect(await on.statusOf('/api/mail/inbox.js', {})).toBe(404)
})

test("returns a function's response unchanged, and rejects requests that can't be sent with the reason", async () => {
  const call = { path: 'absent?x=1', method: 'GET', headers: [['x-one', '1']], body: null, as: 'anon' }
  const response = await on.post('/api/functions/call', call)
  const [head = ''] = (await response.text()).split('\n', 1)
  expect([response.status, JSON.parse(head)]).toEqual([200, expect.objectContaining({ status: 503 })])
  const refuse = async (change: object) => {
    const refused = await on.post('/api/functions/call', { ...call, ...change })
    return [refused.status, ((await refused.json()) as { message: string }).message]
  }
  expect(await refuse({ headers: [['a b', '1']] })).toEqual([400, '"a b: 1" is not a valid header'])
  expect(await refuse({ path: '../rest/v1/' })).toEqual([400, expect.stringContaining('must begin with the name')])
  expect(await refuse({ path: 'a/../../../../undock/v1/reset' })).toEqual([
    400,
    expect.stringContaining('leaves its function'),
  ])
  expect(await refuse({ as: 'nobody known' })).toEqual([422, 'There is no user or role "nobody known".'])
})

test('rejects unknown paths', async () => {
  expect((await on.ask('/api/nothing')).status).toBe(404)
})

test('reads the log from the start, follows it and resumes where a reader stopped', async () => {
  on.lines.add(line('one'))
  on.lines.add(line('two'))
  const first = await follow()
  const last = await first.next()
  expect(last.messages).toEqual(['one', 'two'])
  on.lines.add(line('<script>three</script>'))
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
  const response = await on.ask('/api/logs', { headers, signal: aborted.signal })
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
