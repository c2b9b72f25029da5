import { randomBytes, randomUUID } from 'node:crypto'
import { CreateMultipartUploadCommand, ListMultipartUploadsCommand, UploadPartCommand } from '@aws-sdk/client-s3'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sql, statement } from '../../kernel/sql.ts'
import { openS3Store, startS3Store, type TestStore } from '../../testing/s3-store.ts'
import { type StorageServer, startStorageServer } from '../../testing/storage-server.ts'
import { LOCAL_CREDENTIALS } from '../s3/authenticate.ts'
import { openFiles, type S3Files } from './open-files.ts'
import { keepRepaired, LEFT_OVER_AFTER, repairStore } from './s3-upkeep.ts'

const MIB = 1024 * 1024
const QUIET = { info: () => undefined, warn: () => undefined, error: () => undefined }

describe.each(['another make', 'undock itself'])('on a store of %s', (make) => {
  let outer: StorageServer | undefined
  let store: TestStore
  let harness: StorageServer
  let files: S3Files
  beforeAll(async () => {
    if (make === 'undock itself') {
      outer = await startStorageServer()
      const { accessKey, secretKey, region } = LOCAL_CREDENTIALS
      const { host } = new URL(outer.url)
      const url = `http://${accessKey}:${secretKey}@${host}/storage/v1/s3/files?region=${region}`
      store = await openS3Store(new URL(url), () => outer?.close())
    } else store = await startS3Store()
    harness = await startStorageServer({
      files: store.files,
      script: `insert into storage.buckets (id, name) values ('docs', 'docs')`,
    })
    files = (await openFiles(store.files, { log: QUIET })) as S3Files
  })
  afterAll(async () => {
    files.close()
    await harness.close()
    await store.close()
  })
  async function* source() {
    yield Buffer.from('an orphan')
  }
  const at = (age: number) => ({
    system: harness.db,
    log: QUIET,
    clock: { now: () => new Date(Date.now() + age) },
  })
  const OLD = LEFT_OVER_AFTER + 60_000

  test('removes unreferenced objects only once they are old', async () => {
    const docs = harness.service.storage.from('docs')
    expect((await docs.upload('kept', 'kept')).error).toBeNull()
    expect((await docs.upload('large', randomBytes(11 * MIB))).error).toBeNull()
    await files.objects.write({ bucket: 'docs', version: randomUUID() }, source(), 100)
    await files.objects.write({ bucket: 'a bucket that is gone', version: randomUUID() }, source(), 100)
    const { rows } = await harness.db.query<{ version: string }>(
      statement(sql`select version from storage.objects where name = 'kept'`),
    )
    await files.objects.write({ bucket: 'other', version: rows[0]?.version ?? '' }, source(), 100)
    await files.store.put(`tails/${randomUUID()}/${randomUUID()}`, Buffer.from('the end of an upload'))
    const all = await store.keys()
    expect(all).toHaveLength(6)
    expect(await repairStore(at(LEFT_OVER_AFTER - 60_000), files.store)).toEqual({ orphans: 0, uploads: 0 })
    expect(await store.keys()).toEqual(all)
    expect(await repairStore(at(OLD), files.store)).toEqual({ orphans: 4, uploads: 0 })
    expect(await store.keys()).toHaveLength(2)
    expect(await (await docs.download('kept')).data?.text()).toBe('kept')
    expect((await docs.download('large')).data?.size).toBe(11 * MIB)
    expect(await repairStore(at(OLD), files.store)).toEqual({ orphans: 0, uploads: 0 })
  })

  // fauxqs can't list uploads.
  test.skipIf(make !== 'undock itself')('aborts an abandoned upload with its parts', async () => {
    const { bucket: Bucket, prefix } = store.files
    const begin = async (Key: string) => {
      const { UploadId } = await store.client.send(new CreateMultipartUploadCommand({ Bucket, Key }))
      await store.client.send(new UploadPartCommand({ Bucket, Key, UploadId, PartNumber: 1, Body: 'x' }))
    }
    const listed = async () => {
      const { Uploads = [] } = await store.client.send(new ListMultipartUploadsCommand({ Bucket }))
      return Uploads.map(({ Key }) => Key)
    }
    await begin(`${prefix}/objects/0/1`)
    await begin('of somebody else')
    expect(await repairStore(at(0), files.store)).toEqual({ orphans: 0, uploads: 0 })
    expect(await repairStore(at(OLD), files.store)).toEqual({ orphans: 0, uploads: 1 })
    expect(await listed()).toEqual(['of somebody else'])
    async function* broken() {
      yield randomBytes(11 * MIB)
      throw new Error('gone')
    }
    const place = { bucket: 'docs', version: randomUUID() }
    await expect(files.objects.write(place, broken(), 20 * MIB)).rejects.toThrow('gone')
    expect(await listed()).toEqual(['of somebody else'])
  })

  test('rejects another database', async () => {
    const other = startStorageServer({ files: store.files })
    await expect(other).rejects.toThrow(/holds the files of another database .* Give each database a prefix of its own/)
    await harness.restart()
  })
})

test('only one node repairs, once a day', async () => {
  const store = await startS3Store()
  const harness = await startStorageServer({ files: store.files })
  const files = (await openFiles(store.files, { log: QUIET })) as S3Files
  const told: string[] = []
  const refused: string[] = []
  const deps = {
    system: harness.db,
    clock: { now: () => new Date(Date.now() + LEFT_OVER_AFTER + 60_000) },
    log: {
      ...QUIET,
      info: (message: string) => void told.push(message),
      error: (_message: string, error: unknown) => void refused.push(String(error)),
    },
  }
  const leave = () => files.store.put(`tails/${randomUUID()}`, Buffer.from('x'))
  await leave()
  const nodes = [1, 2, 3].map(() => keepRepaired(deps, files.store, 20))
  await expect.poll(() => told.length).toBe(1)
  expect(await store.keys()).toEqual([])
  await leave()
  await new Promise((resolve) => setTimeout(resolve, 300))
  expect(await store.keys()).toHaveLength(1)
  await harness.db.query(statement(sql`update _undock.file_store set repair_due = now()`))
  await expect.poll(() => told.length).toBe(2)
  // Restored from an earlier backup, it lacks the rows of objects stored since.
  await harness.db.query(statement(sql`update _undock.file_store set repairs = 1, repair_due = now()`))
  await leave()
  await expect.poll(() => refused).toEqual([expect.stringContaining('set repairs = 2')])
  expect(await store.keys()).toHaveLength(1)
  await harness.db.query(statement(sql`update _undock.file_store set repairs = 2, repair_due = now()`))
  await expect.poll(() => store.keys()).toEqual([])
  for (const end of nodes) end()
  files.close()
  await harness.close()
  await store.close()
})
