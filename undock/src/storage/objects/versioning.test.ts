import { afterAll, beforeAll, expect, test } from 'vitest'
import { type StorageServer, startStorageServer } from '../../testing/storage-server.ts'

let harness: StorageServer
beforeAll(async () => {
  harness = await startStorageServer()
  await harness.service.storage.createBucket('notes', { public: true, versioningStatus: 'DISABLED' })
  await harness.service.storage.from('notes').upload('a.txt', 'one')
})
afterAll(() => harness.close())

const VERSION = { versionId: '6a5e3a4e-50ff-4ba1-b1a4-0b1c6a5e3a4e' }
const notes = () => harness.service.storage.from('notes')
const buckets = () => harness.service.storage

// Otherwise each would read or change the object's current version.
test.each([
  [
    'a bucket created with versions',
    () => buckets().createBucket('kept', { public: false, versioningStatus: 'ENABLED' }),
  ],
  [
    'a bucket changed to keep versions',
    () => buckets().updateBucket('notes', { public: true, versioningStatus: 'ENABLED' }),
  ],
  ['info about a version', () => notes().info('a.txt', VERSION)],
  ['a link to a version', () => notes().createSignedUrl('a.txt', 60, VERSION)],
  ['removal of a version', () => notes().remove([{ path: 'a.txt', ...VERSION }])],
  ['a copy of a version', () => notes().copy('a.txt', 'b.txt', { sourceVersionId: VERSION.versionId })],
  ['a move of a version', () => notes().move('a.txt', 'b.txt', { sourceVersionId: VERSION.versionId })],
  ['the lifecycle of a bucket', () => buckets().getBucketLifecycle('notes')],
  [
    'a new lifecycle of a bucket',
    () =>
      buckets().updateBucketLifecycle('notes', {
        rules: [{ id: 'r', status: 'Enabled', filter: {}, noncurrentVersionExpiration: { noncurrentDays: 1 } }],
      }),
  ],
  ['deleting a lifecycle', () => buckets().deleteBucketLifecycle('notes')],
])('rejects %s, like upstream with versions off', async (_name, ask) => {
  const { data, error } = await ask()
  expect([data, error?.message]).toEqual([
    null,
    expect.stringMatching(/^The feature object \w+( schema)? is not enabled for this resource$/),
  ])
  expect(error).toMatchObject({ statusCode: '409' })
})

test.each(['authenticated/notes', 'public/notes', 'notes'])(
  "doesn't download a version from /object/%s",
  async (path) => {
    const response = await harness.fetch(`/object/${path}/a.txt?versionId=1`, {}, harness.identity.keys.serviceRole)
    expect([response.status, await response.json()]).toMatchObject([400, { code: 'FeatureNotEnabled' }])
  },
)

test('lists name the version, which is the only one', async () => {
  await notes().upload('folder/a.txt', 'two')
  const version = (await notes().info('a.txt')).data?.version
  const file = { name: 'a.txt', version, archived_at: null, is_delete_marker: false, is_versioned: false }
  const folder = { name: 'folder', id: null, version: null, is_versioned: null }
  const all = { noncurrentVersions: 'include', deleteMarkers: 'include' } as const
  for (const options of [{}, all]) expect((await notes().list('', options)).data).toMatchObject([file, folder])
  expect((await notes().listV2({ ...all, with_delimiter: true })).data).toMatchObject({
    folders: [{ name: 'folder/' }],
    objects: [file],
  })
  expect((await notes().listV2(all)).data?.objects).toMatchObject([file, { name: 'folder/a.txt' }])
  for (const options of [{ noncurrentVersions: 'only' }, { deleteMarkers: 'only' }] as const) {
    expect((await notes().list('', options)).data).toEqual([])
    expect((await notes().listV2(options)).data).toMatchObject({ hasNext: false, objects: [] })
  }
  expect((await notes().list('folder/a.txt', { exactMatch: true })).data).toMatchObject([{ name: 'a.txt' }])
  expect((await notes().list('folder/a', { exactMatch: true })).data).toEqual([])
  const exact = await notes().listV2({ prefix: 'a.txt', exactMatch: true })
  expect(exact.data?.objects).toMatchObject([file])
})

test('calls without versions work unchanged', async () => {
  expect((await buckets().getBucket('kept')).error).toMatchObject({ message: 'Bucket not found' })
  expect(await (await notes().download('a.txt')).data?.text()).toBe('one')
})
