import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ConfigError } from './fault.ts'
import { loadConfig } from './load.ts'
import { loadSettings } from './settings.ts'

const RUNS = Number(process.env.FUZZ_RUNS ?? 2_000)

const VALID = [
  'project_id = "p"',
  '[api]',
  'port = 54321',
  'schemas = ["public", "api"]',
  'max_rows = 1000',
  '[db]',
  'major_version = 17',
  '[db.seed]',
  'sql_paths = ["./seed.sql"]',
  '[storage]',
  'file_size_limit = "50MiB"',
  '[storage.buckets.docs]',
  'allowed_mime_types = ["image/*"]',
  '[auth]',
  'site_url = "env(SITE)"',
  'jwt_expiry = 3600',
  'additional_redirect_urls = ["https://*.example.com/**"]',
  '[auth.email.template.invite]',
  'content_path = "./x.html"',
  '[auth.sms.test_otp]',
  '4152127777 = "123456"',
  '[auth.external.google]',
  'enabled = true',
  '[auth.hook.send_email]',
  'uri = "pg-functions://postgres/public/hook"',
  '[functions.hello]',
  'verify_jwt = false',
  '[edge_runtime.secrets]',
  'KEY = "env(KEY)"',
  '[remotes.production]',
]
const SETTINGS = [
  'engine = "native"',
  'allowed_origins = ["x"]',
  '[limits]',
  'rest_body = "1MiB"',
  'statement_timeout = "5s"',
]
const BITS = [
  ...[
    '[',
    ']',
    '[[',
    '"',
    "'",
    '"""',
    '=',
    '.',
    ',',
    '{',
    '}',
    '#',
    '\n',
    '\\',
    '\\u',
    '\\uD800',
    '\0',
    '\ufeff',
    'é',
    '𝄞',
  ],
  ...[
    '-1',
    '0',
    '1e999',
    '99999999999999999999',
    'true',
    'nan',
    'inf',
    '1979-05-27',
    '"50XiB"',
    '"5 fortnights"',
    'env(',
    '[]',
    '{}',
  ],
  ...[
    '__proto__',
    'constructor',
    'a.b.c',
    '[auth.external.__proto__]',
    '[functions."../x"]',
    '[functions.toString]',
    'x = { y = [1, { z = 2 }] }',
  ],
]

const textOf = (lines: readonly string[]) =>
  fc
    .array(fc.tuple(fc.constantFrom(...lines), fc.option(fc.constantFrom(...BITS), { freq: 2 }), fc.nat(40)), {
      maxLength: 25,
    })
    .map((parts) =>
      parts.map(([line, bit, at]) => (bit === null ? line : line.slice(0, at) + bit + line.slice(at))).join('\n'),
    )

test.each([
  ['config.toml', VALID, (toml: string) => loadConfig({ toml, file: 'config.toml', env: {}, folder: '/nowhere' })],
  ['undock.toml', SETTINGS, (toml: string) => loadSettings({ toml, file: 'undock.toml', env: {} })],
] as const)('reads any %s or rejects it with the position of the error', (file, lines, load) => {
  fc.assert(
    fc.property(textOf(lines), (toml) => {
      try {
        load(toml)
      } catch (error) {
        expect(error).toBeInstanceOf(ConfigError)
        expect((error as ConfigError).message).toContain(file)
      }
    }),
    { numRuns: RUNS },
  )
  expect(({} as { polluted?: unknown }).polluted).toBeUndefined()
})
