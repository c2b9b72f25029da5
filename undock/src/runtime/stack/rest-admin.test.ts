import { beforeAll, expect, test } from 'vitest'
import { loadConfig } from '../../config/load.ts'
import { createIdentity } from '../../identity/create-identity.ts'
import { type RequestHandler, type Service, systemClock } from '../../kernel/service.ts'
import { createRest } from '../../rest/index.ts'
import { openTestDatabase, type TestDatabase } from '../../testing/database.ts'
import { createRestAdmin } from './rest-admin.ts'

let database: TestDatabase
let rest: Service
let admin: RequestHandler
beforeAll(async () => {
  database = await openTestDatabase()
  const { config } = loadConfig({ toml: 'project_id = "test"', file: 'config.toml', env: {}, folder: '/' })
  const identity = await createIdentity({ config: config.auth, clock: systemClock })
  const log = { info: () => undefined, warn: () => undefined, error: () => undefined }
  rest = await createRest({
    db: database.db,
    identity,
    clock: systemClock,
    config: config.api,
    bodyLimit: 1_000,
    log,
  })
  admin = createRestAdmin({ rest: rest.handle, db: database.db })
})

const ask = async (path: string) => {
  const request = new Request(`http://127.0.0.1:54321/rest-admin/v1${path}`)
  const response = await admin(request, { requestId: 'test', address: '127.0.0.1' })
  return [response.status, await response.text()]
}

test('is live and ready without a key, and has no other pages', async () => {
  expect(await ask('/live')).toEqual([200, ''])
  expect(await ask('/ready')).toEqual([200, ''])
  expect(await ask('/schema_cache')).toEqual([404, ''])
  expect(await ask('')).toEqual([404, ''])
})

test('is not ready without the database', async () => {
  await rest.close()
  await database.close()
  expect(await ask('/live')).toEqual([200, ''])
  expect(await ask('/ready')).toEqual([503, ''])
})
