import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startS3Store, type TestStore } from '../../testing/s3-store.ts'
import { bucketFolder } from './contents.ts'
import { FolderContents } from './folder.ts'
import { type MovedObject, moveContents } from './move.ts'
import { openFiles, type S3Files } from './open-files.ts'

let folder: string
let store: TestStore
let s3: S3Files
let files: FolderContents
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'undock-move-'))
  files = await FolderContents.open(folder)
  store = await startS3Store()
  s3 = (await openFiles(store.files, { log: { info: () => undefined } })) as S3Files
})
afterAll(async () => {
  s3.close()
  await store.close()
  await rm(folder, { recursive: true })
})

async function* of<T>(items: readonly T[]) {
  yield* items
}
const run = (objects: readonly MovedObject[], places: Parameters<typeof moveContents>[1], stopAfter = Infinity) => {
  const cancel = new AbortController()
  const onFile = (done: number) => done >= stopAfter && cancel.abort(new Error('stopped'))
  return moveContents(of(objects), places, { signal: cancel.signal, onFile })
}

test('moves files to S3 and back, verified, and resumes an interrupted move', async () => {
  const contents = Array.from({ length: 12 }, (_, index) => randomBytes(index === 0 ? 11 * 1024 * 1024 : index * 1000))
  const objects: MovedObject[] = []
  for (const [index, content] of contents.entries()) {
    const place = { bucket: index % 2 ? 'a' : 'b', version: randomUUID() }
    const { size, etag } = await files.write(place, of([content]), content.length)
    // Multipart etags aren't hashes of the bytes, and seeded rows have none.
    objects.push({
      ...place,
      name: `${index}`,
      size,
      etag: index === 1 ? `"${'0'.repeat(32)}-3"` : index === 2 ? null : etag,
    })
  }
  await expect(run(objects, { from: files, to: s3.objects }, 5)).rejects.toThrow('stopped')
  const begun = (await store.keys()).length
  expect(begun).toBeGreaterThanOrEqual(5)
  const rest = await run(objects, { from: files, to: s3.objects })
  expect(rest).toMatchObject({ copied: 12 - begun, present: begun, failed: [] })
  expect(rest.bytes).toBe(contents.reduce((sum, { length }) => sum + length, 0))
  expect(await run(objects, { from: files, to: s3.objects })).toMatchObject({ copied: 0, present: 12 })

  const other = await mkdtemp(join(tmpdir(), 'undock-move-'))
  const back = await FolderContents.open(other)
  expect(await run(objects, { from: s3.objects, to: back })).toMatchObject({ copied: 12, failed: [] })
  for (const [index, object] of objects.entries()) {
    const hash = createHash('md5')
    for await (const chunk of (await back.open(object)).stream()) hash.update(chunk)
    expect(hash.digest('hex')).toBe(
      createHash('md5')
        .update(contents[index] ?? '')
        .digest('hex'),
    )
  }
  await rm(other, { recursive: true })
})

test('reports damaged sources and replaces damaged copies', async () => {
  const make = async (name: string) => {
    const place = { bucket: 'c', version: randomUUID() }
    const { size, etag } = await files.write(place, of([Buffer.from(`content of ${name}`)]), 100)
    return { ...place, name, size, etag }
  }
  const [short, other, lost, wrongThere] = [await make('x'), await make('y'), await make('z'), await make('w')]
  const pathOf = ({ version }: MovedObject) => join(folder, 'objects', bucketFolder('c'), version)
  await writeFile(pathOf(short), 'cut')
  await writeFile(pathOf(other), 'content of ?')
  await rm(pathOf(lost))
  await s3.objects.write(wrongThere, of([Buffer.from('content of v')]), 100)
  const { failed, copied } = await run([short, other, lost, wrongThere], { from: files, to: s3.objects })
  expect(copied).toBe(1)
  expect(failed.map(({ object, reason }) => `${object.name}: ${reason}`).toSorted()).toEqual([
    'x: it has 3 bytes, and its row says 12',
    expect.stringMatching(/^y: its MD5 is [0-9a-f]{32}, and its row says [0-9a-f]{32}$/),
    'z: Object not found',
  ])
  const read = await s3.objects.open(wrongThere)
  expect(Buffer.concat(await Array.fromAsync(read.stream())).toString()).toBe('content of w')
})
