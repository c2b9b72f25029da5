import { createClient } from '@supabase/supabase-js'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Stack, startStack } from '../../src/runtime/stack/stack.ts'
import type { RequestSummary, RequestTree } from '../../src/timeline/records.ts'
import { makeProject, type TestProject } from '../support/project.ts'

// The app's requests as seen by a developer: `/undock/v1/requests`, printed by `undock requests`.

let project: TestProject
let stack: Stack

beforeAll(async () => {
  project = await makeProject({
    'config.toml': 'project_id = "requests"\n[functions.hello]\nverify_jwt = false\n',
    'undock.toml': '[timeline]\nrequests = 50\n',
    'migrations/20260101000000_notes.sql': `
      create table public.notes (id int primary key, title text);
      alter table public.notes enable row level security;`,
    'functions/hello/index.ts': `
      Deno.serve(async () => {
        const headers = { apikey: Deno.env.get('SUPABASE_SERVICE_ROLE_KEY') }
        const answer = await fetch(Deno.env.get('SUPABASE_URL') + '/rest/v1/notes?select=id', { headers })
        await fetch(new Request('http://127.0.0.1:1/elsewhere?key=hidden', { method: 'PUT' })).catch(() => null)
        return new Response(answer.body)
      })`,
  })
  stack = await startStack({ workdir: project.folder, ports: 'free', state: 'memory' })
}, 120_000)
afterAll(async () => {
  await stack?.stop()
  await project?.remove()
})

const ask = (path: string, key = stack.identity.keys.secret) =>
  fetch(`${stack.url}/undock/v1/requests${path}`, { headers: { apikey: key } })
const list = async (query = ''): Promise<RequestSummary[]> => (await ask(query)).json() as Promise<RequestSummary[]>
const show = async (id: string): Promise<RequestTree> => (await ask(`/${id}`)).json() as Promise<RequestTree>

test('finds a refused insert among the failed requests, with its SQL and error', async () => {
  const client = createClient(stack.url, stack.identity.keys.publishable)
  const { error } = await client.from('notes').insert({ id: 1, title: 'a very secret title' })
  expect(error?.code).toBe('42501')
  const [failed] = await list('?failed=true')
  expect(failed).toMatchObject({ method: 'POST', path: '/rest/v1/notes', status: 401, caller: { role: 'anon' } })
  const shown = await show(failed?.id.slice(0, 13) ?? '')
  expect(shown.spans.at(-1)).toMatchObject({
    kind: 'sql',
    role: 'anon',
    error: expect.stringMatching(/^42501: new row/),
  })
  expect(JSON.stringify(shown)).not.toContain('a very secret title')
})

test("nests a function's requests under the request that called it", async () => {
  await fetch(`${stack.url}/functions/v1/hello`).then((response) => response.text())
  const [called] = await list('?service=functions')
  const { spans, children, traceId } = await show(called?.id ?? '')
  expect(spans).toMatchObject([{ kind: 'call', method: 'PUT', url: 'http://127.0.0.1:1/elsewhere', status: null }])
  expect(children).toMatchObject([{ path: '/rest/v1/notes?select=id', caller: { role: 'service_role' }, traceId }])
})

test("doesn't store passwords, tokens and emails of a sign-up", async () => {
  const client = createClient(stack.url, stack.identity.keys.publishable)
  const account = { email: 'ada@example.org', password: 'a steady lamp, kept' }
  const { data } = await client.auth.signUp(account)
  await client.auth.getUser()
  const trees = await Promise.all((await list('?service=auth')).map(({ id }) => show(id)))
  expect(trees.map(({ path }) => path)).toContain('/auth/v1/signup')
  const kept = JSON.stringify(trees)
  const { access_token = 'none', refresh_token = 'none' } = data.session ?? {}
  for (const secret of [account.password, access_token, refresh_token, ...Object.values(stack.identity.keys)])
    expect(kept).not.toContain(secret)
  expect(trees.find(({ path }) => path === '/auth/v1/user')?.caller).toMatchObject({ claims: { sub: data.user?.id } })
})

test('follows requests live', async () => {
  const live = await ask('/live?service=rest')
  const reader = live.body?.pipeThrough(new TextDecoderStream()).getReader()
  await reader?.read()
  await fetch(`${stack.url}/rest/v1/notes?select=title`, { headers: { apikey: stack.identity.keys.secret } })
  const { value } = (await reader?.read()) ?? {}
  expect(JSON.parse(value?.slice('data: '.length) ?? '')).toMatchObject({
    path: '/rest/v1/notes?select=title',
    status: 200,
  })
  await reader?.cancel()
})

test('requires the secret key and rejects invalid filters', async () => {
  expect((await ask('', stack.identity.keys.publishable)).status).toBe(403)
  expect((await ask('?slow=fast')).status).toBe(400)
  expect((await ask('?nothing=1')).status).toBe(400)
  expect((await ask('/nope')).status).toBe(404)
})

test('the timeline can be turned off', async () => {
  const off = await makeProject({ 'undock.toml': '[timeline]\nenabled = false\n' })
  const without = await startStack({
    workdir: off.folder,
    ports: 'free',
    state: 'memory',
    exclude: ['functions', 'mail'],
  })
  const response = await fetch(`${without.url}/undock/v1/requests`, {
    headers: { apikey: without.identity.keys.secret },
  })
  expect(response.status).toBe(409)
  expect(await response.json()).toEqual({
    message: 'The timeline is off: [timeline] enabled = true in supabase/undock.toml turns it on.',
  })
  await without.stop()
  await off.remove()
})
