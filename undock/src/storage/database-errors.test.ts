import { expect, test } from 'vitest'
import { engineLost, engineUnavailable } from '../database/protocol/errors.ts'
import { fromDatabase } from './errors.ts'

test.each([
  ['53100', 507, Object.assign(new Error('could not extend file'), { code: '53100' })],
  ['57P01', 503, engineLost('The connection was lost')],
  ['57P03', 503, engineUnavailable('connect ECONNREFUSED')],
])("maps the database's %s to %i", (_code, status, error) => {
  expect(fromDatabase(error)).toMatchObject({ status, httpStatus: status, cause: error })
})
