import { expect, test } from 'vitest'
import { ConfigError, renderFault } from './fault.ts'
import { loadConfig } from './load.ts'

const load = (toml: string, env: Record<string, string> = {}) =>
  loadConfig({ toml, env, file: 'supabase/config.toml', folder: '/project/supabase' })

const faultsOf = (toml: string, env: Record<string, string> = {}): string[] => {
  try {
    load(toml, env)
  } catch (error) {
    if (error instanceof ConfigError) return error.faults.map(renderFault)
    throw error
  }
  return []
}

test('a project without a file has the defaults of supabase start', () => {
  const { config, warnings } = load('')
  expect(warnings).toEqual([])
  expect(config).toMatchObject({
    project_id: 'project',
    api: { port: 54321, external_url: 'http://127.0.0.1:54321', schemas: ['public', 'graphql_public'], max_rows: 1000 },
    db: { port: 54322, health_timeout: 120, seed: { sql_paths: ['/project/supabase/seed.sql'] } },
    studio: { port: 54323, api_url: 'http://127.0.0.1:54321' },
    local_smtp: { port: 54324, smtp_port: 0, admin_email: 'admin@email.com' },
    storage: { file_size_limit: 52_428_800, s3_protocol: { enabled: true } },
    auth: {
      site_url: 'http://127.0.0.1:3000',
      external_url: 'http://127.0.0.1:54321/auth/v1',
      jwt_issuer: 'http://127.0.0.1:54321/auth/v1',
      jwt_secret: 'super-secret-jwt-token-with-at-least-32-characters-long',
      signing_keys: [],
      email: { max_frequency: 1, otp_expiry: 3600, template: {} },
      mfa: { phone: { max_frequency: 5, template: 'Your code is {{ .Code }}' } },
      sessions: { timebox: 0, inactivity_timeout: 0 },
    },
    analytics: { backend: 'postgres' },
    functions: {},
  })
  expect(config.auth.email.smtp).toBeUndefined()
  expect(config.storage.image_transformation).toBeUndefined()
})

test('the config is deeply frozen', () => {
  const { config } = load('[auth.external.github]\nclient_id = "x"')
  expect(Object.isFrozen(config.auth.external.github)).toBe(true)
  expect(Object.isFrozen(config.api.schemas)).toBe(true)
})

test('ignores keys in another case with a warning, and keeps the case of names that a project chooses', () => {
  const { config, warnings } = load(
    '[API]\nPort = 1\n[auth.external.GitHub]\nclient_id = "id"\n[functions.helloWorld]\n',
  )
  expect(config.api.port).toBe(54321)
  expect(warnings.map(renderFault)).toContainEqual(expect.stringContaining('API is not a known key; did you mean api?'))
  expect(config.auth.external.github?.client_id).toBe('id')
  expect(config.functions.helloWorld?.verify_jwt).toBe(true)
})

test('reads every kind of table whose name the project chooses', () => {
  const { config } = load(`
[functions.hello-world]
verify_jwt = false
import_map = "./functions/import_map.json"
static_files = ["./functions/hello-world/*.html"]
[storage.buckets.images]
public = true
allowed_mime_types = ["image/png"]
[storage.buckets.small]
file_size_limit = "1MiB"
objects_path = "./files"
[storage.vector.buckets.documents]
[auth.external.azure]
enabled = true
client_id = "id"
secret = "secret"
[auth.sms]
enabled = true
[auth.sms.test_otp]
4152127777 = "123456"
4152127778 = 654321
[auth.hook.custom_access_token]
enabled = true
uri = "pg-functions://postgres/public/hook"
[edge_runtime.secrets]
my_key = "value"
[db.vault]
stripe = "sk"
[auth.email.smtp]
host = "smtp.example.com"
port = 587
user = "u"
pass = "p"
admin_email = "a@example.com"
`)
  expect(config.functions).toEqual({
    'hello-world': {
      enabled: true,
      verify_jwt: false,
      import_map: '/project/supabase/functions/import_map.json',
      entrypoint: '/project/supabase/functions/hello-world/index.ts',
      static_files: ['/project/supabase/functions/hello-world/*.html'],
      env: {},
    },
  })
  expect(config.storage.buckets).toEqual({
    images: { public: true, file_size_limit: 52_428_800, allowed_mime_types: ['image/png'], objects_path: '' },
    small: {
      public: false,
      file_size_limit: 1_048_576,
      allowed_mime_types: [],
      objects_path: '/project/supabase/files',
    },
  })
  expect(config.storage.vector.buckets).toEqual({ documents: {} })
  expect(config.auth.external.azure).toMatchObject({ enabled: true, skip_nonce_check: false, redirect_uri: '' })
  expect(config.auth.sms).toMatchObject({
    enabled: true,
    test_otp: { '4152127777': '123456', '4152127778': '654321' },
  })
  expect(config.edge_runtime.secrets).toEqual({ MY_KEY: 'value' })
  expect(config.db.vault).toEqual({ stripe: 'sk' })
  expect(config.auth.email.smtp).toMatchObject({ enabled: true, port: 587 })
})

