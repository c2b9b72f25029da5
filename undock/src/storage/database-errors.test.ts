import { DatabaseError } from 'pg-protocol'
import { expect, test } from 'vitest'
import { engineLost, engineUnavailable } from '../database/protocol/errors.ts'
import { fromDatabase } from './errors.ts'

test.each([
  ['53100', 507, Object.assign(new DatabaseError('could not extend file', 0, 'error'), { code: '53100' })],
  ['57P01', 503, engineLost('The connection was lost')],
  ['57P03', 503, engineUnavailable('connect ECONNREFUSED')],
])("maps the database's %s to %i", (_code, status, error) => {
  expect(fromDatabase(error)).toMatchObject({ status, httpStatus: status, cause: error })
})

test("leaves Node's errors alone, whose codes can look like SQLSTATEs", () => {
  const error = Object.assign(new Error('write EPIPE'), { code: 'EPIPE' })
  expect(fromDatabase(error)).toBe(error)
})
