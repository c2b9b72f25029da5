import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import type { Column } from '../catalog.ts'
import { kindOfName, kindOfValues } from './choose-kind.ts'
import { fakeColumn } from './fake-column.ts'
import { createFakes, createKeyedHash, type Kind } from './values.ts'

const key = Buffer.alloc(32, 7)
const fakeOf = createFakes(createKeyedHash(key))

test.each<[Kind, string, RegExp]>([
  ['e-mail', 'ada@lovelace.org', /^[a-z]{16}@example\.com$/],
  ['phone number', '+49 (30) 123-456', /^\+4\d \(\d\d\) \d{3}-\d{3}$/],
  ['phone number', '4930123456', /^4\d{9}$/],
  ['name', 'Ada Lovelace', /^[A-Z][a-z]{7} [A-Z][a-z]{11}$/],
  ['name', 'ada', /^[a-z]{20}$/],
  ['street', '12 Some Road', /^[A-Z][a-z]{17} \d{1,3}$/],
  ['number', 'DE89 3704 0044', /^[A-Z]{2}\d{2} \d{4} \d{4}$/],
  ['token', 'sk_live_4eC39H', /^[a-z]{2}_[a-z]{4}_\d[a-z][A-Z]\d\d[A-Z]$/],
  ['token', '9b2e6c1a-3f4d-4a5b-8c6d-7e8f9a0b1c2d', /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/],
  ['bytes', '\\x00ff5c', /^\\x[0-9a-f]{6}$/],
  ['IP address', '203.0.113.9', /^10(?:\.\d{1,3}){3}$/],
  ['IP address', '2001:db8::1/64', /^fd00::(?:[0-9a-f]{1,4}:?){4}\/128$/],
  ['date', '1984-02-29', /^198[345]-\d\d-\d\d$/],
  ['date', '1984-02-29 10:11:12+00', /^198[345]-\d\d-\d\d 10:11:12\+00$/],
  ['URL', 'https://me.example/ada.png', /^https:\/\/example\.com\/[0-9a-f]{24}$/],
  ['account', '108234567890123456789', /^\d{21}$/],
])('a fake %s for %s has its format and is deterministic', (kind, value, format) => {
  const fake = fakeOf(kind, value)
  expect(fake).toMatch(format)
  expect(fake).not.toBe(value)
  expect(fakeOf(kind, value)).toBe(fake)
  expect(createFakes(createKeyedHash(randomBytes(32)))(kind, value)).not.toBe(fake)
})

test.each<[Kind, (n: number) => string]>([
  ['phone number', (n) => `+1${String(n).padStart(5, '0')}`],
  ['number', (n) => String(n).padStart(4, '0')],
  ['token', (n) => `t${n.toString(36).replaceAll(/\d/g, 'x')}${n}`],
  ['e-mail', (n) => `person${n}@example.org`],
  ['name', (n) => `Person ${n}`],
])('different values get different fakes: %s', (kind, nth) => {
  const values = Array.from({ length: 10_000 }, (_, n) => nth(n))
  expect(new Set(values.map((value) => fakeOf(kind, value))).size).toBe(new Set(values).size)
})

test('addresses that differ only in case get fakes that differ only in case', () => {
  const [lower, mixed, upper] = ['ada@example.org', 'Ada@example.org', 'ADA@EXAMPLE.ORG'].map((one) =>
    fakeOf('e-mail', one),
  )
  expect(new Set([lower, mixed, upper]).size).toBe(3)
  expect(new Set([lower, mixed, upper].map((one) => one?.toLowerCase())).size).toBe(1)
})

test('a fake fits its column', () => {
  expect(fakeOf('name', 'Ada Lovelace', 6)).toHaveLength(6)
  expect(fakeOf('e-mail', 'a@b.co', 15)).toMatch(/^[a-z]{3}@example\.com$/)
})

test.each([
  ['email', 'x', 'e-mail'],
  ['billingEmail', 'x', 'e-mail'],
  ['email_verified', 'x', null],
  ['email_sent_at', 'x', null],
  ['address_id', 'x', null],
  ['ip_address', 'x', 'IP address'],
  ['street_address', 'x', 'street'],
  ['password_hash', 'x', 'token'],
  ['api_key', 'x', 'token'],
  ['lastName', 'x', 'name'],
  ['tax_id', 'x', 'number'],
  ['name', 'customers', 'name'],
  ['name', 'products', null],
  ['telephone', 'x', 'phone number'],
  ['mobility', 'x', null],
])('a column %s of a table %s holds: %s', (column, table, kind) => {
  expect(kindOfName(column, table)).toBe(kind)
})

test("guesses a column's kind when most values agree", () => {
  expect(kindOfValues(['ada@example.org', 'bob@example.org', 'unknown'])).toBe('e-mail')
  expect(kindOfValues(['ada@example.org', 'a', 'b', 'c'])).toBe(null)
  expect(kindOfValues(['', ''])).toBe(null)
})

const column = (base: string, category: string, isArray = false): Column => ({
  ...{ name: 'c', type: base, base, category, isArray, maxLength: null },
  ...{ isNullable: true, hasDefault: false, isGenerated: false },
})

test("replaces only personal data in JSON and doesn't round numbers", () => {
  const replace = fakeColumn(column('jsonb', 'U'), null, 'orders', fakeOf)
  const json =
    '{"id": 12345678901234567890, "to": {"phone": ["+4930123456", 4930123456], "note": "for \\"ada@lovelace.org\\""}, "items": ["tea"]}'
  const fake = replace?.(json) ?? ''
  expect(fake).toContain('"id": 12345678901234567890')
  expect(fake).toContain('"items": ["tea"]')
  expect(fake).not.toMatch(/lovelace|4930123456/)
  expect(JSON.parse(fake).to.note).toMatch(/^for "[a-z]{16}@example\.com"$/)
})

test('replaces every text in user metadata except what the account needs', () => {
  const replace = fakeColumn(column('jsonb', 'U'), 'text', 'identities', fakeOf)
  const fake = JSON.parse(
    replace?.(
      '{"sub": "118000", "name": "Ada L.", "hobby": "maths", "provider": "google", "email_verified": true, "nested": {"a": ["b"]}}',
    ) ?? '',
  )
  expect(fake).toMatchObject({ provider: 'google', email_verified: true, sub: expect.stringMatching(/^\d{6}$/) })
  expect(JSON.stringify(fake)).not.toMatch(/Ada|maths|118000|"b"/)
})

test('replaces array elements one by one', () => {
  const replace = fakeColumn(column('text', 'S', true), 'e-mail', 'x', fakeOf)
  expect(replace?.('{ada@lovelace.org,NULL,"a \\"b\\"@c.de"}')).toMatch(
    /^\{"[a-z]{16}@example\.com",NULL,"[a-z]{16}@example\.com"\}$/,
  )
  expect(replace?.('{}')).toBe('{}')
})

test('scans a long text without personal data quickly', () => {
  const replace = fakeColumn(column('jsonb', 'U'), null, 'x', fakeOf)
  const long = JSON.stringify([`@ ${'a'.repeat(1_000_000)}`, `${'a@'}${'.'.repeat(1_000_000)} `])
  expect(replace?.(long)).toBe(long)
})
