import { chmod, mkdir, readdir, readFile, rename, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { createClient } from '@supabase/supabase-js'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { makeProject, type TestProject } from '../../tests/support/project.ts'
import { readProjectConfig } from '../config/project.ts'
import { type Stack, startStack } from '../runtime/stack/stack.ts'
import { createSettingsEditor, type SettingValue, type ShownSettings } from './settings.ts'

const CONFIG = `project_id = "a" # mine
[api]
max_rows = 100 # enough
[auth]
# who may come in
enable_signup = true
[auth.email.smtp]
host = "mail.example.com"
port = 587
user = "ada"
pass = "hunter2-is-secret"
admin_email = "ada@example.com"
[edge_runtime]
enabled = false
[edge_runtime.secrets]
TOKEN = "env(SOME_TOKEN)"
`

let project: TestProject
let stack: Stack
let cookie: string
beforeAll(async () => {
  project = await makeProject({
    'config.toml': CONFIG,
    'migrations/1_notes.sql':
      'create table public.notes (id int primary key); insert into public.notes select generate_series(1, 20); grant select on public.notes to anon;',
  })
  stack = await startStack({ workdir: project.folder, ports: 'free', state: 'memory', console: true, env: {} })
  const asked = await fetch(`${stack.url}/undock/v1/console`, {
    method: 'POST',
    headers: { apikey: stack.identity.keys.secret },
  })
  const page = await fetch((await asked.json()).url, { redirect: 'manual' })
  cookie = (page.headers.get('set-cookie') ?? '').split(';')[0] ?? ''
})
afterAll(async () => {
  await stack.stop()
  await project.remove()
})

async function ask(path: string, init: RequestInit = {}, headers: Record<string, string> = {}) {
  const response = await fetch(`${stack.consoleUrl}/api/settings${path}`, {
    ...init,
    headers: { cookie, 'sec-fetch-site': 'same-origin', ...headers },
  })
  return { status: response.status, body: await response.json() }
}

const values = (entries: Readonly<Record<string, SettingValue>>) =>
  Object.entries(entries).map(([key, value]) => ({ path: key.split('.'), value }))

async function put(entries: Readonly<Record<string, SettingValue>>) {
  const { body } = await ask('')
  return ask('', { method: 'PUT', body: JSON.stringify({ version: body.version, values: values(entries) }) })
}
const configText = () => readFile(join(project.folder, 'supabase', 'config.toml'), 'utf8')

test('what is written holds at once for supabase-js, and every other byte of the file stays', async () => {
  const client = createClient(stack.url, stack.identity.keys.publishable, { auth: { persistSession: false } })
  const answer = await put({ 'auth.enable_signup': false, 'api.max_rows': 7 })
  expect(answer).toMatchObject({ status: 200, body: { restart: [], unset: [] } })
  expect(await configText()).toBe(
    CONFIG.replace('enable_signup = true', 'enable_signup = false').replace('max_rows = 100', 'max_rows = 7'),
  )
  const refused = await client.auth.signUp({ email: 'new@example.com', password: 'secret-secret' })
  expect(refused.error?.code).toBe('signup_disabled')
  await expect.poll(async () => (await client.from('notes').select()).data?.length).toBe(7)

  await put({ 'auth.enable_signup': true, 'auth.minimum_password_length': 12 })
  const short = await client.auth.signUp({ email: 'new@example.com', password: 'elevenchars' })
  expect(short.error?.code).toBe('weak_password')
  expect((await client.auth.signUp({ email: 'new@example.com', password: 'twelve-chars' })).error).toBeNull()
})

test('keys that wait for the next start are named, and unset variables too', async () => {
  expect(
    (await put({ 'auth.rate_limit.email_sent': 5, 'auth.external.github.secret': 'env(GITHUB_SECRET)' })).body,
  ).toMatchObject({
    restart: ['auth.rate_limit.email_sent'],
    unset: ['GITHUB_SECRET'],
  })
})

test('secrets of the file are neither shown nor in a difference; env(NAME) is shown as it is', async () => {
  const { body } = await ask('')
  const shown = (body as ShownSettings).groups.flatMap(({ parts }) => parts.flatMap(({ settings }) => settings))
  const shownOf = (key: string) => shown.find(({ path }) => path.join('.') === key)?.value
  expect([shownOf('auth.email.smtp.pass'), shownOf('edge_runtime.secrets.TOKEN')]).toEqual([true, 'env(SOME_TOKEN)'])
  const draft = { version: body.version, values: values({ 'auth.email.smtp.user': 'bob' }) }
  const changes = await ask('/changes', { method: 'POST', body: JSON.stringify(draft) })
  expect(changes.body.change.after).toContain('user = "bob"')
  expect(JSON.stringify([body, changes.body])).not.toContain('hunter2')
})

test.each([
  ['a value that the configuration refuses', { 'auth.email.max_frequency': 'soon' }, 'must be a duration'],
  ['a secret itself', { 'auth.email.smtp.pass': 'hunter3' }, 'env(NAME)'],
  ['a key that is not edited here', { 'auth.jwt_secret': 'x' }, 'no setting'],
  ['a value of another kind', { 'auth.enable_signup': 'yes' }, 'must be true or false'],
])('%s is refused, and nothing is written', async (_what, entries, message) => {
  const before = await configText()
  const { status, body } = await put(entries as unknown as Record<string, SettingValue>)
  expect([status, body.message]).toEqual([422, expect.stringContaining(message)])
  expect(await configText()).toBe(before)
})

test('a file that has changed since, and a page of another origin, are refused', async () => {
  const body = JSON.stringify({ version: 'other', values: values({ 'api.max_rows': 1 }) })
  expect((await ask('', { method: 'PUT', body })).status).toBe(409)
  expect((await ask('', { method: 'PUT', body }, { 'sec-fetch-site': 'cross-site' })).status).toBe(401)
})

/** An editor of a project of its own. */
async function openProject(files: Readonly<Record<string, string>>) {
  const own = await makeProject(files)
  onTestFinished(() => own.remove())
  const folder = join(own.folder, 'supabase')
  const settings = {
    read: (toml: string) => readProjectConfig(own.folder, {}, { toml }),
    apply: async () => undefined,
  }
  const editor = createSettingsEditor(settings, folder)
  const write = async () => {
    const { version, refusal } = await editor.list()
    const writing = editor.write({ version, values: [{ path: ['api', 'max_rows'], value: 5 }] })
    return {
      refusal,
      outcome: await writing.then(
        () => 'written',
        ({ message }: Error) => message,
      ),
    }
  }
  return { own, folder, write }
}

test('a file that is not ours to write is refused with the reason', async () => {
  const { folder, write } = await openProject({ 'config.toml': 'project_id = "a"\n' })
  await chmod(join(folder, 'config.toml'), 0o444)
  expect(await write()).toEqual({
    refusal: expect.stringContaining('read-only'),
    outcome: expect.stringContaining('read-only'),
  })

  const elsewhere = await makeProject({ 'other.toml': 'project_id = "b"\n' })
  onTestFinished(() => elsewhere.remove())
  await rename(join(folder, 'config.toml'), join(folder, 'old.toml'))
  await symlink(join(elsewhere.folder, 'supabase', 'other.toml'), join(folder, 'config.toml'))
  expect((await write()).outcome).toContain('a link out of the project')

  const json = await openProject({ 'config.json': '{ "project_id": "a" }' })
  expect((await json.write()).outcome).toContain('config.json')
  const none = await openProject({ 'seed.sql': '' })
  expect((await none.write()).outcome).toContain('no supabase/config.toml')
})

test('a link within the project stays one, and nothing is left beside the file', async () => {
  const { own, folder, write } = await openProject({ 'config.toml': 'project_id = "a"\n' })
  await mkdir(join(own.folder, 'shared'))
  await rename(join(folder, 'config.toml'), join(own.folder, 'shared', 'config.toml'))
  await symlink('../shared/config.toml', join(folder, 'config.toml'))
  expect((await write()).outcome).toBe('written')
  expect(await readdir(join(own.folder, 'shared'))).toEqual(['config.toml'])
  expect(await readFile(join(own.folder, 'shared', 'config.toml'), 'utf8')).toBe(
    'project_id = "a"\n\n[api]\nmax_rows = 5\n',
  )
})
