import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { createClient } from '@supabase/supabase-js'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeProject, type TestProject } from '../support/project.ts'

// `undock explain` as a developer uses it: a request returns no rows or an error, and the command says why.

let project: TestProject
let api: { url: string; secret: string; anon: string }

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
  api = { url: status.API_URL, secret: status.SERVICE_ROLE_KEY, anon: status.ANON_KEY }
}, 120_000)
afterAll(async () => {
  await undock('stop')
  await project.remove()
})

function begin(words: readonly string[]): ChildProcess {
  return spawn(process.execPath, [resolve('undock/bin/undock.js'), ...words], {
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

test('what a signed-in user gets is explained, and changes as the explanation says', async () => {
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

test('a topic of Realtime is explained', async () => {
  expect((await undock('explain', '--as', 'authenticated', 'listen', 'notes')).stdout).toMatch(/^The row is seen\./)
  expect((await undock('explain', '--as', 'authenticated', 'listen', 'others')).stdout).toContain(
    "`realtime.topic()` is 'others'",
  )
})

test.each([
  [['--as', 'nobody@example.org', 'select', 'notes'], 1, 'There is no user and no role "nobody@example.org".'],
  [['--as', 'anon', 'select', 'nothing'], 1, 'There is no table or view public.nothing'],
  [['--as', 'anon', 'insert', 'notes', '--row', '[1]'], 2, '--row takes a JSON object'],
  [['select', 'notes'], 2, "Required option '--as <caller>' not specified"],
  [['--as', 'anon', 'read', 'notes'], 2, 'Allowed choices are select, insert'],
] as const)('%j cannot be answered', async (words, code, message) => {
  const answer = await undock('explain', ...words)
  expect(answer.code).toBe(code)
  expect(answer.stderr).toContain(message)
})

test('only the secret key may ask', async () => {
  const body = JSON.stringify({ as: 'service_role', action: 'select', target: 'notes' })
  const ask = (key: string) =>
    fetch(`${api.url}/undock/v1/explain`, { method: 'POST', headers: { apikey: key }, body }).then(
      ({ status }) => status,
    )
  expect(await ask(api.anon)).toBe(403)
  expect(await ask(api.secret)).toBe(200)
})
