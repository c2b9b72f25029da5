import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startStack } from '../../runtime/stack/stack.ts'
import { type DeployedProject, openDeployedProject } from './project.ts'
import { createManagementApi, MANAGEMENT_ROUTES } from './routes.ts'

const REF = 'abcdefghijklmnopqrst'
let folder: string
let project: DeployedProject
let handle: (request: Request) => Promise<Response>
const told: string[] = []

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'undock-test-'))
  project = await openDeployedProject(folder, REF, (workdir) =>
    startStack({ workdir, env: {}, ports: 'free', exclude: ['functions', 'realtime', 'mail', 'mcp', 'pg'] }),
  )
  handle = createManagementApi({ project, poolerHost: '127.1', tell: (line) => void told.push(line) })
}, 60_000)
afterAll(async () => {
  await project.stop()
  await rm(folder, { recursive: true, force: true })
})

async function call(method: string, path: string, body?: unknown, token = project.deployed.token) {
  const response = await handle(
    new Request(`http://127.0.0.1${path}`, {
      method,
      headers: { authorization: `Bearer ${token}` },
      ...(body === undefined ? {} : { body: body instanceof FormData ? body : JSON.stringify(body) }),
    }),
  )
  return { status: response.status, body: await response.json() }
}
const at = (path: string) => `/v1/projects/${REF}${path}`

test('refuses other tokens, projects and routes with a message', async () => {
  expect(await call('GET', at(''), undefined, 'sbp_other')).toMatchObject({ status: 401 })
  expect(await call('GET', '/v1/projects/zzzzzzzzzzzzzzzzzzzz')).toMatchObject({ status: 404 })
  expect(await call('POST', at('/network-restrictions/apply'), {})).toEqual({
    status: 501,
    body: { message: `undock hosted does not support POST ${at('/network-restrictions/apply')}` },
  })
})

test('describes the project, its keys and its database', async () => {
  expect(await call('GET', '/v1/projects')).toMatchObject({
    status: 200,
    body: [{ id: REF, status: 'ACTIVE_HEALTHY' }],
  })
  const { body } = await call('GET', at('/api-keys?reveal=true'))
  expect(body.map(({ name, type }: Record<string, string>) => `${type} ${name}`)).toEqual([
    'legacy anon',
    'legacy service_role',
    'publishable default',
    'secret default',
  ])
  expect((await call('GET', at('/config/database/pooler'))).body).toMatchObject([
    { connection_string: 'postgresql://postgres:[YOUR-PASSWORD]@127.1:5432/postgres' },
  ])
  expect(await call('POST', at('/cli/login-role'), { read_only: false })).toMatchObject({
    status: 201,
    body: { role: 'postgres' },
  })
})

test('applies settings, and stores those without effect', async () => {
  const changes = {
    password_min_length: 10,
    disable_signup: true,
    sessions_timebox: 24,
    uri_allow_list: 'https://a.example, https://b.example',
    external_github_secret: 'shh',
    smtp_host: 'smtp.example',
    mailer_subjects_invite: 'Join us',
    mailer_notifications_password_changed_enabled: true,
  }
  const { status, body } = await call('PATCH', at('/config/auth'), changes)
  expect(status).toBe(200)
  expect(body).toMatchObject({
    ...changes,
    uri_allow_list: 'https://a.example,https://b.example',
    external_github_secret: expect.stringMatching(/^[0-9a-f]{64}$/),
  })
  const { auth } = project.stack.config
  expect(auth).toMatchObject({ minimum_password_length: 10, enable_signup: false, sessions: { timebox: 86_400 } })
  expect(told.join('\n')).toContain('no effect here: smtp_host')
  expect((await call('PATCH', at('/config/auth'), { password_min_length: null })).body.password_min_length).toBe(6)
  await call('PATCH', at('/config/storage'), { fileSizeLimit: 1000, features: { s3Protocol: { enabled: false } } })
  await call('PATCH', at('/postgrest'), { db_schema: 'public,api', max_rows: 5 })
  await call('PUT', at('/config/database/postgres'), { statement_timeout: '9s', restart_database: true })
  expect((await call('GET', `/v2/projects/${REF}/config`)).body.data.attributes).toMatchObject({
    api: { db_schema: 'public,api', max_rows: 5 },
    auth: { disable_signup: true },
    database: { postgres_settings: { statement_timeout: '9s' } },
    storage: { file_size_limit: 1000, features: { s3_protocol: { enabled: false } } },
  })
})

test('keeps what it had when settings or a secret cannot be used', async () => {
  expect(await call('PATCH', at('/postgrest'), { max_rows: 'many' })).toMatchObject({
    status: 400,
    body: { message: expect.stringContaining('api.max_rows') },
  })
  expect(project.stack.config.api.max_rows).toBe(5)
  expect(await call('PATCH', at('/config/auth'), { external_google_enabled: true })).toMatchObject({ status: 400 })
  expect(await call('POST', at('/secrets'), [{ name: 'SUPABASE_URL', value: 'x' }])).toMatchObject({ status: 400 })
})

