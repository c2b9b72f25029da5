import { afterAll, beforeAll, expect, test } from 'vitest'
import { planRequest } from './plan/plan.ts'
import { requestOf, settingsWith, TEST_SCHEMA_CACHE } from './testing/schema-cache.ts'
import { openRest, type RestHarness } from './testing/service.ts'
import { transactionSettings } from './transaction-settings.ts'

test("a transaction has its role's settings and can read the request and its claims", () => {
  const settings = settingsWith()
  const request = requestOf('GET /books?id=eq.1')
  const catalog = {
    settings,
    sessionSettings: { statement_timeout: '8s', lock_timeout: '2s' },
    roleSettings: new Map([['reader', { settings: { statement_timeout: '1s' }, isolation: null }]]),
    cache: TEST_SCHEMA_CACHE,
  }
  const headers = new Headers({ 'x-a': '1', cookie: 'b=2' })
  const caller = { principal: { role: 'reader', claims: { role: 'reader', sub: 'ada' } }, headers, rawHeaders: null }
  const compiled = { request, plan: planRequest(request, TEST_SCHEMA_CACHE, settings) }
  expect(transactionSettings(caller, compiled, catalog)).toEqual({
    access: 'read only',
    settings: {
      search_path: '"public", "public", "extensions"',
      statement_timeout: '1s',
      lock_timeout: '2s',
      'request.jwt.claims': '{"role":"reader","sub":"ada"}',
      'request.method': 'GET',
      'request.path': '/books',
      'request.headers': '{"x-a":"1"}',
      'request.cookies': '{"b":"2"}',
      role: 'reader',
    },
  })
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