test('resolves env(NAME) before parsing its type', () => {
  const { config, warnings } = load(
    `[api]
port = "env(PORT)"
[auth]
enable_signup = "env(SIGNUP)"
additional_redirect_urls = ["http://a", "env(CALLBACK)"]
[auth.external.github]
enabled = true
client_id = "env(GITHUB_ID)"
secret = "env(GITHUB_SECRET)"
[auth.external.gitlab]
enabled = false
secret = "env(GITLAB_SECRET)"
[studio]
openai_api_key = "env(OPENAI_API_KEY)"`,
    { PORT: '6000', SIGNUP: 'false', CALLBACK: 'http://b', GITHUB_ID: 'id', GITHUB_SECRET: '' },
  )
  expect(config.api).toMatchObject({ port: 6000, external_url: 'http://127.0.0.1:6000' })
  expect(config.auth).toMatchObject({ enable_signup: false, additional_redirect_urls: ['http://a', 'http://b'] })
  expect(config.auth.external.github).toMatchObject({ client_id: 'id', secret: 'env(GITHUB_SECRET)' })
  expect(warnings.map(renderFault)).toEqual([
    'supabase/config.toml:9: auth.external.github.secret stays "env(GITHUB_SECRET)": the variable GITHUB_SECRET is not set',
  ])
})

test('SUPABASE_ variables override the file and values derived from it', () => {
  const { config } = load('[api]\nport = 1\n[auth.external.github]\nclient_id = "x"', {
    SUPABASE_API_PORT: '6001',
    SUPABASE_AUTH_ADDITIONAL_REDIRECT_URLS: 'http://a,http://b',
    SUPABASE_AUTH_EXTERNAL_GITHUB_SECRET: 'from-env',
    SUPABASE_AUTH_EMAIL_SMTP_HOST: 'creates no table',
    SUPABASE_URL: 'is not a key',
  })
  expect(config.api).toMatchObject({ port: 6001, external_url: 'http://127.0.0.1:6001' })
  expect(config.auth.additional_redirect_urls).toEqual(['http://a', 'http://b'])
  expect(config.auth.external.github).toMatchObject({ client_id: 'x', secret: 'from-env' })
  expect(config.auth.email.smtp).toBeUndefined()
})

test('lists every error with its line', () => {
  expect(
    faultsOf(
      `project_id = "x"
[api]
port = "http"
max_row = 5
[auth]
site_urll = "x"
jwt_expiry = -1
password_requirements = "strong"
[auth.email]
max_frequency = "5 minutes"
[storage]
file_size_limit = "big"
[functions]
verify_jwt = false
[functions.hello]
verify = true
[no_such_table]
[realtime]
enabled = "maybe"
`,
      { SUPABASE_DB_PORT: '99999' },
    ).sort(),
  ).toEqual(
    [
      'supabase/config.toml:3: api.port must be a whole number, from 0 to 65535, not "http"',
      'supabase/config.toml:4: api.max_row is not a known key; did you mean max_rows?',
      'supabase/config.toml: db.port must be a whole number, from 0 to 65535, not "99999" (from the variable SUPABASE_DB_PORT)',
      'supabase/config.toml:6: auth.site_urll is not a known key; did you mean site_url?',
      'supabase/config.toml:7: auth.jwt_expiry must be a whole number, not negative, not -1',
      'supabase/config.toml:8: auth.password_requirements must be one of "", "letters_digits", "lower_upper_letters_digits", "lower_upper_letters_digits_symbols", not "strong"',
      'supabase/config.toml:10: auth.email.max_frequency must be a duration with a unit, such as "30s", "5m" or "24h", not "5 minutes"',
      'supabase/config.toml:12: storage.file_size_limit must be a size such as "50MiB" or a number of bytes, not "big"',
      'supabase/config.toml:14: functions.verify_jwt must be a table',
      'supabase/config.toml:16: functions.hello.verify is not a known key',
      'supabase/config.toml:17: no_such_table is not a known key',
      'supabase/config.toml:19: realtime.enabled must be true or false, not "maybe"',
    ].sort(),
  )
})