test('lists secrets by their digest', async () => {
  const secrets = [{ name: 'KEY', value: '-----BEGIN-----\nit\'s "$x"\n' }]
  expect(await call('POST', at('/secrets'), secrets)).toMatchObject({ status: 201 })
  expect((await call('GET', at('/secrets'))).body).toEqual([{ name: 'KEY', value: expect.stringMatching(/^\w{64}$/) }])
  await call('DELETE', at('/secrets'), ['KEY'])
  expect((await call('GET', at('/secrets'))).body).toEqual([])
})

const METADATA = JSON.stringify({ entrypoint_path: 'supabase/functions/hello/index.ts', verify_jwt: false })

function upload(path: string, metadata = METADATA, ...others: string[]): FormData {
  const form = new FormData()
  form.set('metadata', metadata)
  for (const name of [path, ...others]) form.append('file', new File(['Deno.serve(() => new Response())'], name))
  return form
}

test('serves uploaded functions after the bulk update, and stores no file outside of the project', async () => {
  const deploy = at('/functions/deploy?slug=hello&bundleOnly=true')
  const { status, body } = await call('POST', deploy, upload('supabase/functions/hello/index.ts'))
  expect({ status, body }).toMatchObject({ status: 201, body: { slug: 'hello', version: 1, verify_jwt: false } })
  expect((await call('GET', at('/functions'))).body).toEqual([])
  expect(await call('PUT', at('/functions'), [body])).toMatchObject({ status: 200 })
  expect((await call('GET', at('/functions'))).body).toMatchObject([{ slug: 'hello', status: 'ACTIVE' }])
  expect(await call('POST', deploy, upload('../../outside.ts'))).toMatchObject({ status: 400 })
  expect(await call('DELETE', at('/functions/other'))).toMatchObject({ status: 404 })
  expect(await call('DELETE', at('/functions/hello'))).toMatchObject({ status: 200 })
})

test.each<[string, () => FormData | string, string]>([
  ['no form', () => '{}', 'not multipart/form-data'],
  ['metadata that is not JSON', () => upload('index.ts', '{oops'), 'not JSON'],
  ['no metadata', () => upload('index.ts', 'null'), 'expected object'],
  ['a folder instead of a file', () => upload('./'), 'cannot store'],
  ['a file inside of a file', () => upload('x', undefined, 'x/y'), 'cannot store'],
  ['a name that is too long', () => upload('x'.repeat(300)), 'cannot store'],
])('refuses an upload with %s', async (_name, body, reason) => {
  expect(await call('POST', at('/functions/deploy?slug=hello'), body())).toMatchObject({
    status: 400,
    body: { message: expect.stringContaining(reason) },
  })
})

test('refuses names that every object has, and settings that Postgres does not start with', async () => {
  expect(await call('DELETE', at('/functions/constructor'))).toMatchObject({ status: 404 })
  expect(await call('PUT', at('/functions'), [{ slug: 'constructor' }])).toMatchObject({ status: 404 })
  expect(await call('POST', at('/secrets'), [{ name: '__proto__', value: 'x' }])).toMatchObject({ status: 400 })
  expect(await call('PUT', at('/config/database/postgres'), { shared_buffers: 'lots' })).toMatchObject({
    status: 400,
    body: { message: expect.stringMatching(/does not start with these settings: .*shared_buffers/) },
  })
  expect((await call('GET', at('/config/database/postgres'))).body.shared_buffers).toBeUndefined()
})

test('runs SQL, and what only reads in a transaction that cannot write', async () => {
  const query = 'create table public.pages (id int); insert into public.pages values (1) returning id'
  expect(await call('POST', at('/database/query'), { query })).toEqual({ status: 201, body: [{ id: 1 }] })
  const read = at('/database/query/read-only')
  expect((await call('POST', read, { query: 'select id from public.pages' })).body).toEqual([{ id: 1 }])
  const writing = 'delete from public.pages'
  for (const query of [writing, `commit; ${writing}`, `rollback; begin; ${writing}; commit`, `reset role; ${writing}`])
    expect(await call('POST', read, { query })).toMatchObject({ status: 400 })
  expect((await call('POST', read, { query: 'select id from public.pages' })).body).toEqual([{ id: 1 }])
})

test('the documentation lists every route', async () => {
  const page = await readFile(new URL('../../../docs/compatibility/cli.md', import.meta.url), 'utf8')
  expect(Object.keys(MANAGEMENT_ROUTES).filter((route) => !page.includes(`\`${route}\``))).toEqual([])
})
