import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sql, statement } from '../../kernel/sql.ts'
import { type StorageServer, startStorageServer } from '../../testing/storage-server.ts'

let pictures: string
let harness: StorageServer
beforeAll(async () => {
  pictures = await mkdtemp(join(tmpdir(), 'undock-seed-'))
  await mkdir(join(pictures, 'animals'))
  await writeFile(join(pictures, 'animals', 'cat.png'), 'meow')
  await writeFile(join(pictures, 'readme.md'), '# pictures')
  await writeFile(join(pictures, 'Ärger.png'), 'no key')
  harness = await startStorageServer({
    toml: `
[storage.buckets.images]
public = true
file_size_limit = "1MiB"
allowed_mime_types = ["image/*"]
objects_path = "${pictures.replaceAll('\\', '/')}"
[storage.buckets.plain]
[storage.buckets.absent]
objects_path = "./nowhere"
`,
  })
})
afterAll(async () => {
  await harness.close()
  await rm(pictures, { recursive: true })
})

test('buckets of config.toml exist from the start and are updated at the next one', async () => {
  const { data } = await harness.service.storage.listBuckets({ sortColumn: 'id', sortOrder: 'asc' })
  expect(
    data?.map(({ id, public: isPublic, file_size_limit, allowed_mime_types }) => [
      id,
      isPublic,
      file_size_limit,
      allowed_mime_types,
    ]),
  ).toEqual([
    ['absent', false, 52_428_800, null],
    ['images', true, 1_048_576, ['image/*']],
    ['plain', false, 52_428_800, null],
  ])
  await harness.service.storage.updateBucket('images', { public: false })
  await harness.restart()
  expect((await harness.service.storage.getBucket('images')).data).toMatchObject({ public: true })
})

test('seeding uploads a folder, can be repeated and reports skipped files', async () => {
  await harness.seed()
  await harness.seed()
  const { rows } = await harness.db.query(
    statement(sql`select name, metadata ->> 'mimetype' as type, (metadata ->> 'size')::int as size
      from storage.objects order by name collate "C"`),
  )
  expect(rows).toEqual([
    { name: 'animals/cat.png', type: 'image/png', size: 4 },
    { name: 'readme.md', type: 'text/markdown; charset=utf-8', size: 10 },
  ])
  const read = await harness.fetch('/object/public/images/animals/cat.png')
  expect([read.headers.get('content-type'), await read.text()]).toEqual(['image/png', 'meow'])
  expect(harness.logged).toContain('storage: no object can have the name of the seed file Ärger.png')
})
