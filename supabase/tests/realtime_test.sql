-- A library's channels end when someone may have lost access, and only then
begin;
\ir helpers.psql
select plan(36);

select pg_temp.add_people('owner', 'editor', 'reader', 'guest', 'second');
insert into public.libraries (id, name) values (md5('library')::uuid, 'Lab');
insert into public.members (library_id, user_id, role) select md5('library')::uuid, md5(person)::uuid, role::public.member_role
  from (values ('owner', 'owner'), ('editor', 'editor'), ('reader', 'reader'), ('guest', 'guest'), ('second', 'guest')) m (person, role);
insert into public.collections (id, library_id, parent_id, name) values
  (md5('outer')::uuid, md5('library')::uuid, null, 'Outer'), (md5('inner')::uuid, md5('library')::uuid, md5('outer')::uuid, 'Inner'), (md5('loose')::uuid, md5('library')::uuid, null, 'Loose');
insert into public.documents (id, library_id, collection_id, kind, title) values
  (md5('note')::uuid, md5('library')::uuid, md5('inner')::uuid, 'note', 'Note'), (md5('file')::uuid, md5('library')::uuid, md5('inner')::uuid, 'file', 'File');
insert into public.documents (id, library_id, kind, title) values (md5('apart')::uuid, md5('library')::uuid, 'note', 'Apart');
insert into public.groups (id, library_id, name) values (md5('group')::uuid, md5('library')::uuid, 'Team');
insert into public.sign_in_domains (library_id, domain, verified_at, provider_id)
  values (md5('library')::uuid, 'example.org', now(), md5('provider')::uuid);

/* Returns how much a command raises the channel number as the first one of its transaction. */
create function pg_temp.raised(command text) returns bigint
  language plpgsql
as $$
declare
  before bigint;
  after bigint;
begin
  update public.library_channels set renewed_in = null returning epoch into before;
  execute command;
  select epoch into after from public.library_channels;
  return after - before;
end
$$;
create function pg_temp.expect(command text, expected integer, reason text) returns text
  language sql
as $$ select extensions.is(pg_temp.raised(command), expected::bigint, reason) $$;

