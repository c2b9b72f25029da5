-- Who is mailed about a comment that calls them: once, while they see the document, want mail and have confirmed their address
begin;
create extension if not exists pgtap with schema extensions;
select plan(10);

insert into auth.users (id, email, email_confirmed_at)
select ('00000000-0000-4000-8000-00000000000' || n)::uuid, name || '@example.org', case when name <> 'unconfirmed' then now() end
from unnest(array['author', 'reader', 'unwilling', 'unconfirmed', 'guest', 'shut_out']) with ordinality as p (name, n);
insert into public.libraries (id, name, require_second_factor) values
  ('a0000000-0000-4000-8000-000000000000', 'A', false), ('b0000000-0000-4000-8000-000000000000', 'B', true);
insert into public.members (library_id, user_id, role)
select l.id, u.id, case when u.email like 'author%' then 'owner' when u.email ~ '^(guest|shut_out)' then 'guest' else 'reader' end::public.member_role
from public.libraries l, auth.users u where u.id::text like '00000000-0000-4000-8000-00000000000_';
insert into public.collections (id, library_id, name) values
  ('a0000000-0000-4000-8000-00000000000c', 'a0000000-0000-4000-8000-000000000000', 'Opened');
insert into public.collection_grants (library_id, collection_id, user_id, role) values
  ('a0000000-0000-4000-8000-000000000000', 'a0000000-0000-4000-8000-00000000000c', '00000000-0000-4000-8000-000000000005', 'reader');
insert into public.documents (id, library_id, collection_id, kind, title) values
  ('a0000000-0000-4000-8000-000000000001', 'a0000000-0000-4000-8000-000000000000', 'a0000000-0000-4000-8000-00000000000c', 'note', 'Lamps'),
  ('b0000000-0000-4000-8000-000000000001', 'b0000000-0000-4000-8000-000000000000', null, 'note', 'Secret');
update public.profiles set mentions_by_mail = false where id = '00000000-0000-4000-8000-000000000003';
insert into public.comments (id, library_id, document_id, created_by, body)
select (letter || '0000000-0000-4000-8000-00000000000d')::uuid, (letter || '0000000-0000-4000-8000-000000000000')::uuid,
  (letter || '0000000-0000-4000-8000-000000000001')::uuid, '00000000-0000-4000-8000-000000000001',
  (select string_agg('@[x](00000000-0000-4000-8000-00000000000' || n || ')', ' ') from generate_series(1, 6) n)
from unnest(array['a', 'b']) letter;

create function pg_temp.mailed(comment uuid, author uuid default '00000000-0000-4000-8000-000000000001') returns text
  language sql
as $$ select string_agg(concat_ws('/', t.email, t.library_name, t.title, left(t.body, 4)), ' ' order by t.email) from public.take_mention_mails(comment, author) t $$;

select is(pg_temp.mailed('a0000000-0000-4000-8000-00000000000d', '00000000-0000-4000-8000-000000000002'), null, 'nobody else has them sent');
select is(pg_temp.mailed('a0000000-0000-4000-8000-00000000000d'), 'guest@example.org/A/Lamps/@[x] reader@example.org/A/Lamps/@[x]',
  'who sees the document, wants mail and has an address');
select is(pg_temp.mailed('a0000000-0000-4000-8000-00000000000d'), null, 'once');
select public.give_back_mention_mails('a0000000-0000-4000-8000-00000000000d', array['00000000-0000-4000-8000-000000000002'::uuid]);
select is(pg_temp.mailed('a0000000-0000-4000-8000-00000000000d'), 'reader@example.org/A/Lamps/@[x]', 'what was given back is owed');
select is(pg_temp.mailed('b0000000-0000-4000-8000-00000000000d'), 'reader@example.org', 'a second factor: nothing of what it guards');

insert into public.comments (id, library_id, document_id, created_by, body)
select ('c0000000-0000-4000-8000-0000000000' || to_char(n, 'FM00'))::uuid, 'a0000000-0000-4000-8000-000000000000',
  'a0000000-0000-4000-8000-000000000001', '00000000-0000-4000-8000-000000000001', '@[x](00000000-0000-4000-8000-000000000002)'
from generate_series(1, 70) n;
select is((select count(*)::integer from public.comments c, public.take_mention_mails(c.id, c.created_by) where c.id::text like 'c%'),
  60 - 3, 'sixty an hour');
update public.mentions set mailed_at = mailed_at - interval '61 minutes';
select is((select count(*)::integer from public.comments c, public.take_mention_mails(c.id, c.created_by) where c.id::text like 'c%'),
  70 - 57, 'and the others in the next');

set local request.jwt.claims = '{"sub": "00000000-0000-4000-8000-000000000002", "role": "authenticated"}';
select is(has_function_privilege('authenticated', 'public.take_mention_mails(uuid, uuid)', 'execute'), false, 'nobody reads addresses that way');
select is(public.author_of('a0000000-0000-4000-8000-00000000000d'), null, 'a comment of another is not theirs');
set local request.jwt.claims = '{"sub": "00000000-0000-4000-8000-000000000001", "role": "authenticated"}';
select is(public.author_of('a0000000-0000-4000-8000-00000000000d'), '00000000-0000-4000-8000-000000000001', 'their own is');

select * from finish();
rollback;
