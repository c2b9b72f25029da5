import { createClient } from '@supabase/supabase-js'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startStack, type TestStack } from '../../src/test-kit/start-stack.ts'
import { makeProject, type TestProject } from '../support/project.ts'

// With `explain = true` (UNDOCK_EXPLAIN=1), the Data API explains errors and empty responses. Two stacks of one project, one without
// it, must not differ in anything else.

let project: TestProject
let on: TestStack
let off: TestStack

beforeAll(async () => {
  project = await makeProject({
    'config.toml': 'project_id = "explained"\n[edge_runtime]\nenabled = false\n[realtime]\nenabled = false\n',
    'undock.toml': 'host = "0.0.0.0"\n',
    'migrations/20260101000000_notes.sql': `
      create table public.notes (id int primary key, owner uuid default auth.uid(), title text);
      create table public.closed (id int primary key);
      alter table public.notes enable row level security;
      create policy "eigene · 自分" on public.notes to authenticated using (owner = auth.uid() and title <> 'größer')
        with check (owner = auth.uid());
      revoke all on public.closed from anon, authenticated;
      grant all on public.notes to anon, authenticated, service_role;
      create function public.none() returns setof public.notes language sql as 'select * from public.notes where false';
      insert into public.notes (id, owner, title) values (1, null, 'one');`,
  })
  const env = { ...process.env, ...project.ports }
  on = await startStack({ workdir: project.folder, exclude: ['mail'], env: { ...env, UNDOCK_EXPLAIN: '1' } })
  off = await startStack({ workdir: project.folder, exclude: ['mail'], env })
}, 120_000)
afterAll(async () => {
  await on?.stop()
  await off?.stop()
  await project?.remove()
})

type Answer = { status: number; headers: Headers; body: string }
type Question = { path: string; method?: string; headers?: Record<string, string>; body?: string }

/** The stack listens on all addresses. */
const loopback = ({ url }: TestStack): string => `http://127.0.0.1:${new URL(url).port}`

async function ask(stack: TestStack, { path, headers, ...init }: Question, url = loopback(stack)): Promise<Answer> {
  const response = await fetch(`${url}/rest/v1/${path}`, {
    ...init,
    headers: { apikey: stack.keys.publishable, 'content-type': 'application/json', ...headers },
  })
  return { status: response.status, headers: response.headers, body: await response.text() }
}

test('the hint of a refused insert names the missing policy, and nothing else changes', async () => {
  const client = createClient(loopback(on), on.keys.publishable)
  const { error, status } = await client.from('notes').insert({ id: 7, title: 'x' })
  expect(status).toBe(401)
  expect(error).toMatchObject({
    code: '42501',
    message: 'new row violates row-level security policy for table "notes"',
    details: null,
    hint: expect.stringMatching(/^Postgres refuses the insert \(42501\): .*for insert to anon/s),
  })
  const many = await client.from('notes').insert([{ id: 8 }, { id: 9 }])
  expect(many.error?.hint).toMatch(/^Postgres refuses the insert/)
  expect(await on.query('select id from public.notes')).toEqual([{ id: 1 }])
})

test("appends a missing grant to Postgres's own hint", async () => {
  const [told, plain] = [await ask(on, { path: 'closed' }), await ask(off, { path: 'closed' })]
  const { hint: toldHint, ...told1 } = JSON.parse(told.body)
  const { hint, ...plain1 } = JSON.parse(plain.body)
  expect(told1).toEqual(plain1)
  expect(toldHint).toContain(
    'the role anon has no select privilege on public.closed. grant select on public.closed to anon;',
  )
  expect(toldHint.startsWith(hint ?? '')).toBe(true)
})

test.each<[string, Question]>([
  ['no rows', { path: 'notes?select=id' }],
  ['no rows, counted', { path: 'notes?select=id', headers: { prefer: 'count=exact' } }],
  ['not a single row', { path: 'notes?id=eq.1', headers: { accept: 'application/vnd.pgrst.object+json' } }],
  ['an update without rows', { path: 'notes?id=eq.1', method: 'PATCH', body: '{"title":"y"}' }],
  [
    'a deletion without rows',
    { path: 'notes?id=eq.1', method: 'DELETE', headers: { prefer: 'return=representation' } },
  ],
])('%s: explains in a header without changing the rest of the response', async (_, question) => {
  const [told, plain] = [await ask(on, question), await ask(off, question)]
  expect(told).toMatchObject({ status: plain.status, body: plain.body })
  expect(decodeURIComponent(told.headers.get('undock-explain') ?? '')).toContain('no policy')
  expect(told.headers.get('access-control-expose-headers')).toContain('Undock-Explain')
  expect(plain.headers.has('undock-explain')).toBe(false)
  const rest = ({ headers }: Answer) =>
    [...headers].filter(([name]) => !/^(?:undock-explain|sb-request-id|date|access-control-expose-headers)$/.test(name))
  expect(rest(told)).toEqual(rest(plain))
})

test('non-ASCII policy names reach the client', async () => {
  const user = await on.createUser()
  const headers = { authorization: `Bearer ${user.session.access_token}` }
  const { headers: answered } = await ask(on, { path: 'notes?id=eq.1', headers })
  expect(decodeURIComponent(answered.get('undock-explain') ?? '')).toContain('eigene · 自分')
})

test("doesn't explain errors unrelated to access, or responses with rows", async () => {
  const questions: Question[] = [
    { path: 'rpc/none' },
    { path: 'missing' },
    { path: 'notes?select=nothing' },
    { path: 'notes', headers: { apikey: on.keys.secret } },
    { path: 'notes', method: 'POST', body: '{"id": 1}', headers: { apikey: on.keys.secret } },
  ]
  for (const question of questions) {
    const { headers, body } = await ask(on, question)
    expect(headers.has('undock-explain')).toBe(false)
    expect(body).not.toContain('Postgres refuses')
  }
})

test("doesn't explain to pages and clients of other machines", async () => {
  const page = await ask(on, { path: 'notes', headers: { origin: 'https://elsewhere.example' } })
  expect(page).toMatchObject({ status: 200, body: '[]' })
  expect(page.headers.has('undock-explain')).toBe(false)
  const far = await ask(on, { path: 'notes' }, on.url)
  expect(new URL(on.url).hostname).not.toMatch(/^(?:127\.|localhost)/)
  expect(far).toMatchObject({ status: 200, body: '[]' })
  expect(far.headers.has('undock-explain')).toBe(false)
})
