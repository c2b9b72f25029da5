import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Claims } from '../kernel/service.ts'
import type { RestCaller } from './caller.ts'
import type { Plan } from './plan/model.ts'
import { planRequest } from './plan/plan.ts'
import type { Catalog } from './schema-cache/catalog-loader.ts'
import { transactionSettings } from './settings-cache.ts'
import { requestOf, settingsWith, TEST_SCHEMA_CACHE } from './testing/schema-cache.ts'
import { openRest, type RestHarness } from './testing/service.ts'

const catalog = (): Catalog => ({
  settings: settingsWith(),
  sessionSettings: {},
  roleSettings: new Map([['reader', { settings: { statement_timeout: '1s' }, isolation: null }]]),
  cache: TEST_SCHEMA_CACHE,
})
const ADA: Claims = { role: 'reader', sub: 'ada' }
const caller = (claims: Claims, headers: Record<string, string> = {}): RestCaller => ({
  principal: { role: claims.role, claims },
  headers: new Headers(headers),
  rawHeaders: Object.entries(headers).flat(),
})
const same = catalog()
const settingsFor = (who: RestCaller, line = 'GET /books', of = same) => {
  const request = requestOf(line)
  return transactionSettings(who, request, planRequest(request, TEST_SCHEMA_CACHE, of.settings) as Plan, of)
}

test('the same caller with the same request has the same settings', () => {
  const first = settingsFor(caller(ADA, { 'x-a': '1', cookie: 'b=2' }))
  expect(first).toMatchObject({
    search_path: '"public", "public", "extensions"',
    statement_timeout: '1s',
    'request.jwt.claims': '{"role":"reader","sub":"ada"}',
    'request.method': 'GET',
    'request.path': '/books',
    'request.headers': '{"x-a":"1"}',
    'request.cookies': '{"b":"2"}',
    role: 'reader',
  })
  expect(settingsFor(caller(ADA, { 'x-a': '1', cookie: 'b=2' }), 'GET /books?id=eq.1')).toBe(first)
})

test.each<[string, () => ReturnType<typeof settingsFor>]>([
  ['role', () => settingsFor({ ...caller(ADA), principal: { role: 'other', claims: ADA } })],
  ['headers', () => settingsFor(caller(ADA, { 'x-a': '2' }))],
  ['path', () => settingsFor(caller(ADA), 'GET /authors')],
  ['method', () => settingsFor(caller(ADA), 'HEAD /books')],
  ['knowledge of the database', () => settingsFor(caller(ADA), 'GET /books', catalog())],
])('another %s has other settings', (_what, others) => {
  const first = settingsFor(caller(ADA))
  expect(others()).not.toBe(first)
  expect(settingsFor(caller(ADA))).toBe(first)
})

test('other claims have other settings, whatever the headers are', () => {
  const first = settingsFor(caller(ADA))
  expect(settingsFor(caller({ ...ADA, sub: 'ben' }))).toMatchObject({
    'request.jwt.claims': '{"role":"reader","sub":"ben"}',
  })
  expect(settingsFor(caller(ADA))).toEqual(first)
})

test('long headers are not cached, and the oldest of many callers is evicted', () => {
  const long = () => settingsFor(caller(ADA, { 'x-a': 'x'.repeat(4_000) }))
  expect(long()).not.toBe(long())
  const first = settingsFor(caller(ADA, { 'x-n': 'first' }))
  for (let n = 0; n < 499; n++) settingsFor(caller(ADA, { 'x-n': String(n) }))
  const last = settingsFor(caller(ADA, { 'x-n': '498' }))
  expect(settingsFor(caller(ADA, { 'x-n': '498' }))).toBe(last)
  settingsFor(caller(ADA, { 'x-n': '499' }))
  expect(settingsFor(caller(ADA, { 'x-n': 'first' }))).not.toBe(first)
})

let rest: RestHarness
beforeAll(async () => {
  rest = await openRest(`
    create view public.callers as select current_setting('request.jwt.claims')::json ->> 'sub' as sub, current_user as role,
      current_setting('request.headers')::json ->> 'x-turn' as turn`)
})
afterAll(() => rest.close())

test('alternating callers get their own settings', async () => {
  const clients = [
    { client: await rest.as({ sub: 'ada', role: 'authenticated' }), sub: 'ada', role: 'authenticated' },
    { client: await rest.as({ sub: 'ben', role: 'authenticated' }), sub: 'ben', role: 'authenticated' },
    { client: rest.anon, sub: null, role: 'anon' },
    { client: rest.service, sub: null, role: 'service_role' },
  ]
  const turns = Array.from({ length: 20 }, async (_, turn) => {
    for (const { client, sub, role } of clients) {
      const { data } = await client
        .from('callers')
        .select()
        .setHeader('x-turn', String(turn % 3))
        .throwOnError()
      expect(data).toEqual([{ sub, role, turn: String(turn % 3) }])
    }
  })
  await Promise.all(turns)
})
