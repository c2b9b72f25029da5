import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Harness, openHarness } from '../testing/storage-harness.ts'

let harness: Harness
beforeAll(async () => {
  harness = await openHarness({ script: "insert into storage.buckets (id, name) values ('docs', 'docs')" })
})
afterAll(() => harness.close())

/** What climbs, escapes, ends early or means something to a shell, a path or SQL, and anything else. */
const part = fc.oneof(
  fc.constantFrom('..', '.', '/', '\\', '%2e%2e', '%2f', '%5c', '%00', '\0', '~', 'C:', '//', ';', "'", '"', '$(id)'),
  fc.constantFrom('etc', 'passwd', '.undock', 'objects', 'tmp', 'CON', 'a'.repeat(300), '\u202e', '\ud800', 'é', '😀'),
  fc.string({ unit: 'binary', maxLength: 8 }),
)
const hostile = fc.array(part, { minLength: 1, maxLength: 8 }).map((parts) => parts.join(''))

const places = async () =>
  (await readdir(harness.folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(harness.folder.length + 1))

/** Contents are found by generated names in hashed folders, records of resumable uploads by generated names. */
const OURS = /^(objects\/[0-9a-f]{32}\/[0-9a-f-]{36}|resumable\/[0-9a-f-]{36}(\.json)?|config\.toml)$/

test('no name of a bucket or an object becomes a path, or a fault', async () => {
  const { serviceRole } = harness.identity.keys
  const post = async (path: string, body: string, headers: Record<string, string>) =>
    (await harness.fetch(path, { method: 'POST', body, headers }, serviceRole)).status
  await fc.assert(
    fc.asyncProperty(hostile, hostile, async (bucket, key) => {
      const raw = key.toWellFormed()
      const encoded = encodeURIComponent(raw)
      const statuses = [
        await post(`/object/docs/${encoded}`, 'x', { 'content-type': 'text/plain', 'x-upsert': 'true' }),
        await post(`/object/${encodeURIComponent(bucket.toWellFormed())}/${encoded}`, 'x', {}),
        await post('/bucket', JSON.stringify({ name: bucket }), { 'content-type': 'application/json' }),
        await post(
          '/object/copy',
          JSON.stringify({ bucketId: 'docs', sourceKey: key, destinationKey: `${key}/../x` }),
          {
            'content-type': 'application/json',
          },
        ),
        await post('/object/list/docs', JSON.stringify({ prefix: key, search: bucket }), {
          'content-type': 'application/json',
        }),
        await post('/upload/resumable', '', {
          'tus-resumable': '1.0.0',
          'upload-length': '1',
          'upload-metadata': `bucketName ${btoa('docs')},objectName ${Buffer.from(raw).toString('base64')}`,
        }),
        (await harness.fetch(`/object/docs/${encoded}`, {}, serviceRole)).status,
      ]
      expect({ bucket, key, statuses: statuses.filter((status) => status >= 500) }).toEqual({
        bucket,
        key,
        statuses: [],
      })
    }),
    { numRuns: 60, seed: 7 },
  )
  expect((await places()).filter((place) => !OURS.test(place))).toEqual([])
}, 120_000)
