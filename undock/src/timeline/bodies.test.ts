import { expect, test } from 'vitest'
import { BODY_SIZE, collectBody, differencesOf, recordBody } from './bodies.ts'

const SECRET = 'Tr0ub4dor-and-3'
const TOKEN = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl'
const json = (service: string, value: unknown) =>
  recordBody({ service, type: 'application/json; charset=utf-8' }, JSON.stringify(value))

test.each([
  ['auth', { email: 'ada@example.org', password: SECRET }, ['password']],
  ['auth', { factor_id: 'f', code: SECRET }, ['code']],
  [
    'auth',
    { refresh_token: SECRET, gotrue_meta_security: { captcha_token: SECRET } },
    ['refresh_token', 'gotrue_meta_security.captcha_token'],
  ],
  ['auth', { action_link: `http://127.0.0.1/auth/v1/verify?token=${SECRET}&type=signup` }, ['action_link']],
  ['auth', { totp: { secret: SECRET, uri: `otpauth://totp/x?secret=${SECRET}`, qr_code: SECRET } }, ['totp']],
  ['storage', { signedURL: `/object/sign/a/b?token=${SECRET}` }, ['signedURL']],
  ['storage', [{ url: `https://s3/b/k?X-Amz-Signature=${SECRET}` }], ['0.url']],
  ['functions', { hook: { payload: { header: `Bearer ${SECRET}` } } }, ['hook.payload.header']],
  ['functions', { note: `the database is postgres://me:${SECRET}@db/x` }, ['note']],
  [
    'rest',
    [
      { id: 1, api_token: SECRET },
      { id: 2, api_token: null },
    ],
    ['0.api_token'],
  ],
  ['rest', { settings: { stripe_secret: { live: SECRET } } }, ['settings.stripe_secret']],
])('stores a body of %s without secrets: %j', (service, value, hidden) => {
  const body = json(service, value)
  expect(body).toMatchObject({ hidden })
  expect(JSON.stringify(body)).not.toContain(SECRET)
})

test('recognizes tokens and keys by their shape, as values and as names', () => {
  for (const secret of [TOKEN, 'sb_secret_N7UND0UgjKTVK-Uodkm0Hg_xSvEMPvz', 'whsec_c2VjcmV0c2VjcmV0', 'Bearer x'])
    for (const value of [secret, [secret], { note: `see ${secret}` }, { [secret]: 1 }])
      expect(JSON.stringify(json('functions', value))).not.toContain(secret)
})

test('reads text that starts like a token 20,000 times in time', { timeout: 5_000 }, () => {
  expect(json('functions', 'eyJ'.repeat(20_000))).toHaveProperty('text')
})

test("error codes, columns named code and empty passwords aren't secrets", () => {
  expect(json('auth', { code: 'weak_password', message: 'x' })).toMatchObject({ hidden: [] })
  expect(json('rest', [{ code: 'A-1' }])).toMatchObject({ hidden: [] })
  expect(json('auth', { password: '', token: null })).toMatchObject({ hidden: [] })
})

test('stores a body without secrets unchanged', () => {
  const text = '{ "big": 12345678901234567890, "a" : 1.0 }'
  expect(recordBody({ service: 'rest', type: 'application/json' }, text)).toEqual({ text, hidden: [] })
})

test('stores forms without secrets, and no body that is neither form nor JSON', () => {
  const form = { service: 'auth', type: 'application/x-www-form-urlencoded' }
  expect(recordBody(form, `grant_type=password&client_secret=${SECRET}`)).toEqual({
    text: `grant_type=password&client_secret=${encodeURIComponent('…')}`,
    hidden: ['client_secret'],
  })
  for (const type of ['text/plain', 'multipart/form-data; boundary=x', null])
    expect(recordBody({ service: 'functions', type }, SECRET)).toHaveProperty('omitted')
  expect(recordBody({ service: 'rest', type: 'application/json' }, `{"password": "${SECRET}"`)).toHaveProperty(
    'omitted',
  )
  const deep = `${'['.repeat(50_000)}"${SECRET}"${']'.repeat(50_000)}`
  expect(recordBody({ service: 'rest', type: 'application/json' }, deep)).toHaveProperty('omitted')
})

test('stores a body only if it is short and was read to its end', () => {
  const kind = { service: 'rest', type: 'application/json' }
  const begun = collectBody(kind)
  begun.onBytes(Buffer.from('{}'))
  expect(begun.body()).toEqual({ omitted: 'it was not read to its end' })
  begun.onEnd()
  expect(begun.body()).toEqual({ text: '{}', hidden: [] })
  const long = collectBody(kind)
  long.onBytes(Buffer.alloc(BODY_SIZE, ' '))
  long.onBytes(Buffer.from('{}'))
  long.onEnd()
  expect(long.body()).toEqual({ omitted: 'it is longer than 64 KiB' })
})

test('compares bodies by value', () => {
  const of = (value: unknown) => json('rest', value)
  expect(differencesOf(of([{ a: 1, b: [1] }]), of([{ a: 2, b: [1, 2] }]))).toEqual([
    { path: '0.a', before: '1', after: '2' },
    { path: '0.b.1', after: '2' },
  ])
  expect(differencesOf(of({}), of([]))).toEqual([{ path: '', before: '{}', after: '[]' }])
  expect(differencesOf(null, of(1))).toEqual([{ path: '', after: '1' }])
  expect(differencesOf({ omitted: 'x' }, of(1))).toBeNull()
})
