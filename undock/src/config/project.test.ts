import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { ConfigError, renderFault } from './fault.ts'
import { readProjectConfig } from './project.ts'

const SIGNING_KEY = {
  ...generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' }),
  alg: 'ES256',
  kid: 'one',
}

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'undock-config-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

function write(files: Record<string, string>) {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), content)
  }
}

test('an empty folder is a project with defaults, named after the folder', () => {
  const { config, settings, warnings } = readProjectConfig(folder, {})
  expect(config.project_id).toBe(basename(folder))
  expect(settings).toEqual({
    engine: 'auto',
    database_url: undefined,
    durable: false,
    host: '127.0.0.1',
    allowed_origins: [],
    branches: 'manual',
    missing_extensions: 'error',
    explain: false,
    realtime: { private_only: false },
    import: { anonymize: [], keep: [] },
    serve: {
      port: 8_000,
      admin_port: 9_000,
      workers: 0,
      trusted_proxies: [],
      drain_delay: 5,
      drain_limit: 30,
      bus: 'postgres',
      s3: { region: 'us-east-1', prefix: '', force_path_style: true },
      s3_protocol: { region: 'local' },
    },
    timeline: { enabled: true, requests: 1_000, bodies: false, otlp: undefined },
    limits: {
      statement_timeout: 60,
      rest_body: 100 * 2 ** 20,
      functions_body: 100 * 2 ** 20,
    },
  })
  expect(warnings).toEqual([])
})

test('the highest-priority env file wins, and the process environment over all files', () => {
  const reference = '$' + '{A}'
  write({
    'supabase/config.toml':
      '[edge_runtime.secrets]\na = "env(A)"\nb = "env(B)"\nc = "env(C)"\nd = "env(D)"\ne = "env(E)"',
    'supabase/.env.local': 'B=supabase-local\n',
    'supabase/.env': `A=supabase
B=supabase
C=supabase
export D="${reference} and \\${reference}"
E='${reference}'
`,
    '.env.local': 'A=root\nF=root-local # comment\n',
    '.env': 'F=root\n',
  })
  const { config, env } = readProjectConfig(folder, { C: 'process' })
  expect(config.edge_runtime.secrets).toEqual({
    A: 'supabase',
    B: 'supabase-local',
    C: 'process',
    D: `supabase and ${reference}`,
    E: reference,
  })
  expect(env.F).toBe('root-local')
})

test("tests don't read .env.local", () => {
  write({ '.env.local': 'A=local', '.env.test': 'A=test' })
  expect(readProjectConfig(folder, { SUPABASE_ENV: 'test' }).env.A).toBe('test')
})

test('finds mail templates, signing keys and import maps where the CLI does', () => {
  write({
    'supabase/config.toml': `[auth]
signing_keys_path = "./keys.json"
[auth.email.template.invite]
subject = "Come in"
content_path = "./supabase/templates/invite.html"
[auth.email.notification.password_changed]
enabled = true
content_path = "./templates/changed.html"
[functions.hello]
`,
    'supabase/keys.json': JSON.stringify([SIGNING_KEY]),
    'supabase/templates/invite.html': '<p>{{ .ConfirmationURL }}</p>',
    'supabase/templates/changed.html': '<p>changed</p>',
    'supabase/functions/hello/deno.json': '{}',
  })
  const { config } = readProjectConfig(folder, {})
  expect(config.auth.signing_keys).toEqual([SIGNING_KEY])
  expect(config.auth.email.template.invite).toEqual({
    subject: 'Come in',
    content: '<p>{{ .ConfirmationURL }}</p>',
    content_path: join(folder, 'supabase/templates/invite.html'),
  })
  expect(config.auth.email.notification.password_changed?.content).toBe('<p>changed</p>')
  expect(config.functions.hello?.import_map).toBe(join(folder, 'supabase/functions/hello/deno.json'))
})

test('rejects keys unsuitable for their purpose', () => {
  const { d: _secret, ...verifying } = SIGNING_KEY
  const keysFault = (...keys: unknown[]): unknown => {
    write({
      'supabase/config.toml': '[auth]\nsigning_keys_path = "./keys.json"',
      'supabase/keys.json': JSON.stringify(keys),
    })
    try {
      return readProjectConfig(folder, {}).config.auth.signing_keys.length
    } catch (error) {
      return (error as ConfigError).message
    }
  }
  expect(keysFault(verifying)).toMatch(
    /signing_keys_path names a list whose key 1 is not a private key; .*gen signing-key/,
  )
  expect(keysFault(SIGNING_KEY, verifying)).toBe(2)
  expect(keysFault(SIGNING_KEY, { ...verifying, x: 'AAAA' })).toMatch('key 2 is not a public key')
  const made = (pair: { privateKey: KeyObject }) => pair.privateKey.export({ format: 'jwk' })
  const rsa = (modulusLength: number) => made(generateKeyPairSync('rsa', { modulusLength }))
  expect(keysFault({ ...SIGNING_KEY, alg: 'RS256' })).toMatch('key 1 is not a key for RS256; ')
  expect(keysFault({ ...rsa(2048), alg: 'ES256' })).toMatch('key 1 is not a key for ES256; ')
  expect(keysFault(rsa(1024))).toMatch('key 1 is not a key for RS256, which needs 2048 bits; ')
  expect(keysFault(made(generateKeyPairSync('ec', { namedCurve: 'P-384' })))).toMatch('which needs the curve P-256; ')
  expect(keysFault(SIGNING_KEY, rsa(2048))).toBe(2)
})

