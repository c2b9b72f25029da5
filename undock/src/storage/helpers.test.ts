import { afterAll, beforeAll, expect, test } from 'vitest'
import { sql, statement } from '../kernel/sql.ts'
import { openTestDatabase, type TestDatabase } from '../testing/database.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await openTestDatabase(`insert into storage.buckets (id, name) values ('docs', 'docs');
    insert into storage.objects (bucket_id, name, metadata) values
      ('docs', 'a/b.txt', '{"size": 5}'), ('docs', 'c', '{"size": 7}'), ('docs', 'd', null)`)
})
afterAll(() => database.close())

const ask = async (query: ReturnType<typeof sql>) => (await database.db.query(statement(query))).rows[0]

test.each([
  ['a/b/c.tar.gz', ['a', 'b'], 'c.tar.gz', 'gz'],
  ['plain', [], 'plain', 'plain'],
  ['a/', ['a'], '', ''],
  ['a//b.TXT', ['a', ''], 'b.TXT', 'TXT'],
])('splits %j into its parts', async (name, folders, file, extension) => {
  expect(
    await ask(sql`select storage.foldername(${name}) as folders, storage.filename(${name}) as file,
      storage.extension(${name}) as extension`),
  ).toEqual({ folders, file, extension })
})

test('returns the size of buckets', async () => {
  expect(await ask(sql`select bucket_id, size::int from storage.get_size_by_bucket()`)).toEqual({
    bucket_id: 'docs',
    size: 12,
  })
})

test.each([
  ['storage.object.upload', 'object.upload', true],
  ['storage.object.upload', 'storage.object.upload', true],
  ['storage.object.list', 'object.upload', false],
  ['', 'object.upload', false],
])('during %j, allows %j only: %j', async (running, expected, allowed) => {
  const [result] = await database.db.run({
    settings: { 'storage.operation': running },
    statements: [
      statement(sql`select storage.allow_only_operation(${expected}) as only, storage.operation() as operation,
        storage.allow_any_operation(array['', ${expected}]) as any`),
    ],
  })
  expect(result?.rows).toEqual([{ only: allowed, any: allowed, operation: running }])
})

test.each([
  ['delete from storage.objects'],
  ["delete from storage.buckets where id = 'docs'"],
  ['delete from storage.objects where false'],
])('denies %s outside the service', async (script) => {
  await expect(database.db.exec(script)).rejects.toMatchObject({
    code: '42501',
    message: 'Direct deletion from storage tables is not allowed. Use the Storage API instead.',
  })
  expect(await ask(sql`select count(*)::int from storage.objects`)).toEqual({ count: 3 })
})

test('every change of an object updates its date, and bucket names have a maximum length', async () => {
  await database.db.exec("update storage.objects set updated_at = '2000-01-01', metadata = '{}' where name = 'd'")
  expect(
    await ask(sql`select updated_at > now() - interval '1 minute' as dated from storage.objects where name = 'd'`),
  ).toEqual({
    dated: true,
  })
  await expect(
    database.db.exec(`insert into storage.buckets (id, name) values ('long', repeat('x', 101))`),
  ).rejects.toMatchObject({ message: expect.stringContaining('Max is 100') })
})
