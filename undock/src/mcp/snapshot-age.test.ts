import { expect, test } from 'vitest'
import { maxSnapshotAge } from './merged-server.ts'

const RECENT = 600_000

test.each([
  ['select * from books', null],
  ["insert into books (title) values ('a')", null],
  ['create table authors (id int)', null],
  ['select updated_at, is_deleted from books', null],
  ['delete from books', 0],
  ['select 1; truncate books', 0],
  ['alter table books drop column title', 0],
  ['drop schema public cascade', 0],
  ['update books set title = null', 0],
  ['do $$ begin delete from books; end $$', 0],
  ['delete from books where id = 1', RECENT],
  ['with old as (select 1) update books set title = null where id = 1', RECENT],
  ['merge into books using news on news.id = books.id when matched then delete', RECENT],
  ['alter table books alter column title type int using 0', RECENT],
  ["do $$ begin execute 'drop ' || 'table books'; end $$", RECENT],
  ['call forget_books()', RECENT],
])('%s', (query, age) => {
  expect(maxSnapshotAge('execute_sql', { query })).toBe(age)
  expect(maxSnapshotAge('apply_migration', { name: 'x', query })).toBe(age)
})

test('other tools need no snapshot, and a reset needs a new one', () => {
  expect(maxSnapshotAge('list_tables', { query: 'drop table books' })).toBeNull()
  expect(maxSnapshotAge('execute_sql', { query: 1 })).toBeNull()
  expect(maxSnapshotAge('reset_database', {})).toBe(0)
})