test('rejects an invalid certificate', () => {
  write({
    'supabase/config.toml': '[api.tls]\nenabled = true\ncert_path = "./c.pem"\nkey_path = "./k.pem"',
    'supabase/c.pem': 'no certificate',
    'supabase/k.pem': 'no key',
  })
  expect(() => readProjectConfig(folder, {})).toThrow('config.toml:3: api.tls.cert_path and key_path name files that')
})

test('reports the errors of both files together', () => {
  write({
    'supabase/config.toml': 'projekt_id = "x"\n[api]\nport = 0',
    'supabase/undock.toml': 'engine = "sqlite"\n[limits]\nstatement_timeout = "soon"',
  })
  expect(() => readProjectConfig(folder, {})).toThrow(
    new ConfigError([
      { file: 'supabase/config.toml', line: 3, key: 'api.port', message: 'is required' },
      {
        file: 'supabase/config.toml',
        line: 1,
        key: 'projekt_id',
        message: 'is not a known key; did you mean project_id?',
      },
      {
        file: 'supabase/undock.toml',
        line: 1,
        key: 'engine',
        message: 'must be one of "auto", "native", "pglite", not "sqlite"',
      },
      {
        file: 'supabase/undock.toml',
        line: 3,
        key: 'limits.statement_timeout',
        message: 'must be a duration with a unit, such as "30s", "5m" or "24h", not "soon"',
      },
    ]),
  )
})

test('reads the external Postgres URL from the file or the environment', () => {
  write({ 'supabase/undock.toml': 'database_url = "env(DB)"' })
  expect(readProjectConfig(folder, { DB: 'postgresql://h/d' }).settings.database_url).toBe('postgresql://h/d')
  expect(() => readProjectConfig(folder, { DB: 'mysql://h/d' })).toThrow('supabase/undock.toml:1: database_url')
  write({ 'supabase/undock.toml': '' })
  expect(readProjectConfig(folder, { UNDOCK_DATABASE_URL: 'postgres://e/d' }).settings.database_url).toBe(
    'postgres://e/d',
  )
})

test("branches follow git only with undock's own database", () => {
  write({ 'supabase/undock.toml': 'branches = "git"' })
  expect(readProjectConfig(folder, {}).settings.branches).toBe('git')
  expect(() => readProjectConfig(folder, { UNDOCK_DATABASE_URL: 'postgres://e/d' })).toThrow(
    'undock cannot copy a database of another server',
  )
})

test('reads config.json like config.toml, with comments and error positions', () => {
  write({
    'supabase/config.json': `{
      "$schema": "https://example.org/schema.json",
      // for a start
      "project_id": "json", /* both
      lines */ "api": { "schemas": ["public", "api",], "max_rows": 5, "auto_expose_new_tables": true },
      "auth": { "site_url": "env(SITE)" },
    }`,
  })
  const { config, warnings } = readProjectConfig(folder, { SITE: 'http://localhost:1', SUPABASE_API_MAX_ROWS: '6' })
  expect(warnings).toEqual([])
  expect(config).toMatchObject({
    project_id: 'json',
    api: { schemas: ['public', 'api'], max_rows: 6 },
    auth: { site_url: 'http://localhost:1' },
  })
  const faults = (text: string) => {
    write({ 'supabase/config.json': text })
    try {
      readProjectConfig(folder, {})
    } catch (error) {
      if (error instanceof ConfigError) return error.message
    }
    return null
  }
  expect(faults('{\n  "api": {\n    "port": "x"\n  }\n}')).toBe(
    'supabase/config.json:3: api.port must be a whole number, from 0 to 65535, not "x"',
  )
  expect(faults('{\n  "api": 1\n  "db": 2 }')).toBe('supabase/config.json:3:3: Comma expected')
  expect(faults('{ "__proto__": { "polluted": true } }')).toBeNull()
  expect(faults('')).toBe('supabase/config.json:1:1: Value expected')
})

test('prefers JSON to TOML and rejects two JSON files', () => {
  write({ 'supabase/config.toml': 'project_id = "toml"', 'supabase/config.jsonc': '{ "project_id": "jsonc" } // one' })
  const { config, warnings } = readProjectConfig(folder, {})
  expect([config.project_id, ...warnings.map(renderFault)]).toEqual([
    'jsonc',
    'supabase/config.toml: is ignored, because supabase/config.jsonc takes precedence',
  ])
  write({ 'supabase/config.jsonc': '{ "api": }' })
  expect(() => readProjectConfig(folder, {})).toThrow('supabase/config.jsonc:1:10: Value expected')
  write({ 'supabase/config.json': '{}' })
  expect(() => readProjectConfig(folder, {})).toThrow('supabase/config.json: and supabase/config.jsonc both exist')
})
