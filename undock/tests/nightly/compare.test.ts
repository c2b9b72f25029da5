import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeProject, type TestProject } from '../support/project.ts'
import { endRunning, undock } from '../support/undock.ts'

// `undock compare` against a fake Management API with upstream's field names (supabase/cli pkg/api/types.gen.go).

const REF = 'abcdefghijklmnopqrst'
let project: TestProject
let api: Server
let url: string
const asked: string[] = []

/** The platform's responses, which differ from the project below. */
const ANSWERS: Readonly<Record<string, unknown>> = {
  '': { ref: REF, database: { host: 'db.example', postgres_engine: '15', release_channel: 'ga', version: '15.8' } },
  '/postgrest': { db_schema: 'public, api', db_extra_search_path: 'public,extensions', db_pool: null, max_rows: 500 },
  '/config/auth': {
    site_url: 'https://app.example',
    uri_allow_list: 'https://b.example,https://a.example',
    jwt_exp: 3600,
    disable_signup: true,
    external_email_enabled: true,
    external_github_enabled: true,
    external_github_client_id: 'gh',
    external_google_enabled: false,
    external_google_client_id: null,
    mailer_autoconfirm: true,
    password_min_length: null,
    sessions_timebox: 24,
    hook_send_email_enabled: false,
  },
  '/config/storage': {
    fileSizeLimit: 52_428_800,
    features: { imageTransformation: { enabled: true }, s3Protocol: { enabled: true } },
  },
  '/functions': [{ slug: 'hello', verify_jwt: false }, { slug: 'gone' }],
  '/secrets': [
    { name: 'STRIPE', value: 'x' },
    { name: 'SUPABASE_URL', value: 'y' },
  ],
  '/api-keys': [
    { name: 'default', type: 'publishable' },
    { name: 'default', type: 'secret' },
  ],
}

/** @returns the rows for a comparison's query, by the table it reads */
function rowsFor(query: string): unknown {
  if (query.includes('pg_extension')) return [{ name: 'vector', value: 'in extensions' }]
  if (query.includes('storage.buckets')) return [{ name: 'avatars', value: 'public' }]
  if (query.includes('pg_policies'))
    return [{ name: 'public.notes: read', value: 'permissive for select to anon using true' }]
  if (query.includes('schema_migrations')) return [{ name: '20260101000000', value: 'applied' }]
  return [{ name: 'public.notes', value: 'on' }]
}

beforeAll(async () => {
  api = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    asked.push(`${request.method} ${request.url}`)
    const path = request.url?.replace(`/v1/projects/${REF}`, '') ?? ''
    response.setHeader('content-type', 'application/json')
    if (request.headers.authorization !== 'Bearer sbp_right') {
      response.statusCode = 401
      response.end('{"message":"Unauthorized"}')
    } else if (path === '/database/query/read-only') response.end(JSON.stringify(rowsFor(JSON.parse(body).query)))
    else if (path in ANSWERS) response.end(JSON.stringify(ANSWERS[path]))
    else {
      response.statusCode = 404
      response.end('{"message":"not here"}')
    }
  })
  await new Promise<void>((resolve) => api.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(api.address() as AddressInfo).port}`
  project = await makeProject({
    'config.toml': `project_id = "compared"
[api]
schemas = ["api", "public"]
[auth]
site_url = "http://localhost:3000"
additional_redirect_urls = ["https://a.example", "https://b.example"]
[auth.email]
enable_confirmations = true
[edge_runtime]
enabled = true
[storage.buckets.avatars]
public = true
`,
    '.temp/project-ref': REF,
    'functions/hello/index.ts': 'Deno.serve(() => new Response())',
    'functions/.env': 'MAIL=x\nSTRIPE=y',
    'migrations/20260101000000_notes.sql': `create table public.notes (id int);
      alter table public.notes enable row level security;
      create policy read on public.notes for select to anon using (id > 0);`,
    'migrations/20260102000000_more.sql': 'create schema api;',
  })
})
afterAll(async () => {
  await endRunning()
  api?.close()
  await project?.remove()
})

const compare = async (token: string, ...words: string[]) => {
  process.env.SUPABASE_ACCESS_TOKEN = token
  return undock(project, 'compare', '--linked', '--api', url, ...words)
}

test('lists the differences to the hosted project without writing to it', async () => {
  const { code, stdout, stderr } = await compare('sbp_right', '-o', 'json', '--exit-code')
  expect(stderr).toContain('Comparing policies')
  const found = new Map(
    JSON.parse(stdout).map((one: { name: string; here: string; hosted: string }) => [one.name, [one.here, one.hosted]]),
  )
  expect(Object.fromEntries(found)).toMatchObject({
    'db.major_version': ['17', '15'],
    'api.max_rows': ['1000', '500'],
    'auth.site_url': ['http://localhost:3000', 'https://app.example'],
    'auth.enable_signup': ['true', 'false'],
    'auth.email.enable_confirmations': ['true', 'false'],
    'auth.external.github.enabled': ['false', 'true'],
    'auth.sessions.timebox (hours)': ['0', '24'],
    'storage.image_transformation.enabled': ['false', 'true'],
    'legacy anon and service_role keys': ['there', null],
    hello: ['verifies tokens', 'does not verify tokens'],
    gone: [null, 'verifies tokens'],
    MAIL: ['there', null],
    vector: [null, 'in extensions'],
    'public.notes: read': ['permissive for select to anon using (id > 0)', 'permissive for select to anon using true'],
    '20260102000000': ['applied', null],
  })
  for (const same of ['api.schemas', 'auth.additional_redirect_urls', 'auth.jwt_expiry', 'STRIPE', '20260101000000'])
    expect(found.has(same), same).toBe(false)
  expect(code).toBe(1)
  const writes = asked.filter((one) => !one.startsWith('GET ') && !one.endsWith('/database/query/read-only'))
  expect(writes).toEqual([])
  expect((await compare('sbp_right')).code).toBe(0)
})

test('reports an invalid token, an unlinked project and a missing token with the next step', async () => {
  const refused = await compare('sbp_wrong')
  expect(refused).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('create another one with `npx supabase login`'),
  })
  const other = await compare('sbp_right', '--project-ref', 'short')
  expect(other).toMatchObject({ code: 2, stderr: expect.stringContaining('which has 20 lowercase letters') })
  expect(await compare('')).toMatchObject({ code: 2, stderr: expect.stringContaining('SUPABASE_ACCESS_TOKEN') })
})
