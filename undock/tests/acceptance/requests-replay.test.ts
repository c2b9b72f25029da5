import { execFile } from 'node:child_process'
import { readFile, rm, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createClient, type SupabaseClient } from '@supabase/supabase-js'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { runCli } from '../../src/cli/run-cli.ts'
import { startStack, type TestStack } from '../../src/test-kit/start-stack.ts'
import { PACKAGES } from '../support/paths.ts'
import { makeProject, type TestProject } from '../support/project.ts'

// `undock requests replay` and `to-test` send an app's requests again or turn them into tests.

let project: TestProject
let stack: TestStack
let anon: SupabaseClient

beforeAll(async () => {
  project = await makeProject({
    'config.toml': 'project_id = "replay"\n[edge_runtime]\nenabled = false\n',
    'undock.toml': '[timeline]\nbodies = true\n',
    'migrations/20260101000000_notes.sql': `
      create table public.notes (id int primary key, owner uuid default auth.uid(), title text, api_token text);
      alter table public.notes enable row level security;
      create policy "all of one's own" on public.notes to authenticated using (owner = auth.uid()) with check (owner = auth.uid());
      grant select on public.notes to anon;
      grant all on public.notes to authenticated, service_role;
      create function public.twice(n int) returns int language sql as 'select n * 2';
      insert into storage.buckets (id, name) values ('files', 'files');`,
  })
  await symlink(PACKAGES, join(project.folder, 'node_modules'))
  // On disk, because the commands look for the backend there.
  stack = await startStack({ workdir: project.folder, state: 'disk' })
  anon = clientWith(stack.keys.publishable)
}, 120_000)
afterAll(async () => {
  await stack?.stop()
  await project?.remove()
})
afterEach(() => vi.restoreAllMocks())

const OPTIONS = { auth: { persistSession: false, autoRefreshToken: false } }
const clientWith = (key: string) => createClient(stack.url, key, OPTIONS)

async function signedIn() {
  const user = await stack.createUser()
  const client = clientWith(stack.keys.publishable)
  await client.auth.setSession(user.session)
  return { user, client }
}

/** The id of the newest request whose path starts like this. */
function newest(start: string): string {
  const found = stack.requests().filter(({ path }) => path.startsWith(start))
  return found.at(-1)?.id ?? 'none'
}

async function undock(...words: string[]): Promise<{ code: number; printed: string }> {
  const printed: string[] = []
  for (const stream of ['log', 'error'] as const)
    vi.spyOn(console, stream).mockImplementation((text: string) => void printed.push(text))
  const code = await runCli(['requests', ...words, '--workdir', project.folder])
  return { code, printed: printed.join('\n') }
}

test('replays a read as its caller, and as a user who sees fewer rows', async () => {
  const { user, client } = await signedIn()
  await client.from('notes').insert({ id: 1, title: 'mine' }).throwOnError()
  await client.from('notes').select('id, title').throwOnError()
  const id = newest('/rest/v1/notes?select')
  const same = await undock('replay', id.slice(0, 13))
  expect(same.printed).toContain(`Caller  authenticated, user ${user.id}  →  authenticated, user ${user.id}`)
  expect(same.printed).toContain('Status  200  →  200\nBody    the same')
  const other = await undock('replay', id, '--as', 'anon')
  expect(other).toMatchObject({ code: 0, printed: expect.stringContaining('→  anon\nStatus  200  →  200') })
  expect(other.printed).toContain('  0\n    - {"id":1,"title":"mine"}\n    + nothing')
})

test('replays an insert with its body, also as callers who get an error', async () => {
  const { client } = await signedIn()
  await client.from('notes').insert({ id: 2, title: 'two' }).select().single().throwOnError()
  const id = newest('/rest/v1/notes?select=*')
  const again = await undock('replay', id)
  expect(again.printed).toContain('Status  201  →  409')
  expect(again.printed).toContain('    + "23505"')
  expect((await undock('replay', id, '--as', 'anon')).printed).toContain('Status  201  →  401')
  expect((await undock('replay', id, '--as', 'nobody@example.org')).printed).toContain('There is no user or role')
})

test('never stores a password; sending the request again needs it', async () => {
  const account = { email: 'ada@example.org', password: 'correct horse battery' }
  const { data } = await anon.auth.signUp(account)
  await anon.auth.signInWithPassword(account)
  await clientWith(stack.keys.secret).from('notes').insert({ id: 3, title: 't', api_token: 'tok-5e55ion' })
  const kept = JSON.stringify(stack.requests())
  expect(kept).toContain('ada@example.org')
  const { access_token = 'none', refresh_token = 'none' } = data.session ?? {}
  for (const secret of [account.password, access_token, refresh_token, 'tok-5e55ion', ...Object.values(stack.keys)])
    expect(kept).not.toContain(secret)
  const id = newest('/auth/v1/token')
  expect(await undock('replay', id)).toMatchObject({
    code: 1,
    printed: expect.stringContaining('what is never kept: password. Give --secret password=VALUE'),
  })
  const sent = await undock('replay', id, '--secret', `password=${account.password}`)
  expect(sent.printed).toContain('Status  200  →  200')
  expect(sent.printed).not.toContain('eyJ')
  expect((await undock('replay', id, '--secret', 'password=wrong')).printed).toContain('Status  200  →  400')
})

