import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { createClient } from '@supabase/supabase-js'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { COMMAND } from '../support/paths.ts'
import { makeProject, type TestProject } from '../support/project.ts'

// Uses `undock explain` like a developer: a request returns no rows or an error, and the command says why.

let project: TestProject
let api: { url: string; secret: string; anon: string; dbUrl: string }

beforeAll(async () => {
  project = await makeProject({
    'config.toml': 'project_id = "explained"\n[edge_runtime]\nenabled = false\n',
    'migrations/20260101000000_notes.sql': `
      create table public.notes (id int primary key, owner uuid, title text);
      alter table public.notes enable row level security;
      create policy "own notes" on public.notes to authenticated using (owner = (select auth.uid()));
      create policy "a topic" on realtime.messages for select to authenticated using (realtime.topic() = 'notes');`,
    'seed.sql': "insert into public.notes values (1, null, 'nobody''s');",
  })
  await undock('start', '--detach')
  const { stdout } = await undock('status', '-o', 'json')
  const status = JSON.parse(stdout)
  api = { url: status.API_URL, secret: status.SERVICE_ROLE_KEY, anon: status.ANON_KEY, dbUrl: status.DB_URL }
}, 120_000)
afterAll(async () => {
  await undock('stop')
  await project.remove()
})

