import { deepStrictEqual, match } from 'node:assert/strict'
import { filtersOf } from './document-filters.ts'
import { Problem, problemOf } from './problem.ts'

const raised = { detail: '{"code": "groups_need_owner", "parameters": {"group": "x"}}' }
const CASES: readonly [error: object, status: number, code: string, detail: RegExp][] = [
  [new Problem('not_found', 'Gone.'), 404, 'not_found', /^Gone\.$/],
  [{ code: '42501', message: 'new row violates row-level security policy' }, 403, 'not_allowed', /^The key can’t/],
  [
    { code: '42501', message: 'Only owners.', hint: 'Ask one.', ...raised },
    403,
    'not_allowed',
    /^Only owners\. Ask one\.$/,
  ],
  [{ code: '23503', message: 'insert or update on table "documents"' }, 422, 'not_accepted', /not in this library/],
  [{ code: '23505', message: 'duplicate key value' }, 409, 'conflict', /already/],
  [{ code: '22021', message: 'invalid byte sequence' }, 422, 'not_accepted', /form or a length/],
  [{ code: 'PT401', message: 'Revoked.', ...raised }, 401, 'revoked_key', /^Revoked\.$/],
  [{ code: '57014', message: 'canceling statement due to statement timeout' }, 503, 'try_again', /again/],
  [{ code: 'ECONNREFUSED', message: 'connect' }, 503, 'try_again', /again/],
  [{ code: 'CONNECT_TIMEOUT', message: 'connect' }, 503, 'try_again', /again/],
  [{ code: '42P01', message: 'relation "secret" does not exist' }, 500, 'internal_error', /^(?!.*secret)/],
  [new TypeError('secret'), 500, 'internal_error', /^(?!.*secret)/],
]
for (const [error, status, code, detail] of CASES) {
  Deno.test(`${JSON.stringify(error)} gives ${status} ${code}`, async () => {
    const response = problemOf(error).toResponse()
    const body = await response.json()
    deepStrictEqual([response.status, response.headers.get('Content-Type')], [status, 'application/problem+json'])
    deepStrictEqual([body.status, body.code, body.type], [status, code, `urn:carrel:problem:${code}`])
    match(body.detail, detail)
    deepStrictEqual(
      [body.reason, body.parameters],
      'detail' in error ? ['groups_need_owner', { group: 'x' }] : [undefined, undefined],
    )
  })
}

Deno.test('filters are named as in the database, and * is the only wildcard in media types', () => {
  deepStrictEqual(
    filtersOf({
      collection: 'c',
      direct: 'true',
      media_type: ['image/*', '100%_'],
      fields: [{ field_id: 'f', empty: true }],
    }),
    { place: 'c', media_types: ['image/%', '100\\%\\_'], fields: [{ fields: ['f'], empty: true }] },
  )
  deepStrictEqual(filtersOf({ collection: 'c' }), { collection: 'c' })
})
