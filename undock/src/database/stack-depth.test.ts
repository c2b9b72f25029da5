import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestDatabase, type TestDatabase } from '../testing/database.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await openTestDatabase(`
    create table kept (id int);
    insert into kept values (1);
    create function endless(turn int) returns int language plpgsql as $$ begin return endless(turn + 1); end $$;`)
})
afterAll(() => database.close())

const deep = 100_000

test.each([
  ['a function that calls itself', 'select endless($1::int)', 1],
  ['nested lists', 'select $1::jsonb is null', `${'['.repeat(deep)}${']'.repeat(deep)}`],
])('ends %s without ending anything else', async (_name, text, value) => {
  await expect(database.db.query({ text, values: [value] })).rejects.toMatchObject({ code: '54001' })
  expect((await database.db.query({ text: 'select id from kept', values: [] })).rows).toEqual([{ id: 1 }])
})
