import { randomUUID } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sql, statement } from '../../kernel/sql.ts'
import { type StorageServer, startStorageServer } from '../../testing/storage-server.ts'
import { bucketFolder } from '../files/contents.ts'
import { FolderContents } from '../files/folder.ts'

let harness: StorageServer
beforeAll(async () => {
  harness = await startStorageServer({ script: "insert into storage.buckets (id, name) values ('docs', 'docs')" })
})
afterAll(() => harness.close())

const contents = async () =>
  (await readdir(join(harness.folder, 'objects'), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => entry.name)

test('a kill between content and row keeps the old object and no orphan after the next start', async () => {
  const files = harness.service.storage.from('docs')
  await files.upload('a.txt', 'old', { contentType: 'text/plain' })
  // Such a kill leaves a new content in place, the row on the old one, and half of a third one in tmp.
  const store = await FolderContents.open(harness.folder)
  async function* source() {
    yield Buffer.from('new')
  }
  await store.write({ bucket: 'docs', version: randomUUID() }, source(), 100)
  await store.write({ bucket: 'a bucket that is gone', version: randomUUID() }, source(), 100)
  await writeFile(join(harness.folder, 'tmp', randomUUID()), 'half')
  expect(await contents()).toHaveLength(3)

  await harness.restart()
  expect(await (await files.download('a.txt')).data?.text()).toBe('old')
  expect(await contents()).toHaveLength(1)
  expect(await readdir(join(harness.folder, 'tmp'))).toEqual([])
  expect(harness.logged).toContain('storage: removed contents that no object refers to')
})

test('reports a row without content at start and responds as for a missing object', async () => {
  const files = harness.service.storage.from('docs')
  await files.upload('lost.txt', 'lost', { contentType: 'text/plain' })
  const { rows } = await harness.db.query<{ version: string }>(
    statement(sql`select version from storage.objects where name = 'lost.txt'`),
  )
  await rm(join(harness.folder, 'objects', bucketFolder('docs'), rows[0]?.version ?? ''))
  await harness.restart()
  expect(harness.logged).toContain('storage: an object has no content')
  expect((await files.download('lost.txt')).error).toMatchObject({ status: 400 })
  expect((await files.upload('lost.txt', 'found', { contentType: 'text/plain', upsert: true })).error).toBeNull()
  expect(await (await files.download('lost.txt')).data?.text()).toBe('found')
})

test('a failed commit deletes its content', async () => {
  await harness.db.query(
    statement(sql`create or replace function storage.refuse() returns trigger language plpgsql as
      'begin if new.version <> ''1'' then raise exception ''no'' using errcode = ''42501''; end if; return new; end'`),
  )
  await harness.db.query(
    statement(
      sql`create trigger refuse before insert on storage.objects for each row execute function storage.refuse()`,
    ),
  )
  const before = await contents()
  const { error } = await harness.service.storage.from('docs').upload('b.txt', 'b')
  expect(error).toMatchObject({ statusCode: '403', message: 'no' })
  expect(await contents()).toEqual(before)
})

test('contents shared by copies survive the removal of one of them', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'undock-content-'))
  const store = await FolderContents.open(folder)
  const [from, to] = [
    { bucket: 'a', version: randomUUID() },
    { bucket: 'b', version: randomUUID() },
  ]
  async function* source() {
    yield Buffer.from('shared')
  }
  await store.write(from, source(), 100)
  await store.copy(from, to)
  await store.remove([from])
  expect(await readFile(join(folder, 'objects', bucketFolder('b'), to.version), 'utf8')).toBe('shared')
  await expect(store.open(from)).rejects.toMatchObject({ code: 'NoSuchKey' })
  await rm(folder, { recursive: true })
})
