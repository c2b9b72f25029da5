import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ServiceError } from '../kernel/service-error.ts'
import { PlanCache } from './plan-cache.ts'
import { payloadReader } from './request/payload.ts'
import { type HttpRequest, parseRequest } from './request/request.ts'
import { StageTimes } from './request-context.ts'
import type { Catalog } from './schema-cache/catalog-loader.ts'
import { settingsWith, TEST_SCHEMA_CACHE } from './testing/schema-cache.ts'

const catalog = (): Catalog => ({
  settings: settingsWith(),
  sessionSettings: {},
  roleSettings: new Map(),
  cache: TEST_SCHEMA_CACHE,
})
const request = (search: string, headers: Record<string, string> = {}, method = 'GET'): HttpRequest => ({
  method,
  path: '/books',
  search,
  headers: new Headers(headers),
})

const ADA = { role: 'reader', sub: 'ada' }
const callerOf = (claims: { role: string; sub: string }, rawHeaders: readonly string[] | null = []) => ({
  principal: { role: claims.role, claims },
  headers: new Headers(),
  rawHeaders,
})
const contextOf = (of: Catalog, caller = callerOf(ADA)) => ({
  catalog: of,
  times: new StageTimes(),
  caller,
  db: { prepareSettings: () => null },
})

function open() {
  const planCache = new PlanCache()
  return (http: HttpRequest, of: Catalog) => planCache.compile(http, contextOf(of))
}

const effectOf = ({ main, request: parsed, ...rest }: ReturnType<ReturnType<typeof open>>) => ({
  main,
  plannedCount: 'plannedCount' in rest ? rest.plannedCount : null,
  canonical: parsed.query.canonical,
})

test('plans requests of one shape once until the catalog changes', () => {
  const compile = open()
  const before = catalog()
  compile(request('?id=eq.1', { 'x-request': 'one' }), before)
  const second = compile(request('?id=eq.2', { 'x-request': 'two' }), before)
  expect(compile(request('?id=eq.3'), before).plan).toBe(second.plan)
  const after = compile(request('?id=eq.2'), catalog())
  expect(after.plan).not.toBe(second.plan)
  expect(effectOf(after)).toEqual(effectOf(second))
})

test.each<[string, HttpRequest]>([
  ['an operator', request('?id=gt.1')],
  ['a column', request('?author_id=eq.1')],
  ['a limit', request('?id=eq.1&limit=5')],
  ['an order', request('?id=eq.1&order=title')],
  ['a preference', request('?id=eq.1', { prefer: 'count=exact' })],
  ['the Accept header', request('?id=eq.1', { accept: 'text/csv' })],
  ['a range', request('?id=eq.1', { range: '0-1' })],
  ['the method', request('?id=eq.1', {}, 'HEAD')],
])('%s changes the shape', (_, other) => {
  const compile = open()
  const same = catalog()
  compile(request('?id=eq.1'), same)
  const { plan } = compile(request('?id=eq.1'), same)
  compile(other, same)
  expect(compile(other, same).plan).not.toBe(plan)
  expect(compile(request('?id=eq.1'), same).plan).toBe(plan)
})

test('never caches an error', () => {
  const compile = open()
  const same = catalog()
  for (let time = 0; time < 2; time++)
    expect(() => compile(request('?id=eq'), same)).toThrow(expect.objectContaining({ code: 'PGRST100' }))
})

describe('requests with a body', () => {
  const same = catalog()
  const write = (planCache: PlanCache, method: string, search: string, body: object, headers = {}, path = '/books') => {
    const http = { ...request(search, { 'content-type': 'application/json', ...headers }, method), path }
    const parsed = parseRequest(http, same.settings)
    const reader = payloadReader(parsed.contentType, { columns: null, forFunction: path !== '/books', limit: 10_000 })
    reader.read(Buffer.from(JSON.stringify(body)))
    return planCache.compileWithBody(http, { ...parsed, ...reader.end() }, contextOf(same))
  }

  test('are planned once if they have the same columns', () => {
    const planCache = new PlanCache()
    const insert = (body: object) => write(planCache, 'POST', '', body)
    insert({ title: 'one' })
    const { plan } = insert({ title: 'two' })
    expect(insert({ title: 'three' }).plan).toBe(plan)
    for (const other of [{ id: 1, title: 'two' }, { id: 1 }, [{ title: 'two' }]]) {
      insert(other)
      expect(insert(other).plan).not.toBe(plan)
    }
  })

  test('send the same queries as without a cache', () => {
    const planCache = new PlanCache()
    const text = fc.oneof(fc.string(), fc.constantFrom('', '[]', '{"a":1}', "'"))
    const row = fc.record({ id: fc.integer(), title: text, year: fc.integer() }, { requiredKeys: [] })
    const sent = fc.oneof(
      fc.tuple(
        fc.constantFrom('POST'),
        fc.constantFrom('', '?select=id', '?on_conflict=id'),
        fc.oneof(row, fc.array(row)),
      ),
      fc.tuple(
        fc.constantFrom('PATCH'),
        text.map((value) => `?title=eq.${encodeURIComponent(value)}`),
        row,
      ),
      fc.tuple(
        fc.constantFrom('PUT'),
        fc.integer().map((id) => `?id=eq.${id}`),
        row,
      ),
    )
    const prefers = fc.constantFrom(
      {},
      { prefer: 'return=representation' },
      { prefer: 'missing=default' },
      { prefer: 'resolution=merge-duplicates' },
    )
    const outcome = (by: PlanCache, [method, search, body]: [string, string, object], headers: object) => {
      try {
        return effectOf(write(by, method, search, body, headers))
      } catch (error) {
        if (!(error instanceof ServiceError)) throw error
        return { code: error.code, message: error.message, details: error.details }
      }
    }
    fc.assert(
      fc.property(sent, prefers, (one, headers) => {
        const alone = outcome(new PlanCache(), one, headers)
        expect(outcome(planCache, one, headers)).toEqual(alone)
        expect(outcome(planCache, one, headers)).toEqual(alone)
      }),
      { numRuns: 1_000 },
    )
  })

  test('of a function pass its arguments', () => {
    const planCache = new PlanCache()
    const call = (body: object) => write(planCache, 'POST', '', body, {}, '/rpc/search_books')
    for (const words of ['one', 'two']) {
      const alone = write(new PlanCache(), 'POST', '', { query: words }, {}, '/rpc/search_books')
      call({ query: 'other' })
      expect(effectOf(call({ query: words }))).toEqual(effectOf(alone))
    }
  })
})

