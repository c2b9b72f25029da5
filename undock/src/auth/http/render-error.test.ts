import { DatabaseError } from 'pg-protocol'
import { expect, test } from 'vitest'
import { engineUnavailable } from '../../database/protocol/errors.ts'
import { authError } from '../errors.ts'
import { renderError } from './render-error.ts'

const diskFull = Object.assign(new DatabaseError('could not extend file', 0, 'error'), { code: '53100' })
const log = { info: () => undefined, warn: () => undefined, error: () => undefined }

test.each([
  [507, 'a full disk', diskFull],
  [507, 'a full disk that a handler met', authError('unexpected', [], { cause: diskFull })],
  [503, 'a database that restarts', engineUnavailable('connect ECONNREFUSED')],
  [500, 'a fault', new TypeError('x is undefined')],
])('%i answers %s', async (status, _what, thrown) => {
  const response = renderError(thrown, new Request('http://127.0.0.1/user'), 'id', log as never)
  expect(response.status).toBe(status)
  expect(await response.json()).toMatchObject({ code: status, error_code: 'unexpected_failure' })
})