select extensions.is((select array_agg(epoch) from public.library_channels where library_id = md5('library')::uuid), '{1}', 'a library''s first channel has number 1');
delete from public.library_channels where library_id <> md5('library')::uuid;
select pg_temp.expect('update public.documents set collection_id = null where title = ''Note''', 0, 'moving a note without grants keeps the channels');
select pg_temp.expect('update public.documents set collection_id = md5(''inner'')::uuid where title = ''Note''', 0, 'moving it into a collection keeps them');
select pg_temp.expect('insert into public.collection_grants (library_id, collection_id, user_id, role)
  select md5(''library'')::uuid, md5(''outer'')::uuid, md5(p)::uuid, ''editor'' from unnest(array[''guest'', ''reader'']) p', 0, 'gaining a grant keeps them');
select pg_temp.expect('insert into public.group_members (library_id, group_id, user_id) select md5(''library'')::uuid, md5(''group'')::uuid, md5(''second'')::uuid', 0, 'joining a group keeps them');
select pg_temp.expect('insert into public.group_grants (library_id, collection_id, group_id, role) values (md5(''library'')::uuid, md5(''outer'')::uuid, md5(''group'')::uuid, ''editor'')', 0, 'a new group grant keeps them');
select pg_temp.expect('insert into public.collection_approvals (collection_id, library_id) values (md5(''outer'')::uuid, md5(''library'')::uuid)', 1, 'requiring approval ends them');
select pg_temp.expect('update public.documents set collection_id = md5(''outer'')::uuid where title = ''Apart''', 1, 'moving a note to a collection with approval ends them');
select pg_temp.expect('update public.collections set parent_id = md5(''outer'')::uuid where name = ''Loose''', 1, 'moving a collection there ends them');
select pg_temp.expect('delete from public.collection_approvals', 0, 'ending approval keeps them');
select pg_temp.expect('update public.documents set collection_id = null where title = ''File''', 0, 'moving a file keeps them');
select pg_temp.expect('update public.documents set title = ''Note!'' where title = ''Note''', 0, 'renaming a note keeps them');
select pg_temp.expect('update public.documents set collection_id = null where title = ''Note!''', 1, 'moving a note away from its writers ends them');
select pg_temp.expect('update public.documents set collection_id = md5(''inner'')::uuid where title = ''Note!''', 0, 'moving it back keeps them');
select pg_temp.expect('update public.collections set parent_id = null where name = ''Inner''', 1, 'moving a collection out of another one ends them');
select pg_temp.expect('update public.collections set name = ''Within'' where name = ''Inner''', 0, 'renaming a collection keeps them');
select pg_temp.expect('update public.collection_grants set role = ''reader'' where user_id = md5(''guest'')::uuid', 1, 'reducing a grant ends them');
select pg_temp.expect('update public.collection_grants set role = ''editor'' where user_id = md5(''guest'')::uuid', 0, 'extending a grant keeps them');
select pg_temp.expect('delete from public.collection_grants where user_id = md5(''reader'')::uuid', 1, 'removing a grant ends them');
select pg_temp.expect('update public.group_grants set role = ''reader''', 1, 'reducing a group grant ends them');
select pg_temp.expect('delete from public.group_grants', 1, 'removing a group grant ends them');
select pg_temp.expect('delete from public.group_members', 1, 'leaving a group ends them');
select pg_temp.expect('update public.libraries set require_second_factor = true', 1, 'requiring a second factor ends them');
select pg_temp.expect('update public.libraries set require_second_factor = false', 0, 'no longer requiring it keeps them');
select pg_temp.expect('update public.sign_in_domains set is_required = true', 1, 'requiring company sign-in ends them');
select pg_temp.expect('update public.sign_in_domains set company = ''Example''', 0, 'naming the company keeps them');
select pg_temp.expect('update public.sign_in_domains set provider_id = md5(''other'')::uuid', 1, 'changing the identity provider ends them');
select pg_temp.expect('update public.members set role = ''reader'' where user_id = md5(''editor'')::uuid', 1, 'reducing a role ends them');
select pg_temp.expect('update public.members set role = ''editor'' where user_id = md5(''editor'')::uuid', 0, 'extending a role keeps them');
delete from realtime.messages;
select pg_temp.expect('delete from public.members where role in (''editor'', ''reader'')', 1, 'removing several members ends them once');
select extensions.is((select count(*)::integer from realtime.messages m, public.library_channels c
  where m.topic = format('library:%s:%s', c.library_id, c.epoch - 1) and m.event = 'members' and m.private), 1, 'the old channel is notified');
select extensions.is((select array_agg(topic order by topic) from realtime.messages where event = 'access'),
  (select array_agg('user:' || md5(p)::uuid order by 'user:' || md5(p)::uuid) from unnest(array['guest', 'second']) p), 'each guest is notified');
select pg_temp.expect('insert into public.members (library_id, user_id, role) values (md5(''library'')::uuid, md5(''reader'')::uuid, ''reader'')', 0, 'joining the library keeps them');
select extensions.lives_ok('delete from public.libraries where id = md5(''library'')::uuid', 'a library is deleted with its channels');
select extensions.is((select count(*)::integer from public.library_channels), 0, 'no channels are left');
select extensions.set_eq(
  $$ select tgrelid::regclass::text || ' ' || rtrim(encode(tgargs, 'escape'), '\000') from pg_trigger t join pg_proc p on p.oid = tgfoid
     where p.proname = 'broadcast_change' $$,
  array['members members', 'invitations members', 'collection_grants members', 'groups members', 'group_members members', 'group_grants members',
    'received_files requests', 'notifications notifications', 'favorites favorites'], 'each table broadcasts its own event');
select * from extensions.finish();
rollback;
