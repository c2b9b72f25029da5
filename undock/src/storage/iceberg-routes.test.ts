import { afterAll, beforeAll, expect, test } from 'vitest'
import { type StorageServer, startStorageServer } from '../testing/storage-server.ts'

let harness: StorageServer
beforeAll(async () => {
  harness = await startStorageServer()
})
afterAll(() => harness.close())

const MESSAGE = 'Analytics buckets (Iceberg) are not available on this stack'

test('the analytics client is told that there are no analytics buckets', async () => {
  const { analytics } = harness.service.storage
  const refused = { data: null, error: { message: MESSAGE, status: 409 } }
  expect(await analytics.createBucket('events')).toMatchObject(refused)
  expect(await analytics.listBuckets()).toMatchObject(refused)
  expect(await analytics.deleteBucket('events')).toMatchObject(refused)
})

test('its catalog of tables is told the same, in the form of Iceberg’s errors', async () => {
  const catalog = harness.service.storage.analytics.from('events')
  const refused = { data: null, error: { message: MESSAGE, status: 409, icebergType: 'NotSupported' } }
  expect(await catalog.listNamespaces()).toMatchObject(refused)
  expect(await catalog.createNamespace({ namespace: ['default'] })).toMatchObject(refused)
  expect(await catalog.loadTable({ namespace: ['default'], name: 'clicks' })).toMatchObject(refused)
})

test('other callers are refused', async () => {
  const refused = (message: string) => ({ data: null, error: { message, status: 403 } })
  expect(await harness.anon.storage.analytics.listBuckets()).toMatchObject(refused('Access denied: Invalid role'))
  const response = await harness.fetch('/iceberg/v1/config')
  expect([response.status, await response.json()]).toEqual([
    403,
    { error: { message: 'Invalid Compact JWS', type: 'AccessDenied', code: 403 } },
  ])
})
