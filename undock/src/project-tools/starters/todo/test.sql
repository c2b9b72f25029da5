-- Run with `npx undock db test`, which rolls everything back.
begin;
create extension if not exists pgtap with schema extensions;
select plan(9);

insert into auth.users (id, email) values
  ('a0000000-0000-4000-8000-00000000000a', 'owner@todo.test'),
  ('b0000000-0000-4000-8000-00000000000b', 'stranger@todo.test');
insert into public.todos (owner_id, title) values ('b0000000-0000-4000-8000-00000000000b', 'Of the stranger');

set local role authenticated;
set local request.jwt.claims = '{"sub": "a0000000-0000-4000-8000-00000000000a", "role": "authenticated"}';
select lives_ok($$insert into public.todos (title) values ('Mine')$$, 'users add todos, which become theirs');
select results_eq('select title from public.todos', array['Mine'], 'users read their own todos, and no others');
select throws_ok(
  $$insert into public.todos (owner_id, title) values ('b0000000-0000-4000-8000-00000000000b', 'x')$$, '42501', null,
  'users add no todos in the name of others');
select throws_ok($$insert into public.todos (title) values ('')$$, '23514', null, 'a todo has a title');
select results_eq(
  'update public.todos set is_done = true returning title', array['Mine'], 'users change their own todos, and no others');
select throws_ok(
  $$update public.todos set owner_id = 'b0000000-0000-4000-8000-00000000000b'$$, '42501', null,
  'users do not give todos away');
select results_eq('delete from public.todos returning title', array['Mine'], 'users delete their own todos, and no others');

set local role anon;
set local request.jwt.claims = '{"role": "anon"}';
select throws_ok('select from public.todos', '42501', null, 'who is not signed in reads nothing');
select throws_ok($$insert into public.todos (title) values ('x')$$, '42501', null, 'who is not signed in adds nothing');

select * from finish();
rollback;
