import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeFiles } from '../../testing/files.ts'
import { writeNewSecrets } from './secrets.ts'
import { readNodeSettings } from './settings.ts'

let folder: string
let complete: Record<string, string>

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'undock-node-'))
  await makeFiles(join(folder, 'supabase'), {
    'config.toml': `project_id = "shop"
[auth.email.smtp]
enabled = true
host = "mail.example"
port = 465
user = "mailer"
pass = "x"
admin_email = "admin@shop.example"`,
  })
  const lines = await writeNewSecrets(join(folder, 'secrets'))
  const secrets = lines.map((line): [string, string] => [line.split('=')[0] ?? '', line.split('=')[1] ?? ''])
  await writeFile(join(folder, 'url'), 'postgresql://owner:one-of-its-own@db.example/app\n')
  complete = {
    ...Object.fromEntries(secrets),
    UNDOCK_DATABASE_URL_FILE: join(folder, 'url'),
    UNDOCK_HOST: '0.0.0.0',
    SUPABASE_API_EXTERNAL_URL: 'https://api.shop.example',
    UNDOCK_SERVE_S3_BUCKET: 'files',
    UNDOCK_SERVE_S3_ACCESS_KEY_ID: 'key',
    UNDOCK_SERVE_S3_SECRET_ACCESS_KEY: 'secret',
  }
})
afterAll(() => rm(folder, { recursive: true, force: true }))

test('a node reads its settings from variables and the files they name', () => {
  const { databaseUrl, config, settings } = readNodeSettings(folder, complete)
  expect(databaseUrl).toBe('postgresql://owner:one-of-its-own@db.example/app')
  expect(config.auth.secret_key).toMatch(/^sb_secret_[\w-]{32}$/)
  expect(config.auth.signing_keys).toHaveLength(1)
  expect(config.storage.s3_protocol.enabled).toBe(true)
  const { UNDOCK_SERVE_S3_PROTOCOL_ACCESS_KEY_FILE, UNDOCK_SERVE_S3_PROTOCOL_SECRET_KEY_FILE, ...without } = complete
  // The default keys are the same in every local project.
  expect(readNodeSettings(folder, without).config.storage.s3_protocol.enabled).toBe(false)
  expect(settings.serve).toMatchObject({ port: 8000, drain_delay: 5 })
})

test('works with variables alone, including entries missing in config.toml', async () => {
  const bare = await mkdtemp(join(tmpdir(), 'undock-node-'))
  await makeFiles(join(bare, 'supabase'), { 'config.toml': 'project_id = "shop"\n[edge_runtime.secrets]\nknown = ""' })
  const { config } = readNodeSettings(bare, {
    ...complete,
    SUPABASE_AUTH_EMAIL_SMTP_HOST: 'mail.example',
    SUPABASE_AUTH_EMAIL_SMTP_PORT: '465',
    SUPABASE_AUTH_EMAIL_SMTP_USER: 'mailer',
    SUPABASE_AUTH_EMAIL_SMTP_PASS: 'x',
    SUPABASE_AUTH_EMAIL_SMTP_ADMIN_EMAIL: 'admin@shop.example',
    SUPABASE_EDGE_RUNTIME_SECRETS_KNOWN: 'one',
    SUPABASE_EDGE_RUNTIME_SECRETS_OF_THE_PLACE: 'two',
  })
  expect(config.auth.email.smtp).toMatchObject({ enabled: true, host: 'mail.example', port: 465 })
  expect(config.edge_runtime.secrets).toEqual({ KNOWN: 'one', OF_THE_PLACE: 'two' })
  await rm(bare, { recursive: true })
})

test('keeps existing secrets', async () => {
  const before = readNodeSettings(folder, complete).config.auth
  await writeNewSecrets(join(folder, 'secrets'))
  expect(readNodeSettings(folder, complete).config.auth).toEqual(before)
})

// biome-ignore format: a table
test.each([
  ['a missing database', { UNDOCK_DATABASE_URL_FILE: '' }, 'Set UNDOCK_DATABASE_URL'],
  ['a missing file', { UNDOCK_DATABASE_URL_FILE: '/nowhere' }, 'the file in UNDOCK_DATABASE_URL_FILE'],
  ['a known secret key', { SUPABASE_AUTH_SECRET_KEY: 'sb_secret_N7UND0UgjKTVK-Uodkm0Hg_xSvEMPvz' }, 'auth.secret_key is the public default of local projects'],
  ['a known JWT secret', { SUPABASE_AUTH_JWT_SECRET: 'super-secret-jwt-token-with-at-least-32-characters-long' }, 'auth.jwt_secret is the public default'],
  ['a weak secret', { SUPABASE_AUTH_JWT_SECRET: 'longer-than-16-but-weak' }, 'shorter than 32 characters'],
  ['a missing signing key', { SUPABASE_AUTH_SIGNING_KEYS_PATH: '' }, 'No signing key is set'],
  ['a public URL on localhost', { SUPABASE_API_EXTERNAL_URL: 'http://localhost:8000' }, 'Set SUPABASE_API_EXTERNAL_URL'],
  ['a missing SMTP server', { SUPABASE_AUTH_EMAIL_SMTP_ENABLED: 'false' }, "Auth can't send emails"],
  ['a default password', { UNDOCK_SERVE_POOLER_URL: 'postgresql://postgres:postgres@db.example/app' }, 'UNDOCK_SERVE_POOLER_URL is the public default'],
  ['a missing file store', { UNDOCK_SERVE_S3_BUCKET: '' }, 'Set UNDOCK_SERVE_S3_BUCKET,'],
  ['an invalid functions endpoint', { UNDOCK_SERVE_FUNCTIONS_ENDPOINT: 'functions:9000' }, 'serve.functions_endpoint must be the address'],
  ['a weak S3 key', { UNDOCK_SERVE_S3_PROTOCOL_SECRET_KEY: 'short' }, 'a secret key of at least 32 characters'],
  ['an invalid proxy range', { UNDOCK_SERVE_TRUSTED_PROXIES: '10.0.0.0/8,10.0.0.0/99' }, '"10.0.0.0/99" in serve.trusted_proxies'],
])('a node rejects %s', (_name, env, words) => {
  let message = ''
  try {
    readNodeSettings(folder, { ...complete, ...env })
  } catch (error) {
    message = String(error)
  }
  expect(message).toContain(words)
  expect(message).not.toContain('one-of-its-own')
})
