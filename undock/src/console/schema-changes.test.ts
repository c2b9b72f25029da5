import { expect, test } from 'vitest'
import { createSchemaChanges } from './schema-changes.ts'

/** Records statements with their responses; `>` marks statements that leave a transaction open. @returns the kept ones */
function kept(...statements: readonly (readonly [text: string, command: string])[]): string[] {
  const changes = createSchemaChanges()
  for (const [text, command] of statements) changes.note(text.replace(/^> /, ''), command, text.startsWith('> '))
  return changes.takeCommitted()
}

test("records a single statement if it changes the project's schema", () => {
  expect(
    kept(
      ['-- first\ncreate table a ()', 'CREATE TABLE'],
      ['insert into a default values', 'INSERT'],
      ['create temp table b ()', 'CREATE TABLE'],
      ['create or replace temporary view c as select 1', 'CREATE VIEW'],
      ['create table temp ()', 'CREATE TABLE'],
      ['alter system set work_mem = 1', 'ALTER SYSTEM'],
      ['grant select on a to anon', 'GRANT'],
    ),
  ).toEqual(['-- first\ncreate table a ()', 'create table temp ()', 'grant select on a to anon'])
})

test("records a transaction's changes once it commits", () => {
  const begin = ['> begin', 'BEGIN'] as const
  const table = ['> create table a ()', 'CREATE TABLE'] as const
  expect(kept(begin, table)).toEqual([])
  expect(kept(begin, table, ['commit', 'COMMIT'])).toEqual(['create table a ()'])
  expect(kept(begin, table, ['> commit and chain', 'COMMIT'])).toEqual(['create table a ()'])
  expect(kept(begin, table, ['rollback', 'ROLLBACK'])).toEqual([])
  expect(kept(begin, table, ['commit', 'ROLLBACK'])).toEqual([])
  const point = ['> savepoint s', 'SAVEPOINT'] as const
  const other = ['> create table b ()', 'CREATE TABLE'] as const
  expect(kept(begin, table, point, other, ['> rollback to savepoint s', 'ROLLBACK'], ['commit', 'COMMIT'])).toEqual([
    'create table a ()',
  ])
})
