import { DatabaseError } from 'pg-protocol'
import { expect, test } from 'vitest'
import { fromPostgres } from './database-error.ts'

const failure = (code: string, message = 'text', members: { detail?: string; hint?: string } = {}): DatabaseError =>
  Object.assign(new DatabaseError(message, 0, 'error'), { code, ...members })

const SIGNED_IN = { isAuthenticated: true }
const ANONYMOUS = { isAuthenticated: false }

test.each([
  ['08006', 503],
  ['0L000', 403],
  ['0P000', 403],
  ['23505', 409],
  ['23503', 409],
  ['23502', 400],
  ['25006', 405],
  ['25001', 500],
  ['28000', 403],
  ['40001', 500],
  ['42501', 403],
  ['42883', 404],
  ['42P01', 404],
  ['42P17', 500],
  ['42703', 400],
  ['53400', 500],
  ['53300', 503],
  ['54001', 500],
  ['57014', 500],
  ['57P01', 503],
  ['P0001', 400],
  ['P0002', 500],
  ['PT404', 404],
  ['PTabc', 500],
  ['XX000', 500],
  ['22P02', 400],
])('%s is %i', (code, status) => {
  expect(fromPostgres(failure(code), SIGNED_IN)).toMatchObject({ code, status, message: 'text' })
})

test('asks an anonymous caller to sign in', () => {
  expect(fromPostgres(failure('42501'), ANONYMOUS)).toMatchObject({
    status: 401,
    headers: { 'www-authenticate': 'Bearer' },
  })
  expect(fromPostgres(failure('22023', 'role "x" does not exist'), SIGNED_IN).status).toBe(401)
})

test("reports a broken guard as its own error that other errors can't imitate", () => {
  const message = 'invalid input syntax for type bigint: "undock:PGRST116:3"'
  expect(fromPostgres(failure('22P02', message), SIGNED_IN)).toMatchObject({
    code: 'PGRST116',
    status: 406,
    details: 'The result contains 3 rows',
  })
  expect(fromPostgres(failure('P0001', message), SIGNED_IN)).toMatchObject({ code: 'P0001', message })
})

test('a function can raise the whole response', () => {
  const said = '{"code": "123", "message": "No", "hint": "Ask"}'
  const how = '{"status": 333, "status_text": "Odd", "headers": {"X-A": "b"}}'
  expect(fromPostgres(failure('PGRST', said, { detail: how }), SIGNED_IN)).toMatchObject({
    code: '123',
    status: 333,
    reasonPhrase: 'Odd',
    message: 'No',
    hint: 'Ask',
    headers: { 'X-A': 'b' },
  })
  expect(fromPostgres(failure('PGRST', 'No'), SIGNED_IN)).toMatchObject({
    code: 'PGRST121',
    details: "Invalid JSON value for MESSAGE: 'No'",
  })
  expect(fromPostgres(failure('PGRST', said), SIGNED_IN)).toMatchObject({
    code: 'PGRST121',
    details: 'DETAIL is missing in the RAISE statement',
  })
})
