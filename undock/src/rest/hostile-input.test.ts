import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ServiceError } from '../kernel/service-error.ts'
import { statement } from '../kernel/sql.ts'
import { planRequest } from './plan/plan.ts'
import { planSql } from './sql/statement.ts'
import { LIBRARY, requestOf, settingsWith } from './testing/library.ts'

/** A request as far as its SQL; what cannot be understood must be a refusal of ours that says so. */
function survive(line: string, body = '', headers: Record<string, string> = {}): void {
  try {
    const settings = settingsWith()
    const request = requestOf(line, { body, headers })
    const plan = planRequest(request, LIBRARY, settings)
    if (plan.kind !== 'inspect' && plan.kind !== 'info') statement(planSql(plan, request, 1000))
  } catch (error) {
    expect(error).toBeInstanceOf(ServiceError)
    expect((error as ServiceError).status).toBeLessThan(500)
  }
}

const PIECES = [
  'select=',
  'books',
  'authors',
  '(',
  ')',
  ',',
  '.',
  ':',
  '::',
  '->',
  '->>',
  '!',
  '...',
  '*',
  '"',
  '\\',
  '&',
  '=',
  'or',
  'and',
  'not',
  'eq',
  'in',
  'is',
  'null',
  'order=',
  'limit=',
  '-1',
  '0',
  '%',
  '%00',
  '%ff',
  '+',
  'é',
  '𝒳',
  'count()',
  'id',
  ' ',
  '{',
  '}',
  'columns=',
  'on_conflict=',
  ';',
  '\n',
]
const noise = fc
  .array(fc.oneof(fc.constantFrom(...PIECES), fc.string({ maxLength: 3 })), { maxLength: 30 })
  .map((parts) => parts.join(''))
const method = fc.constantFrom('GET', 'HEAD', 'POST', 'PATCH', 'PUT', 'DELETE', 'OPTIONS', 'PROPFIND')
const path = fc.constantFrom('/books', '/rpc/search_books', '/', '/nothing', '/a/b/c')

test('any query string is understood or refused', () => {
  fc.assert(
    fc.property(method, path, noise, (verb, target, search) => survive(`${verb} ${target}?${search}`, '{"id": 1}')),
    { numRuns: 2000 },
  )
})

test('any body is understood or refused', () => {
  const type = fc.constantFrom(
    'application/json',
    'text/csv',
    'application/x-www-form-urlencoded',
    'text/plain',
    'application/octet-stream',
    'a;b=',
  )
  const body = fc.oneof(fc.json(), fc.string(), noise)
  fc.assert(
    fc.property(method, path, type, body, (verb, target, contentType, text) =>
      survive(`${verb} ${target}`, text, { 'content-type': contentType }),
    ),
    { numRuns: 1000 },
  )
})

test('any Accept, Prefer and Range is understood or refused', () => {
  const header = fc.string({
    unit: fc.constantFrom('a', '/', '*', ';', ',', '=', 'q', '0', '.', '-', ' ', '"', '|', 'count', 'tx', 'plan'),
  })
  fc.assert(
    fc.property(header, header, header, (accept, prefer, range) =>
      survive('GET /books', '', { accept, prefer, range }),
    ),
    { numRuns: 1000 },
  )
})

test.each([
  ['deep selects', `GET /books?select=${'authors('.repeat(900)}`],
  ['deep logic', `GET /books?or=${'(and'.repeat(2000)}`],
  ['long lists', `GET /books?id=in.(${'1,'.repeat(4000)}1)`],
  ['long paths', `GET /books?data${'->a'.repeat(2500)}=eq.1`],
  ['many parameters', `GET /books?${'id=eq.1&'.repeat(1000)}`],
])('%s of 8 KB do not exhaust the parser', (_name, line) => {
  survive(line)
})
