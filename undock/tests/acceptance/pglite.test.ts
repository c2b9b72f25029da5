// PGlite, the fallback, must serve every part of a project in one session, reject Postgres clients with a reason, and let its rows
// be dumped.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { createClient } from '@supabase/supabase-js'
import pg from 'pg'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { dbDump } from '../../src/cli/database/dump.ts'
import { failureText } from '../../src/cli/report.ts'
import { SERVICES } from '../../src/runtime/stack/options.ts'
import { type Stack, startStack } from '../../src/runtime/stack/stack.ts'
import { makeProject, type TestProject } from '../support/project.ts'

let project: TestProject
let stack: Stack
beforeAll(async () => {
  project = await makeProject({
    'config.toml': 'project_id = "fallback"\n[db.pooler]\nenabled = true\n[functions.hello]\nverify_jwt = false\n',
    'migrations/1_notes.sql': `create table notes (id int generated always as identity primary key, body text, owner uuid default auth.uid());
      alter table notes enable row level security;
      grant select, insert on notes to authenticated, service_role;
      create policy "own" on notes to authenticated using (owner = auth.uid());
      alter publication supabase_realtime add table notes;
      insert into storage.buckets (id, name) values ('docs', 'docs');`,
    'undock.toml': '[limits]\nstatement_timeout = 5\n',
    'functions/hello/index.ts': "Deno.serve(() => new Response('hello'))",
  })
  stack = await startStack({ workdir: project.folder, ports: 'free', engine: 'pglite' })
}, 300_000)
afterAll(async () => {
  await stack?.stop()
  await project?.remove()
})

const client = (key: string) => createClient(stack.url, key, { auth: { persistSession: false } })

test('the started stack reports its engine', () => {
  expect(stack.engine).toMatchObject({ kind: 'pglite', title: 'PGlite' })
})

test('agents can run SQL without a database port', async () => {
  const agent = new Client({ name: 'assistant', version: '1.0.0' })
  await agent.connect(new StreamableHTTPClientTransport(new URL(`${stack.url}/mcp`)))
  onTestFinished(() => agent.close())
  const call = async (name: string, args: Record<string, unknown>) => {
    const { content } = await agent.callTool({ name, arguments: args })
    return (content as { text: string }[]).map(({ text }) => text).join()
  }
  const script =
    'create table of_agent (id int8); insert into of_agent values (7); select id, current_user from of_agent'
  expect(await call('execute_sql', { query: script })).toMatch(/"id\W+7,\W+current_user\W+postgres/)
  expect(await call('execute_sql', { query: 'select 1 / 0' })).toContain('22012: division by zero')
  expect(await call('list_tables', { schemas: ['public'] })).toContain('of_agent')
  expect(await call('execute_sql', { query: 'drop table of_agent' })).toContain('`undock undo` brings them back')
})

test('a query with a role resets the session, even the first one', async () => {
  // Nothing in this stack logs in as another user.
  const bare = await startStack({
    workdir: project.folder,
    ports: 'free',
    engine: 'pglite',
    state: 'memory',
    exclude: SERVICES,
  })
  onTestFinished(bare.stop)
  await bare.db.run({ settings: { role: 'service_role' }, statements: [{ text: 'select 1', values: [] }] })
  const { rows } = await bare.db.query({ text: 'select current_user', values: [] })
  expect(rows).toEqual([{ current_user: 'supabase_admin' }])
})

test('takes a snapshot while running', async () => {
  const response = await fetch(`${stack.url}/undock/v1/branches`, {
    method: 'POST',
    headers: { apikey: stack.identity.keys.secret },
    body: JSON.stringify({ do: 'save-snapshot', name: 'running' }),
  })
  expect([response.status, await response.text()]).toEqual([200, expect.stringContaining('done')])
})

test('the Data API, Auth, Storage and Realtime serve users their own rows', async () => {
  const person = client(stack.identity.keys.publishable)
  const heard: unknown[] = []
  expect((await person.auth.signUp({ email: 'ada@example.com', password: 'correct horse' })).error).toBeNull()
  await new Promise<void>((resolve, reject) =>
    person
      .channel('notes')
      .on('postgres_changes', { event: 'INSERT', schema: 'public', table: 'notes' }, (one) => heard.push(one.new))
      .on('system', {}, () => resolve())
      .subscribe((_status, error) => error && reject(error)),
  )
  expect((await person.from('notes').insert({ body: 'mine' })).error).toBeNull()
  const service = client(stack.identity.keys.secret)
  expect((await service.from('notes').insert({ body: 'of another' })).error).toBeNull()
  expect((await person.from('notes').select('body')).data).toEqual([{ body: 'mine' }])
  await expect.poll(() => heard, { timeout: 20_000 }).toEqual([expect.objectContaining({ body: 'mine' })])
  const files = service.storage.from('docs')
  expect((await files.upload('a.txt', 'a')).error).toBeNull()
  expect(await (await files.download('a.txt')).data?.text()).toBe('a')
  await person.removeAllChannels()
  person.realtime.disconnect()
})

test('calls an edge function', async () => {
  const { data } = await client(stack.identity.keys.publishable).functions.invoke('hello')
  expect(data).toBe('hello')
})

test('terminates a statement that times out and reopens with all rows', async () => {
  const service = client(stack.identity.keys.secret)
  const before = await service.from('notes').select('id')
  await expect(stack.db.exec('select pg_sleep(30)')).rejects.toMatchObject({ code: '57014' })
  expect((await service.from('notes').select('id')).data).toEqual(before.data)
})

test.each([
  ['database port', undefined],
  ['database port', { rejectUnauthorized: false }],
  ['pooler', undefined],
])('tells a client of the %s why PGlite has none (TLS: %o)', async (name, ssl) => {
  const url = name === 'pooler' ? stack.poolerUrl : stack.dbUrl
  const one = new pg.Client({ connectionString: url ?? '', ...(ssl && { ssl }) })
  one.on('error', () => undefined)
  const error: unknown = await one.connect().catch((reason: unknown) => reason)
  expect(error).toMatchObject({ code: '0A000' })
  expect(failureText(error)).toMatch(/^PGlite, .* has no database port\. The native PostgreSQL has one: .*\.$/)
})

test("dumps a stopped backend's rows for PostgreSQL", async () => {
  await stack.stop()
  const file = join(project.folder, 'data.sql')
  const options = {
    workdir: project.folder,
    schema: [],
    exclude: [],
    roleOnly: false,
    keepComments: false,
    useCopy: false,
  }
  expect(await dbDump({ ...options, file, dataOnly: true })).toBe(0)
  const dumped = await readFile(file, 'utf8')
  expect(dumped).toContain('INSERT INTO "public"."notes"')
  expect(dumped).toContain('ada@example.com')
})