test.each([
  ['invalid TOML', 'a = \n', ['supabase/config.toml:1:5: ']],
  ['an unset variable for a number', '[api]\nport = "env(P)"', ['but the variable P is not set']],
  ['a port of zero', '[api]\nport = 0', ['api.port is required']],
  ['an unknown major version', '[db]\nmajor_version = 12', ['db.major_version must be one of 14, 15, 17, 18']],
  ['a version hosted projects no longer support', '[db]\nmajor_version = 13', ['db.major_version must be one of 14']],
  ['a function outside its folder', '[functions."../../etc"]', ['functions."../../etc" needs a name']],
  [
    'a provider without its secret',
    '[auth.external.github]\nenabled = true\nclient_id = "x"',
    ['github.secret is required'],
  ],
  [
    'an enabled SMTP server without a host',
    '[auth.email.smtp]\nport = 25',
    ['smtp.host', 'smtp.user', 'smtp.pass', 'admin_email'],
  ],
  ['an invalid hook URL', '[auth.hook.send_sms]\nenabled = true\nuri = "x"', ['must begin with http:, https:']],
  ['a weak hook secret', '[auth.hook.send_sms]\nenabled = true\nuri = "http://x"\nsecrets = "s"', ['v1,whsec_']],
  ['enrolment without verification', '[auth.mfa.totp]\nenroll_enabled = true', ['also needs verify_enabled']],
  ['passkeys without a relying party', '[auth.passkey]\nenabled = true', ['auth.webauthn is required']],
  ['a short secret', '[auth]\njwt_secret = "short"', ['auth.jwt_secret must have at least 16']],
  [
    'two third parties',
    '[auth.third_party]\nfirebase = {enabled = true, project_id = "x"}\nauth0 = {enabled = true, tenant = "x"}',
    ['enable only one'],
  ],
  [
    'a missing template',
    '[auth.email.template.invite]\ncontent_path = "./no.html"',
    ['invite.content_path names a file'],
  ],
  ['an inline template', '[auth.email.template.invite]\ncontent = "x"', ['name a file in content_path']],
  [
    'a duplicate remote',
    `[remotes.a]\nproject_id = "${'a'.repeat(20)}"\n[remotes.b]\nproject_id = "${'a'.repeat(20)}"`,
    ['is also that of remotes.a'],
  ],
  ['disabled webhooks', '[experimental.webhooks]\nenabled = false', ['cannot be turned off']],
])('rejects %s', (_name, toml, parts) => {
  const faults = faultsOf(toml)
  expect(faults).toHaveLength(parts.length)
  for (const [index, part] of parts.entries()) expect(faults[index]).toContain(part)
})

test.each([
  [
    'an older Postgres',
    '[db]\nmajor_version = 14',
    'db.major_version is read as 15, the oldest PostgreSQL that undock and hosted projects offer',
  ],
  ['a bare number for a duration', '[auth.email]\nmax_frequency = 60', 'did you mean "60s"?'],
  ['a retired provider', '[auth.external.slack]\nenabled = true', 'use auth.external.slack_oidc'],
  ['phone sign-in without a provider', '[auth.sms]\nenabled = true', 'auth.sms.enabled stays off'],
  ['a name Docker would reject', 'project_id = "my project"', 'project_id becomes "my_project"'],
  [
    'Supabase Compute',
    '[compute.worker]\nruntime = "node"',
    'compute does not run here: Supabase Compute is hosted only',
  ],
  ['POP3', '[local_smtp]\npop3_port = 54326', 'local_smtp.pop3_port has no effect: read emails on the inbox page'],
])('warns about %s', (_name, toml, message) => {
  const warnings = load(toml).warnings.map(renderFault)
  expect(warnings).toHaveLength(1)
  expect(warnings[0]).toContain(message)
})

test.each([
  ['[storage.buckets.docs]\npublc = true', 'storage.buckets.docs.publc is not a known key; did you mean public?'],
  ['[functions.hello]\nverify_jw = true', 'functions.hello.verify_jw is not a known key; did you mean verify_jwt?'],
  [
    '[auth.email.template.invite]\nsubjct = "x"',
    'auth.email.template.invite.subjct is not a known key; did you mean subject?',
  ],
  [
    '[auth.external.github]\nclientid = "x"',
    'auth.external.github.clientid is not a known key; did you mean client_id?',
  ],
])('ignores an unknown key with a warning, and suggests the closest one: %s', (toml, message) => {
  expect(load(toml).warnings.map(renderFault).join('\n')).toContain(message)
})

test('treats property names of Object.prototype as ordinary names', () => {
  const { config } = load('[functions.constructor]\nverify_jwt = false\n[edge_runtime.secrets]\ntoString = "x"')
  expect(config.functions.constructor).toMatchObject({ verify_jwt: false })
  expect(config.edge_runtime.secrets).toEqual({ TOSTRING: 'x' })
})

test('accepts old names of keys, also in variables, with a warning', () => {
  const { config, warnings } = load('[inbucket]\nport = 5000\n[auth.email]\nenable_signup = false')
  expect([config.local_smtp.port, config.auth.email.enabled]).toEqual([5000, false])
  expect(warnings.map(renderFault)).toEqual(
    expect.arrayContaining([
      'supabase/config.toml:1: inbucket is the old name of local_smtp; version 3 of the CLI refuses it',
      'supabase/config.toml:4: auth.email.enable_signup is the old name of auth.email.enabled; version 4 of the CLI refuses it',
    ]),
  )
  expect(load('[auth.email]\nenable_signup = true\nenabled = false').config.auth.email.enabled).toBe(false)
  expect(load('', { SUPABASE_AUTH_EMAIL_ENABLE_SIGNUP: 'false' }).config.auth.email.enabled).toBe(false)
  expect(faultsOf('[api]\n[inbucket]\nport = "x"')).toEqual([
    expect.stringMatching(/^supabase\/config.toml:3: local_smtp.port/),
    expect.stringMatching(/^supabase\/config.toml:2: inbucket /),
  ])
})
