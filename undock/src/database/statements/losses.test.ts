import { expect, test } from 'vitest'
import { lossesOf } from './losses.ts'

const told = (statement: string) =>
  lossesOf(statement).map(
    ({ action, kind, name, column, isOptional, cascades }) =>
      `${action} ${kind} ${column === undefined ? '' : `${column} of `}${name}${isOptional ? ' if exists' : ''}${cascades ? ' cascade' : ''}`,
  )

test.each([
  ['drop table books', ['drop table books']],
  [
    '-- gone\nDROP TABLE IF EXISTS public."Old; books", b CASCADE;',
    ['drop table public."Old; books" if exists cascade', 'drop table b if exists cascade'],
  ],
  ['drop materialized view m', ['drop materialized view m']],
  ['drop index concurrently if exists a.i', ['drop index a.i if exists']],
  ['drop function f(int, text), g', ['drop function f(int, text)', 'drop function g']],
  ['drop policy "a, b" on public.books', ['drop policy "a, b" on public.books']],
  ['drop owned by ada', ['drop owned by ada']],
  [
    'truncate table only a, public.b restart identity cascade',
    ['truncate table a cascade', 'truncate table public.b cascade'],
  ],
  [
    'alter table only public.books drop column price, drop if exists "a, b" cascade, add c int',
    ['drop table price of public.books', 'drop table "a, b" of public.books if exists cascade'],
  ],
  ['alter table books drop constraint c, alter column d drop default, alter e drop not null', []],
  ['alter type t drop attribute a', ['drop type a of t']],
  ['alter policy p on books using (true)', []],
  ['delete from books', ['delete table books']],
  ['delete from only "Books" as b using authors a', ['delete table "Books"']],
  ['delete from books where id = 1', []],
  ['delete from books where current of c', []],
  ['delete from books returning (select 1 from a where true)', ['delete table books']],
  ['update books b set title = (select name from a where a.id = b.author)', ['update table books']],
  ["update books set title = ' where ' -- where\n", ['update table books']],
  ['update books set title = 1 where id = 2', []],
  [
    'with gone as (delete from public.books returning *) select * from gone where id > 1',
    ['delete table public.books'],
  ],
  ['with a as (select 1 from b where c) delete from d', ['delete table d']],
  ['with a as (delete from b where c) select * from d for update of d', []],
  ['with a as (insert into b values (1) on conflict (c) do update set d = 1) select 1', []],
  ['select * from books for update', []],
  ['insert into books values (1) on conflict (id) do update set title = 2', []],
  ['explain delete from books', []],
  ['explain (analyze) delete from books', ['delete table books']],
  ["create function f() returns void language sql as 'delete from books'", []],
  ['create trigger t before delete or truncate on books for each statement execute function f()', []],
  ['grant delete, truncate on books to anon', []],
  [
    'do $x$ begin if true then drop table a; end if; delete from b where c; update d set e = 1; end $x$',
    ['drop table a', 'update table d'],
  ],
  ["select 'drop table books'", []],
  ['drop', []],
  ['', []],
] as const)('%s', (statement, losses) => {
  expect(told(statement)).toEqual(losses)
})