test("rejects requests that can't be replayed, with the reason", async () => {
  await fetch(`${stack.url}/rest/v1/notes`, { headers: { apikey: 'sb_publishable_nobody' } })
  expect((await undock('replay', newest('/rest/v1/notes'))).printed).toContain('Say with --as who sends it')
  const { data } = await clientWith(stack.keys.secret)
    .storage.from('files')
    .upload('a.bin', new Blob(['\0\u0001']))
  expect(data?.path).toBe('a.bin')
  expect((await undock('replay', newest('/storage/v1/object/files/a.bin'))).printed).toMatch(
    /its body was not kept, because it is neither JSON nor a form.*--body FILE/s,
  )
  await fetch(`${stack.url}/auth/v1/verify?token=abc&type=signup`, { redirect: 'manual' })
  expect((await undock('replay', newest('/auth/v1/verify'))).printed).toContain('held a token, key or signature')
})

test('a saved file opens without a backend, including bodies and all recorded work', async () => {
  await clientWith(stack.keys.secret).storage.from('files').upload('c.txt', 'c')
  await anon.rpc('twice', { n: 21 })
  const file = join(project.folder, 'saved.json')
  expect(await undock('save', file)).toMatchObject({ code: 0 })
  const upload = await undock('show', newest('/storage/v1/object/files/c.txt'), '--from', file)
  expect(upload.printed).toContain('write a file of files, 1 bytes')
  const called = newest('/rest/v1/rpc/twice')
  expect((await undock('show', called, '--from', file)).printed).toContain('Body    {"n":21}\nAnswer  42')
  const made = join(project.folder, 'tests', 'twice.test.ts')
  expect(await undock('to-test', called, '--from', file, '--file', made)).toMatchObject({ code: 0 })
  expect(await readFile(made, 'utf8')).toContain("client.rpc('twice', { n: 21 })")
  await rm(join(project.folder, 'tests'), { recursive: true })
  expect(await undock('replay', called, '--from', file)).toMatchObject({ code: 2 })
})

test('turns requests into passing tests with the supabase-js calls that made them', {
  timeout: 300_000,
}, async () => {
  const admin = clientWith(stack.keys.secret)
  const { client } = await signedIn()
  const anon = clientWith(stack.keys.publishable)
  const made: Record<string, () => PromiseLike<unknown>> = {
    "client.from('notes').select('id,title', { count: 'exact' }).eq('title', 'it\\'s').order('id', { ascending: false }).limit(3)":
      () =>
        client
          .from('notes')
          .select('id, title', { count: 'exact' })
          .eq('title', "it's")
          .order('id', { ascending: false })
          .limit(3),
    "client.from('notes').insert({ id: 7, title: 'seven' })": () =>
      client.from('notes').insert({ id: 7, title: 'seven' }),
    "client.from('notes').upsert([{ id: 8, title: 'eight' }], { onConflict: 'id' }).select('id')": () =>
      admin
        .from('notes')
        .upsert([{ id: 8, title: 'eight' }], { onConflict: 'id' })
        .select('id'),
    "client.from('notes').update({ title: 'x' }).filter('id', 'in', '(1,2)').select('*').single()": () =>
      anon.from('notes').update({ title: 'x' }).in('id', [1, 2]).select().single(),
    "client.from('notes').select('*').is('owner', null).not('id', 'eq', '9').range(0, 4)": () =>
      admin.from('notes').select().is('owner', null).not('id', 'eq', 9).range(0, 4),
    "client.rpc('twice', { n: 4 })": () => anon.rpc('twice', { n: 4 }),
    "client.auth.signUp({ email: 'new@example.org', password: 'FILL IN' })": () =>
      anon.auth.signUp({ email: 'new@example.org', password: 'a new password' }),
    "client.auth.signInWithPassword({ email: 'no@example.org', password: 'FILL IN' })": () =>
      anon.auth.signInWithPassword({ email: 'no@example.org', password: 'wrong password' }),
    "client.storage.from('files').upload('b.txt', 'content', { contentType: 'text/plain' })": () =>
      admin.storage.from('files').upload('b.txt', new Blob(['b'], { type: 'text/plain' })),
    "client.storage.from('files').list('', { limit: 5, offset: 0, sortBy: { column: 'name', order: 'asc' } })": () =>
      admin.storage.from('files').list('', { limit: 5 }),
    "client.storage.from('files').download('missing.txt')": () => admin.storage.from('files').download('missing.txt'),
    "fetch(stack.url + '/auth/v1/settings'": () =>
      fetch(`${stack.url}/auth/v1/settings`, { headers: { apikey: stack.keys.publishable } }),
  }
  const files: string[] = []
  for (const [call, make] of Object.entries(made)) {
    const before = new Set(stack.requests().map(({ id }) => id))
    await make()
    const [request] = stack.requests().filter(({ id }) => !before.has(id))
    const file = join(project.folder, `request-${files.length}.test.ts`)
    expect(await undock('to-test', request?.id ?? '', '--file', file)).toMatchObject({ code: 0 })
    const content = await readFile(file, 'utf8')
    expect.soft(content).toContain(call)
    files.push(file)
  }
  expect(await undock('to-test', newest('/rest/v1/rpc'), '--file', files[0] ?? '')).toMatchObject({
    code: 2,
    printed: expect.stringContaining('--force'),
  })
  const run = promisify(execFile)(
    process.execPath,
    [join(PACKAGES, 'vitest/vitest.mjs'), 'run', '--maxWorkers=1', '--no-isolate', '--testTimeout=60000'],
    {
      cwd: project.folder,
      // Vitest prints colours if CI is set.
      env: { ...process.env, NO_COLOR: '1', FORCE_COLOR: undefined },
    },
  )
  const { stdout } = await run.catch((error: { stdout: string; stderr: string }) => ({
    stdout: `${error.stdout}${error.stderr}`,
  }))
  expect(stdout).toMatch(/Tests {2}12 passed/)
})
