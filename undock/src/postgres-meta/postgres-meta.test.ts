import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { loadConfig } from '../config/load.ts'
import { createIdentity } from '../identity/create-identity.ts'
import type { Identity } from '../identity/identity.ts'
import { type Service, systemClock } from '../kernel/service.ts'
import { AS_TESTED, fetchedModules } from '../platform/fetched-package.ts'
import { createPostgresMeta } from './index.ts'

// tests/acceptance/postgres-meta.test.ts downloads and uses the package itself. Here, a small replacement shows what reaches it and
// ends on request.
const SMALL = `
  export const build = () => ({
    async inject({ method, url, headers, payload }) {
      if (url === '/crash') process.exit(1)
      const sent = JSON.stringify({ method, url, headers, payload: payload?.toString(), env: Object.keys(process.env) })
      return {
        statusCode: 201,
        headers: { 'content-type': 'application/json', 'access-control-allow-origin': 'https://else.where' },
        rawPayload: Buffer.from(url === '/empty' ? '' : sent),
      }
    },
  })`

let folder: string
let identity: Identity
let meta: Service
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'undock-meta-'))
  vi.stubEnv('UNDOCK_CACHE_DIR', folder)
  const fetched = join(fetchedModules('@supabase/postgres-meta@0.99.0', [AS_TESTED]), '@supabase/postgres-meta')
  await mkdir(join(fetched, 'dist/server'), { recursive: true })
  await writeFile(join(fetched, 'dist/server/app.js'), SMALL)
  await writeFile(join(fetched, 'package.json'), '{ "type": "module" }')
  const { config } = loadConfig({ toml: '', file: 'config.toml', env: {}, folder })
  identity = await createIdentity({ config: config.auth, clock: systemClock })
  meta = create()
})
beforeEach(() => {
  vi.stubEnv('UNDOCK_CACHE_DIR', folder)
})
afterEach(() => {
  vi.unstubAllEnvs()
})
afterAll(async () => {
  await meta.close()
  await rm(folder, { recursive: true })
})

const create = () => {
  const log = { info: () => undefined, warn: () => undefined, error: () => undefined }
  return createPostgresMeta({ identity, dbUrl: 'postgresql://postgres@127.0.0.1:1/postgres', log })
}
const ask = (path: string, { apikey, headers, ...init }: RequestInit & { apikey?: string } = {}, service = meta) =>
  service.handle(
    new Request(`http://127.0.0.1:54321/pg${path}`, { ...init, headers: { ...headers, ...(apikey && { apikey }) } }),
    { requestId: 'test', address: '127.0.0.1' },
  )

test.each([
  ['no key', () => undefined, 401, 'The secret key of the project is missing'],
  ['another key', () => 'sb_secret_guessed', 401, 'The key or token is invalid'],
  ['the publishable key', () => identity.keys.publishable, 403, 'Only the secret key of the project may use /pg'],
  ['the anon key', () => identity.keys.anon, 403, 'Only the secret key of the project may use /pg'],
])('rejects %s', async (_name, apikey, status, error) => {
  const response = await ask('/tables', { apikey: apikey() ?? '' })
  expect([response.status, await response.json()]).toEqual([status, { error }])
})

test("without npm or a network, the error says that it couldn't be downloaded", async () => {
  vi.stubEnv('UNDOCK_CACHE_DIR', join(folder, 'empty'))
  vi.stubEnv('PATH', '')
  const response = await ask('/tables', { apikey: identity.keys.secret }, create())
  expect([response.status, (await response.json()).error]).toEqual([
    503,
    expect.stringContaining('npm could not fetch @supabase/postgres-meta@0.99.0'),
  ])
})

test("requests reach the package without the client's credentials and connection headers", async () => {
  const response = await ask('/query?queryTimeoutSecs=1', {
    method: 'POST',
    apikey: identity.keys.serviceRole,
    headers: {
      'content-type': 'application/json',
      'x-pg-application-name': 'console',
      'x-connection-encrypted': 'elsewhere',
      pg: 'postgresql://elsewhere',
    },
    body: '{"query":"select 1"}',
  })
  expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([201, null])
  const { env, ...sent } = await response.json()
  expect(sent).toEqual({
    method: 'POST',
    url: '/query?queryTimeoutSecs=1',
    headers: { 'content-type': 'application/json', 'x-pg-application-name': 'console' },
    payload: '{"query":"select 1"}',
  })
  expect(env).toEqual(expect.arrayContaining(['PG_META_DB_URL']))
  expect(env).not.toContain('PATH')
})

test('rejects a body beyond its limit', async () => {
  const body = 'x'.repeat(3 * 1024 * 1024 + 1)
  const response = await ask('/query', { method: 'POST', apikey: identity.keys.secret, body })
  expect([response.status, await response.json()]).toEqual([
    413,
    { error: 'The request body is longer than 3145728 bytes' },
  ])
})

test('an empty response has no body', async () => {
  const response = await ask('/empty', { apikey: identity.keys.secret })
  expect([response.status, response.body]).toEqual([201, null])
})

test('responds with 502 after its process ended, then starts a new one', async () => {
  const ended = await ask('/crash', { apikey: identity.keys.secret })
  expect([ended.status, (await ended.json()).error]).toEqual([502, expect.stringContaining('postgres-meta ended')])
  expect((await ask('/tables', { apikey: identity.keys.secret })).status).toBe(201)
})