function begin(words: readonly string[]): ChildProcess {
  return spawn(process.execPath, [COMMAND, ...words], {
    cwd: project.folder,
    env: { ...process.env, ...project.ports },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

async function undock(...words: readonly string[]) {
  const child = begin(words)
  if (!child.stdout || !child.stderr) throw new Error('no output')
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')])
  return { code, stdout, stderr }
}

const clientOf = (key: string) => createClient(api.url, key, { auth: { persistSession: false } })

test("the explanation of a user's result matches the result, before and after a change", async () => {
  const admin = clientOf(api.secret)
  const account = { email: 'ada@example.org', password: 'a steady lamp' }
  const { data: created } = await admin.auth.admin.createUser({ ...account, email_confirm: true })
  const ada = clientOf(api.anon)
  await ada.auth.signInWithPassword(account)
  expect((await ada.from('notes').select().throwOnError()).data).toEqual([])

  const hidden = await undock('explain', '--as', account.email, 'select', 'notes')
  expect(hidden).toMatchObject({ code: 0, stderr: '' })
  expect(hidden.stdout).toMatch(/^The row is not seen: policy "own notes" is not true because `owner` is null\.\n/)
  expect(hidden.stdout).toContain(`Caller  authenticated, user ${created.user?.id}`)

  await admin.from('notes').update({ owner: created.user?.id }).eq('id', 1).throwOnError()
  const seen = await undock('explain', '--as', account.email, 'select', 'notes', '-o', 'json')
  expect(JSON.parse(seen.stdout)).toMatchObject({ answer: 'The row is seen.', outcome: { rowCount: 1 } })
  expect((await ada.from('notes').select('id').throwOnError()).data).toEqual([{ id: 1 }])

  const insert = await undock('explain', '--as', account.email, 'insert', 'notes', '--row', '{"id": 2, "title": "x"}')
  expect(insert.stdout).toMatch(/^Postgres refuses the insert \(42501\): policy "own notes" is not true/)
  expect((await ada.from('notes').insert({ id: 2, title: 'x' })).error?.code).toBe('42501')
})

async function explainLast(...options: string[]) {
  const { stdout } = await undock('requests', '--limit', '1', '-o', 'json')
  return undock('explain', JSON.parse(stdout).id, ...options)
}

test('explains a past request by its id, with its filters', async () => {
  const anon = clientOf(api.anon)
  expect((await anon.from('notes').select('id, others(id)')).error?.code).toBe('PGRST200')
  expect((await explainLast()).stderr).toContain('Could not find a relationship')
  await anon.from('notes').select('id').eq('id', 1).throwOnError()
  expect((await explainLast()).stdout).toMatch(
    /^The row is not seen: no policy that allows select is for the role anon/,
  )
  await anon.from('notes').select('id').in('id', [7, 8]).throwOnError()
  expect((await explainLast()).stdout).toMatch(/^No row matches, regardless of the caller\./)

  expect((await anon.from('notes').insert({ id: 3 })).error?.code).toBe('42501')
  expect(await explainLast()).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('Request bodies are not recorded'),
  })
  expect((await explainLast('--row', '{"id": 3}')).stdout).toMatch(/^Postgres refuses the insert \(42501\): no policy/)

  await anon.storage.from('files').download('a/b.txt')
  expect((await explainLast()).stdout).toMatch(/^No row matches, regardless of the caller\./)
  await anon.auth.getUser('x')
  expect((await explainLast()).stderr).toContain('The caller of this request is unknown')
})

test('explains a Realtime topic', async () => {
  expect((await undock('explain', '--as', 'authenticated', 'listen', 'notes')).stdout).toMatch(/^The row is seen\./)
  expect((await undock('explain', '--as', 'authenticated', 'listen', 'others')).stdout).toContain(
    "`realtime.topic()` is 'others'",
  )
})

test.each([
  [['--as', 'nobody@example.org', 'select', 'notes'], 1, 'There is no user or role "nobody@example.org".'],
  [['--as', 'anon', 'select', 'nothing'], 1, 'There is no table or view public.nothing'],
  [['--as', 'anon', 'insert', 'notes', '--row', '[1]'], 2, '--row needs a JSON object'],
  [['select', 'notes'], 2, 'Add the caller: --as'],
  [['--as', 'anon', 'select'], 2, 'Add what to select: a table'],
  [['--as', 'anon', 'read', 'notes'], 2, '"read" is neither an action (select, insert'],
  [['00000000'], 1, 'No request with the id 00000000 is kept'],
  [['--as', 'anon', '00000000'], 2, 'To explain a request, give only its id and --row.'],
] as const)('%j cannot be answered', async (words, code, message) => {
  const answer = await undock('explain', ...words)
  expect(answer.code).toBe(code)
  expect(answer.stderr).toContain(message)
})

test('requires the secret key', async () => {
  const body = JSON.stringify({ as: 'service_role', action: 'select', target: 'notes' })
  const ask = (key: string) =>
    fetch(`${api.url}/undock/v1/explain`, { method: 'POST', headers: { apikey: key }, body }).then(
      ({ status }) => status,
    )
  expect(await ask(api.anon)).toBe(403)
  expect(await ask(api.secret)).toBe(200)
})

test('generated tests pass, and fail if strangers can do more', async () => {
  expect((await undock('policies')).stdout).toContain('public.notes  ····  siud           SIUD')
  expect(await undock('policies', 'test')).toMatchObject({
    code: 0,
    stdout: 'Wrote supabase/tests/strangers.test.sql. Run it with `undock db test`.\n',
  })
  expect(await undock('policies', 'test')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('Overwrite it with --force'),
  })
  expect((await undock('db', 'test')).code).toBe(0)
  const admin = new pg.Client({ connectionString: api.dbUrl })
  await admin.connect()
  await admin.query('create policy everybody on public.notes for select to anon using (true)')
  await admin.end()
  const failed = await undock('db', 'test')
  expect(failed.code).toBe(1)
  expect(failed.stdout).toContain('without a token: select on public.notes finds no row')
})

test('saves requests to a file that opens without a backend, and as an HTTP Archive', async () => {
  await clientOf(api.anon).from('notes').select('title').eq('id', 7)
  const file = join(project.folder, 'requests.json')
  expect((await undock('requests', 'save', file)).stdout).toMatch(/^Wrote \d+ requests to /)
  const [line = ''] = (await undock('requests', '--from', file, '--service', 'rest', '--limit', '1')).stdout.split('\n')
  expect(line).toContain('/rest/v1/notes?select=title&id=eq.7')
  const [, id = ''] = line.split(/\s+/)
  expect((await undock('requests', 'show', id, '--from', file)).stdout).toContain('SQL as anon')
  expect(await undock('requests', '--from', 'missing.json')).toMatchObject({ code: 2 })
  const har = join(project.folder, 'requests.har')
  await undock('requests', 'save', har)
  const { log } = JSON.parse(await readFile(har, 'utf8'))
  expect(log.entries.at(-1)).toMatchObject({
    request: { method: 'GET', queryString: [{ name: 'select' }, { name: 'id' }] },
  })
})
