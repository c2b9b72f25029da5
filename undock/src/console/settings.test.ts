import { execFileSync } from 'node:child_process'
import { chmod, mkdir, readdir, readFile, rename, stat, symlink, writeFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { createClient } from '@supabase/supabase-js'
import { SMTPServer } from 'smtp-server'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { makeProject, type TestProject } from '../../tests/support/project.ts'
import { parseJsonc } from '../config/jsonc.ts'
import { readProjectConfig } from '../config/project.ts'
import { type Stack, startStack } from '../runtime/stack/stack.ts'
import { openConfigFile, withoutSecrets } from './config-file.ts'
import { createSettingsEditor, SettingsDraft, type SettingValue, type ShownSettings } from './settings.ts'

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

type Entries = Readonly<Record<string, SettingValue | null>>
const values = (entries: Entries) => Object.entries(entries).map(([key, value]) => ({ path: key.split('.'), value }))

async function put(entries: Entries, secrets: Readonly<Record<string, string>> = {}) {
  const { body } = await ask('')
  return ask('', { method: 'PUT', body: JSON.stringify({ version: body.version, values: values(entries), secrets }) })
}
const configText = () => readFile(join(project.folder, 'supabase', 'config.toml'), 'utf8')

test('changes apply to supabase-js immediately and leave the rest of the file unchanged', async () => {
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

test('lists keys that need a restart and unset variables', async () => {
  expect(
    (await put({ 'storage.s3_protocol.enabled': false, 'auth.external.github.secret': 'env(GITHUB_SECRET)' })).body,
  ).toMatchObject({
    restart: ['storage.s3_protocol.enabled'],
    unset: ['GITHUB_SECRET'],
  })
})

test('URLs, rate limits and the SMTP server apply immediately', async () => {
  const target = async () => {
    const address = `${stack.url}/auth/v1/verify?type=signup&token=0&redirect_to=https://app.example/in`
    return (await fetch(address, { redirect: 'manual' })).headers.get('location')
  }
  await put({ 'auth.site_url': 'https://site.example' })
  expect(await target()).toMatch(/^https:\/\/site\.example\/?#/)
  await put({ 'auth.additional_redirect_urls': ['https://app.example/**'] })
  expect(await target()).toMatch(/^https:\/\/app\.example\/in#/)

  const received = Promise.withResolvers<string>()
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onAuth: (_login, _session, done) => done(null, { user: 'ada' }),
    onData: (stream, session, done) => {
      stream.resume()
      stream.on('end', () => {
        received.resolve(session.envelope.rcptTo.map(({ address }) => address).join())
        done()
      })
    },
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => new Promise((resolve) => server.close(() => resolve())))
  const { port } = server.server.address() as AddressInfo
  await put({ 'auth.email.smtp.enabled': true, 'auth.email.smtp.host': '127.0.0.1', 'auth.email.smtp.port': port })
  const client = createClient(stack.url, stack.identity.keys.publishable, { auth: { persistSession: false } })
  expect((await client.auth.signInWithOtp({ email: 'smtp@example.com' })).error).toBeNull()
  expect(await received.promise).toBe('smtp@example.com')

  await put({ 'auth.rate_limit.email_sent': 0 })
  const { error } = await client.auth.signInWithOtp({ email: 'more@example.com' })
  expect(error?.code).toBe('over_email_send_rate_limit')
  await put({ 'auth.rate_limit.email_sent': null, 'auth.email.smtp.enabled': false })
})

test('removing a key restores its default', async () => {
  await put({ 'auth.minimum_password_length': 14 })
  const { status } = await put({ 'auth.minimum_password_length': null })
  expect(status).toBe(200)
  expect(await configText()).not.toContain('minimum_password_length')
  const { body } = await ask('')
  const shown = (body as ShownSettings).groups.flatMap(({ parts }) => parts.flatMap(({ settings }) => settings))
  expect(shown.find(({ path }) => path.join('.') === 'auth.minimum_password_length')).toMatchObject({
    value: null,
    fallback: 6,
  })
  expect(shown.find(({ path }) => path.join('.') === 'api.max_rows')).toMatchObject({ value: 7, fallback: 1000 })
})

test('stores a secret next to config.toml with mode 600 and never returns it', async () => {
  const name = 'auth.external.gitlab.secret'
  const written = await put({ [name]: 'env(GITLAB_SECRET)' }, { GITLAB_SECRET: 'first $value' })
  expect(written).toMatchObject({ status: 200, body: { unset: [], overridden: [] } })
  const second = await put({}, { GITLAB_SECRET: "it's second", OTHER: 'x' })
  expect(second.status).toBe(200)
  const file = join(project.folder, 'supabase', '.env.local')
  expect(await readFile(file, 'utf8')).toBe(`GITLAB_SECRET="it's second"\nOTHER='x'\n`)
  expect((await stat(file)).mode & 0o777).toBe(0o600)
  expect(JSON.stringify([written, second, await ask('')])).not.toMatch(/first \$value|it's second/)
  expect((await put({}, { OTHER: "a'b\\n" })).body.message).toContain('cannot hold the value of OTHER')
  expect((await put({}, { 'NOT A NAME': 'x' })).status).toBe(400)
})

test("doesn't write a secret where git would track it", async () => {
  const { own, folder, editor } = await openProject({ 'config.toml': 'project_id = "a"\n' })
  execFileSync('git', ['init', '-q'], { cwd: own.folder })
  const { version } = await editor.list()
  const write = () => editor.write({ version, values: [], secrets: { TOKEN: 'x' } })
  await expect(write()).rejects.toThrow('git would commit supabase/.env.local')
  expect(await readdir(folder)).not.toContain('.env.local')
  await own.write('.gitignore', '.env.local\n')
  // A dangling link is replaced, not followed out of the project.
  const elsewhere = await makeProject({})
  onTestFinished(() => elsewhere.remove())
  await symlink(join(elsewhere.folder, 'not-there'), join(folder, '.env.local'))
  await write()
  expect(await readFile(join(folder, '.env.local'), 'utf8')).toBe("TOKEN='x'\n")
  expect(await readdir(elsewhere.folder)).not.toContain('not-there')

  const text = 'KEY="first\nTOKEN=within\nlast"\n'
  await writeFile(join(folder, '.env.local'), text)
  await expect(write()).rejects.toThrow('cannot hold the value of TOKEN')
  expect(await readFile(join(folder, '.env.local'), 'utf8')).toBe(text)
})

test('hides secrets of the file in settings and diffs, and shows env(NAME)', async () => {
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
  ['an invalid value', { 'auth.email.max_frequency': 'soon' }, 'must be a duration'],
  ['a literal secret', { 'auth.email.smtp.pass': 'hunter3' }, 'env(NAME)'],
  ['a key that is not editable', { 'auth.jwt_secret': 'x' }, 'cannot be changed here'],
  ['a value of the wrong type', { 'auth.enable_signup': 'yes' }, 'must be true or false'],
])('rejects %s and writes nothing', async (_what, entries, message) => {
  const before = await configText()
  const { status, body } = await put(entries as unknown as Record<string, SettingValue>)
  expect([status, body.message]).toEqual([422, expect.stringContaining(message)])
  expect(await configText()).toBe(before)
})

test('rejects a concurrently changed file and a page of another origin', async () => {
  const body = JSON.stringify({ version: 'other', values: values({ 'api.max_rows': 1 }) })
  expect((await ask('', { method: 'PUT', body })).status).toBe(409)
  expect((await ask('', { method: 'PUT', body }, { 'sec-fetch-site': 'cross-site' })).status).toBe(401)
})

/** An editor for a separate project. */
async function openProject(files: Readonly<Record<string, string>>) {
  const own = await makeProject(files)
  onTestFinished(() => own.remove())
  const folder = join(own.folder, 'supabase')
  const settings = {
    read: (text: string) => readProjectConfig(own.folder, {}, { text }),
    apply: async () => undefined,
  }
  const editor = createSettingsEditor(settings, openConfigFile(folder), folder)
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
  return { own, folder, editor, write }
}

test("writes no variables that would change other settings, such as a mail template's path", () => {
  const accepts = (name: string) =>
    SettingsDraft.safeParse({ version: '', values: [], secrets: { [name]: 'x' } }).success
  for (const name of ['TOKEN', 'SUPABASE_AUTH_EXTERNAL_APPLE_SECRET', 'SUPABASE_AUTH_SMTP_PASS'])
    expect(accepts(name)).toBe(true)
  for (const name of ['SUPABASE_AUTH_EMAIL_TEMPLATE_INVITE_CONTENT_PATH', 'UNDOCK_HOST', 'A=B', 'A\nB'])
    expect(accepts(name)).toBe(false)
})

test("rejects a file it can't write, with the reason", async () => {
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
  expect((await write()).outcome).toContain('a link to a file outside of the project')

  const none = await openProject({ 'seed.sql': '' })
  expect((await none.write()).outcome).toContain('no supabase/config.toml')
})

test('changes a key under the old name that the file has', async () => {
  const { editor, folder } = await openProject({ 'config.toml': '[auth.email]\nenable_signup = false\n' })
  const { version, groups } = await editor.list()
  const shown = groups.flatMap(({ parts }) => parts.flatMap(({ settings }) => settings))
  expect(shown.find(({ path }) => path.join('.') === 'auth.email.enabled')?.value).toBe(false)
  await editor.write({ version, values: [{ path: ['auth', 'email', 'enabled'], value: true }] })
  expect(await readFile(join(folder, 'config.toml'), 'utf8')).toBe('[auth.email]\nenable_signup = true\n')
})

test('writing config.jsonc keeps its comments', async () => {
  const { folder, write } = await openProject({ 'config.jsonc': '{\n  // mine\n  "project_id": "a", // the id\n}\n' })
  expect((await write()).outcome).toBe('written')
  const text = await readFile(join(folder, 'config.jsonc'), 'utf8')
  expect(text).toContain('// mine\n  "project_id": "a", // the id')
  expect(parseJsonc(text)).toEqual({ project_id: 'a', api: { max_rows: 5 } })
})

test('hides secrets of ignored tables', () =>
  expect(withoutSecrets('[Edge_Runtime.Secrets]\nword = "hush"\n', 'supabase/config.toml')).not.toContain('hush'))

test('writes through a link within the project and leaves no temporary file', async () => {
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
