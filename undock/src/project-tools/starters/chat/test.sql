-- Run with `npx undock db test`, which rolls everything back.
begin;
create extension if not exists pgtap with schema extensions;
select plan(14);

insert into auth.users (id, email) values
  ('a0000000-0000-4000-8000-00000000000a', 'member@chat.test'),
  ('b0000000-0000-4000-8000-00000000000b', 'stranger@chat.test');

set local role authenticated;
set local request.jwt.claims = '{"sub": "a0000000-0000-4000-8000-00000000000a", "role": "authenticated"}';
select lives_ok(
  $$insert into public.rooms (id, name) values ('c0000000-0000-4000-8000-00000000000c', 'Test')$$, 'users open rooms');
select results_eq(
  'select user_id from public.room_members', array['a0000000-0000-4000-8000-00000000000a'::uuid],
  'who opens a room is its member');
select lives_ok(
  $$insert into public.messages (room_id, body) values ('c0000000-0000-4000-8000-00000000000c', 'Hello')$$,
  'members write messages');
select results_eq('select body from public.messages', array['Hello'], 'members read the messages of their rooms');

reset role;
select results_eq(
  $$select event, private, payload -> 'record' ->> 'body' from realtime.messages
    where topic = 'room:c0000000-0000-4000-8000-00000000000c'$$,
  $$values ('INSERT', true, 'Hello')$$, 'a message is sent to the private channel of its room');

set local role authenticated;
set local realtime.topic = 'room:c0000000-0000-4000-8000-00000000000c';
select isnt_empty('select from realtime.messages', 'members listen to the channel of their room');
set local request.jwt.claims = '{"sub": "b0000000-0000-4000-8000-00000000000b", "role": "authenticated"}';
select is_empty('select from realtime.messages', 'strangers do not listen to it');
select throws_ok(
  $$insert into realtime.messages (topic, extension) values ('room:c0000000-0000-4000-8000-00000000000c', 'broadcast')$$,
  '42501', null, 'strangers do not send to it');
select is_empty('select from public.messages', 'strangers read no messages');
select throws_ok(
  $$insert into public.messages (room_id, body) values ('c0000000-0000-4000-8000-00000000000c', 'x')$$, '42501', null,
  'strangers write no messages');
select throws_ok(
  $$insert into public.room_members (room_id, user_id)
    values ('c0000000-0000-4000-8000-00000000000c', 'a0000000-0000-4000-8000-00000000000a')$$, '42501', null,
  'users do not make others join');
select lives_ok(
  $$insert into public.room_members (room_id) values ('c0000000-0000-4000-8000-00000000000c')$$, 'users join rooms');
select results_eq(
  $$update public.messages set body = 'y' returning body$$, array[]::text[], 'members do not change the messages of others');

set local role anon;
set local request.jwt.claims = '{"role": "anon"}';
select throws_ok('select from public.messages', '42501', null, 'who is not signed in reads nothing');

select * from finish();
rollback;