test('evicts the oldest entry', () => {
  const compile = open()
  const same = catalog()
  const planOf = (search: string) => compile(request(search), same).plan
  planOf('?id=eq.1')
  const first = planOf('?id=eq.1')
  for (let limit = 1; limit <= 500; limit++) planOf(`?limit=${limit}`)
  const last = planOf('?limit=500')
  expect(planOf('?limit=500')).toBe(last)
  expect(planOf('?id=eq.1')).not.toBe(first)
})

const value = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom('', 'null', '(1,2)', '{1,2}', '"a"', 'a.b', '%', '*', 'eq.1', '\0', '&limit=1', '+'),
)
const condition = fc
  .tuple(
    fc.constantFrom('id', 'title', 'data->>a', 'authors.name', 'order', 'select', 'limit', 'tags.id', '%69d'),
    fc.constantFrom('eq', 'neq', 'gt', 'lte', 'not.eq', 'like', 'in', 'is', 'eq(any)', ''),
    value,
  )
  .map(([name, operator, text]) => `${name}=${operator}.${encodeURIComponent(text)}`)
const searches = fc
  .tuple(fc.array(condition, { maxLength: 4 }), fc.constantFrom('', 'select=id,authors(name),tags(*)', 'limit=3'))
  .map(([conditions, more]) => `?${[...conditions, more].filter(Boolean).join('&')}`)

test('values change only parameters: every request compiles as without a cache', () => {
  const compile = open()
  const same = catalog()
  const outcome = (search: string, by: ReturnType<typeof open>) => {
    try {
      return effectOf(by(request(search, { prefer: 'count=planned' }), same))
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error
      return { code: error.code, message: error.message, details: error.details }
    }
  }
  fc.assert(
    fc.property(searches, (search) => {
      const alone = outcome(search, open())
      outcome(search.replace(/eq\.[^&]*/g, 'eq.other'), compile)
      expect(outcome(search, compile)).toEqual(alone)
      expect(outcome(search, compile)).toEqual(alone)
    }),
    { numRuns: 1_000 },
  )
})

describe('the settings of a caller', () => {
  const same = catalog()
  const send = (planCache: PlanCache, caller = callerOf(ADA), http = request('?id=eq.1')) =>
    planCache.compile(http, contextOf(same, caller)).transaction
  const opened = (): PlanCache => {
    const planCache = new PlanCache()
    for (let time = 0; time < 2; time++) send(planCache)
    return planCache
  }

  test('are kept for requests of one shape with the same headers', () => {
    const planCache = opened()
    expect(send(planCache, callerOf(ADA), request('?id=eq.2'))).toBe(send(planCache))
  })

  test.each([
    ['claims', callerOf({ ...ADA, sub: 'ben' }), { 'request.jwt.claims': '{"role":"reader","sub":"ben"}' }],
    ['role', callerOf({ ...ADA, role: 'writer' }), { role: 'writer' }],
    ['headers', callerOf(ADA, ['x-a', '1']), {}],
  ])('differ with other %s', (_what, other, settings) => {
    const planCache = opened()
    const kept = send(planCache)
    const others = send(planCache, other)
    expect(others).not.toBe(kept)
    expect(others.settings).toMatchObject(settings)
  })

  test("aren't kept without headers that identify the caller, or with long ones", () => {
    const planCache = opened()
    for (const caller of [callerOf(ADA, null), callerOf(ADA, ['x-a', 'x'.repeat(4_000)])])
      expect(send(planCache, caller)).not.toBe(send(planCache, caller))
  })

  test('are evicted above the limit', () => {
    const planCache = opened()
    const kept = send(planCache)
    for (let n = 0; n < 2_000; n++) send(planCache, callerOf(ADA, ['x-n', String(n)]))
    expect(send(planCache)).not.toBe(kept)
  })
})
