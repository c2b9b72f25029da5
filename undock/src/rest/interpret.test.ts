import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ServiceError } from '../kernel/service-error.ts'
import { Interpreter } from './interpret.ts'
import type { HttpRequest } from './request/request.ts'
import { StageTimes } from './response/server-timing.ts'
import type { Known } from './schema-cache/holder.ts'
import { LIBRARY, settingsWith } from './testing/library.ts'

const known = (): Known => ({
  settings: settingsWith(),
  sessionSettings: {},
  roleSettings: new Map(),
  cache: LIBRARY,
})
const request = (search: string, headers: Record<string, string> = {}, method = 'GET'): HttpRequest => ({
  method,
  path: '/books',
  search,
  headers: new Headers(headers),
  body: new TextEncoder().encode('{}'),
})

function open() {
  const interpreter = new Interpreter()
  return (http: HttpRequest, of: Known) => interpreter.interpret(http, of, () => false, new StageTimes())
}

/** What the database is asked, and what the response says of the request. */
const askedBy = ({ main, wish, ...rest }: ReturnType<ReturnType<typeof open>>) => ({
  main,
  plannedCount: 'plannedCount' in rest ? rest.plannedCount : null,
  canonical: wish.query.canonical,
})

test('a shape that comes again is planned once, until something else is known of the database', () => {
  const interpret = open()
  const before = known()
  interpret(request('?id=eq.1', { 'x-request': 'one' }), before)
  const second = interpret(request('?id=eq.2', { 'x-request': 'two' }), before)
  expect(interpret(request('?id=eq.3'), before).plan).toBe(second.plan)
  const after = interpret(request('?id=eq.2'), known())
  expect(after.plan).not.toBe(second.plan)
  expect(askedBy(after)).toEqual(askedBy(second))
})

test.each<[string, HttpRequest]>([
  ['an operator', request('?id=gt.1')],
  ['a column', request('?author_id=eq.1')],
  ['a limit', request('?id=eq.1&limit=5')],
  ['an order', request('?id=eq.1&order=title')],
  ['a preference', request('?id=eq.1', { prefer: 'count=exact' })],
  ['what is accepted', request('?id=eq.1', { accept: 'text/csv' })],
  ['a range', request('?id=eq.1', { range: '0-1' })],
  ['the method', request('?id=eq.1', {}, 'HEAD')],
])('%s makes it another shape', (_, other) => {
  const interpret = open()
  const same = known()
  interpret(request('?id=eq.1'), same)
  const { plan } = interpret(request('?id=eq.1'), same)
  interpret(other, same)
  expect(interpret(other, same).plan).not.toBe(plan)
  expect(interpret(request('?id=eq.1'), same).plan).toBe(plan)
})

test('a write is never kept, and what was refused is refused again', () => {
  const interpret = open()
  const same = known()
  const write = request('?id=eq.1', { 'content-type': 'application/json' }, 'PATCH')
  expect(interpret(write, same)).not.toBe(interpret(write, same))
  for (let time = 0; time < 2; time++)
    expect(() => interpret(request('?id=eq'), same)).toThrow(expect.objectContaining({ code: 'PGRST100' }))
})

test('the oldest make room', () => {
  const interpret = open()
  const same = known()
  const planOf = (search: string) => interpret(request(search), same).plan
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

test('values make no difference but to the parameters: every request asks as it would if it were the first', () => {
  const interpret = open()
  const same = known()
  const outcome = (search: string, by: typeof interpret) => {
    try {
      return askedBy(by(request(search, { prefer: 'count=planned' }), same))
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error
      return { code: error.code, message: error.message, details: error.details }
    }
  }
  fc.assert(
    fc.property(searches, (search) => {
      const alone = outcome(search, open())
      outcome(search.replace(/eq\.[^&]*/g, 'eq.other'), interpret)
      expect(outcome(search, interpret)).toEqual(alone)
      expect(outcome(search, interpret)).toEqual(alone)
    }),
    { numRuns: 1_000 },
  )
})

test('rows that cannot be made JSON of here are not asked for again, until something else is known of the database', () => {
  const interpreter = new Interpreter()
  const interpret = (search: string, of: Known) => {
    const made = interpreter.interpret(request(search), of, () => false, new StageTimes())
    if (made.main === null) throw new Error('no query')
    return made
  }
  const [before, after] = [known(), known()]
  const first = interpret('?id=eq.1', before)
  expect(first.rows).not.toBeNull()
  const again = (of: Known) => interpreter.interpretAgain(first, request('?id=eq.1'), of, () => false, new StageTimes())
  expect(again(before)).toMatchObject({ rows: null, main: { values: ['1'] } })
  expect(interpret('?id=eq.2', before)).toMatchObject({ rows: null, main: { values: ['2'] } })
  expect(interpret('?author_id=eq.2', before).rows).not.toBeNull()
  expect(interpret('?id=eq.2', after).rows).not.toBeNull()
  // One that was under way meanwhile.
  expect(again(before)).toMatchObject({ rows: null })
})
