-- API keys: who creates and revokes them, and that a key does no more than its owner may, in its library, within its scopes
begin;
\ir helpers.psql
select plan(70);

create temporary table keys (name text, id uuid, secret text);
grant select on keys to authenticated;

/* Runs a command with a key, like the function `api`, and returns the number of affected rows. */
create function pg_temp.with_key(key text, command text) returns text
  language plpgsql
as $$
declare
  value text;
  rows bigint;
begin
  begin
    perform private.enter_api_key((select id from keys where name = key)), set_config('role', 'api_key', true);
    if command ~ '^(insert|update|delete)' then
      execute command;
      get diagnostics rows = row_count;
      value := rows;
    else
      execute 'select ' || command into value;
    end if;
    perform set_config('role', 'none', true), set_config('request.jwt.claims', '', true), set_config('carrel.api_key', '', true);
    return value;
  exception when others then
    return sqlstate || ' ' || sqlerrm;
  end;
end
$$;
create function pg_temp.outcome(key text) returns text
  language sql
as $$ select outcome from private.use_api_key((select private.hash_token(secret) from keys where name = key)) $$;

select pg_temp.add_people('ann', 'ben', 'cyd', 'gus', 'eve');
create temporary table lab as select (pg_temp.by('ann', '(public.create_library(''Lab'')).id'))::uuid as id;
create temporary table other as select (pg_temp.by('eve', '(public.create_library(''Other'')).id'))::uuid as id;
-- Ann is a member of the other library too, so anything her keys saw of it would come from her rights.
insert into public.members select id, md5('ann')::uuid, 'owner' from other;
insert into public.members select id, md5('ben')::uuid, 'editor'::public.member_role from lab union all select id, md5('cyd')::uuid, 'reader' from lab
  union all select id, md5('gus')::uuid, 'guest' from lab;
insert into public.collections (id, library_id, name) select md5('shared')::uuid, id, 'Shared' from lab;
insert into public.collection_grants (library_id, collection_id, user_id, role) select id, md5('shared')::uuid, md5('gus')::uuid, 'editor' from lab;
grant select on lab, other to authenticated, api_key;
create temporary table notes as
  select md5('note')::uuid as id, pg_temp.by('ann', format('(public.add_note(%L, ''Light'', ''A lighthouse.'', null, %L)).id', lab.id, md5('note')::uuid)) as made from lab
  union all select md5('shared note')::uuid, pg_temp.by('ann', format('(public.add_note(%L, ''Given'', ''Open.'', %L, %L)).id', lab.id, md5('shared')::uuid, md5('shared note')::uuid)) from lab
  union all select md5('hers')::uuid, pg_temp.by('eve', format('(public.add_note(%L, ''Hers'', ''Not yours.'', null, %L)).id', other.id, md5('hers')::uuid)) from other;
-- Her grants in the other library aren't her keys', either.
insert into public.collections (id, library_id, name) select md5('her place')::uuid, id, 'Her place' from other;
update public.documents set collection_id = md5('her place')::uuid where id = md5('hers')::uuid;
insert into public.collection_grants (library_id, collection_id, user_id, role) select id, md5('her place')::uuid, md5('ann')::uuid, 'editor' from other;
insert into public.comments (id, library_id, document_id, body, created_by)
  select md5('remark')::uuid, id, md5('note')::uuid, 'Ben''s remark', md5('ben')::uuid from lab;

-- Creating and listing keys
create function pg_temp.make(person text, called text, scopes text, days text default 'null', aal text default 'aal1') returns text
  language plpgsql
as $$
declare
  made text := pg_temp.by(person, format('public.create_api_key((select id from lab), %L, %L, %s)', called, scopes, days), aal);
begin
  if made !~ '^\{' then return made; end if;
  insert into keys values (called, (made::jsonb ->> 'id')::uuid, made::jsonb ->> 'key');
  return 'made';
end
$$;
select extensions.is(pg_temp.make('ann', 'write', '{documents:write}', '30'), 'made', 'an owner creates a key');
select extensions.matches((select secret from keys), '^carrel_[0-9a-f]{48}$', 'a key has a recognizable format');
select extensions.is((select right(secret, 8) from keys), (select left(encode(sha256(convert_to(left(secret, -8), 'UTF8')), 'hex'), 8) from keys), 'a key ends with a checksum');
select extensions.is((select row(k.key_hash, k.ending)::text from public.api_keys k),
  (select row(encode(sha256(convert_to(secret, 'UTF8')), 'hex'), right(secret, 4))::text from keys), 'only the hash of a key is stored');
select extensions.is((select scopes::text from public.api_keys), '{documents:read,documents:write}', 'write access includes read access');
select extensions.ok((select expires_at = now() + interval '30 days' from public.api_keys), 'a key expires after the chosen number of days');
select extensions.is(pg_temp.make(who, 'no', '{search}'), '42501 Only an owner can create keys for a library.', who || ' cannot create a key')
  from unnest(array['ben', 'cyd', 'gus', 'eve']) who;
select extensions.is(pg_temp.by(who, '(select count(*) from public.api_keys)'), case who when 'ann' then '1' else '0' end, who || case who when 'ann' then ' sees the key' else ' sees no keys' end)
  from unnest(array['ann', 'ben', 'cyd', 'gus', 'eve']) who;
select extensions.matches(pg_temp.by('ann', '(select key_hash from public.api_keys)'), '^42501', 'the hash cannot be read');
select extensions.matches(pg_temp.make('ann', 'x', '{admin}'), '^22023 A key needs one or more of these', 'an unknown scope is rejected');
select extensions.matches(pg_temp.make('ann', 'x', '{}'), '^22023', 'a key without scopes is rejected');
select extensions.matches(pg_temp.make('ann', 'x', '{search}', '0'), '^22023 A key is valid for 1', 'a key is valid for at least one day');
select extensions.matches(pg_temp.make('ann', '  ', '{search}'), '^23514', 'a key needs a name');

-- Scopes
select pg_temp.make('ann', 'read', '{documents:read}'), pg_temp.make('ann', 'talk', '{comments:write}'),
  pg_temp.make('ann', 'people', '{members:read}'), pg_temp.make('ann', 'find', '{search}');
select extensions.is(pg_temp.with_key('read', '(select string_agg(title, '', '' order by title) from public.documents)'), 'Given, Light', 'a key sees only documents of its library');
select extensions.is(pg_temp.with_key('read', '(select string_agg(name, '', '') from public.libraries)'), 'Lab', 'a key sees only its library');
select extensions.is(pg_temp.with_key('write', '(select array[(select count(*) from private.library_ids(''guest'')), (select count(*) from private.library_ids(''owner'')), (select count(*) from private.granted_collections())])'),
  '{1,0,0}', 'policy helpers are limited to the key''s library and never grant owner rights');
select extensions.matches(pg_temp.with_key('read', '(public.add_note((select id from lab), ''x'')).id'), '^42501', 'adding documents requires a scope');
select extensions.is(pg_temp.with_key('read', 'update public.documents set title = ''x'''), '0', 'changing documents requires a scope');
select extensions.is(pg_temp.with_key('read', '(select count(*) from public.comments)'), '0', 'reading comments requires a scope');
select extensions.is(pg_temp.with_key('read', '(select count(*) from public.members)'), '0', 'reading members requires a scope');
select extensions.is(pg_temp.with_key('read', '(select count(*) from private.api_search(''lighthouse'', null, null, ''{}'', 5))'), '0', 'searching requires a scope');
select extensions.is(pg_temp.with_key('read', '(select count(*) from private.api_shelf(''{}'', null, ''title'', false, null, 5))'), '2', 'a key for reading sees the shelf');
select extensions.is(pg_temp.with_key('find', '(select count(*) from private.api_shelf(''{}'', null, ''title'', false, null, 5))'), '0', 'a key for searching cannot see the shelf');
select extensions.is(pg_temp.with_key('people', '(select count(*) from public.members)'), '4', 'a key for members sees them');
select extensions.is(pg_temp.with_key('people', '(select count(*) from public.documents)'), '0', 'a key for members cannot see documents');
select extensions.is(pg_temp.with_key('write', 'update public.documents set title = ''Dark'' where title = ''Light'''), '1', 'a key for writing changes documents');
select extensions.is(pg_temp.with_key('read', $$update public.documents set reference = '{}'$$), '0', 'a key for reading cannot set a reference');
select extensions.is(pg_temp.with_key('write', $$update public.documents set reference = '{"DOI": "10.1000/1"}' where title = 'Dark'$$), '1', 'a key for writing sets a reference');
select extensions.matches(pg_temp.with_key('write', $$update public.documents set reference = '[]'$$), '^23514', 'an invalid reference is rejected');
select extensions.matches(pg_temp.with_key('write', $$update public.documents set author = 'Ada'$$), '^42501', 'a key cannot write the author');
select extensions.matches(pg_temp.with_key('write', '(public.add_note((select id from other), ''x'')).id'), '^42501', 'a key cannot add to another library');
select extensions.matches(pg_temp.with_key('write', 'private.api_set_field(md5(''hers'')::uuid, gen_random_uuid(), ''1'')'), '^42501 The key can’t change this', 'a key cannot set fields in another library');
select extensions.matches(pg_temp.with_key('write', 'delete from public.documents'), '^42501', 'a key cannot delete permanently, even if its owner can');
select extensions.is((select subject ->> 'api_key' from public.activity where verb = 'document.renamed'), 'write', 'activity has the name of the key');
select extensions.is(pg_temp.with_key('talk', 'delete from public.comments'), '0', 'a key cannot delete other people''s comments, even if its owner can');
select extensions.matches(pg_temp.with_key('talk', $$insert into public.comments (library_id, document_id, body) select id, md5('note')::uuid, 'y' from lab$$), '^1$', 'a key adds comments with the scope');
select extensions.matches(pg_temp.with_key('write', 'insert into public.comments (library_id, document_id, body) select id, md5(''note'')::uuid, ''y'' from lab'), '^42501', 'a key cannot add comments without the scope');
select extensions.matches(pg_temp.with_key('write', call), '^42501', call || ' is not available to keys')
  from unnest(array['public.delete_account()', 'public.create_library(''x'')', '(select count(*) from public.notifications)']) call;

-- The owner's rights are the upper limit
update public.members set role = 'guest' where user_id = md5('ann')::uuid and library_id = (select id from other);
insert into public.members select id, md5('eve')::uuid, 'owner' from lab;
update public.members set role = 'guest' where user_id = md5('ann')::uuid and library_id = (select id from lab);
select extensions.is(pg_temp.with_key('write', '(select count(*) from public.documents)'), '0', 'a guest''s key sees only what the guest sees');
with made as (insert into public.groups (library_id, name) select id, 'Keepers' from lab union all select id, 'Hers' from other returning id, library_id, name),
  joined as (insert into public.group_members (library_id, group_id, user_id) select library_id, id, md5('ann')::uuid from made)
insert into public.group_grants (library_id, collection_id, group_id, role)
  select library_id, md5(case name when 'Keepers' then 'shared' else 'her place' end)::uuid, id, 'editor' from made;
select extensions.is(pg_temp.with_key('write', 'update public.documents set summary = ''x'''), '1', 'a key edits documents granted to the guest''s group, only in its library');
select extensions.is(pg_temp.with_key('read', 'update public.documents set summary = ''x'''), '0', 'editing granted documents requires a scope');
delete from public.groups;
insert into public.collection_grants (library_id, collection_id, user_id, role) select id, md5('shared')::uuid, md5('ann')::uuid, 'editor' from lab;
select extensions.is(pg_temp.with_key('write', 'update public.documents set summary = ''x'''), '1', 'a key edits documents granted to the guest');
update public.members set role = 'owner' where user_id = md5('ann')::uuid and library_id = (select id from lab);
select extensions.is(pg_temp.by('ann', '(select count(*) from public.documents)'), '3', 'the owner''s own access is unchanged');

-- A token with the claims of a key's transaction is a person's
select set_config('carrel.api_key', (select id::text from keys where name = 'read'), true);
select extensions.is(pg_temp.by('cyd', '(select count(*) from public.documents)'), '2', 'a leftover key setting does not affect a user''s session');
select set_config('carrel.api_key', '', true);

-- Second factor, expiry, revocation, limits
update public.libraries set require_second_factor = true where id = (select id from lab);
select extensions.is(pg_temp.make('ann', 'strong', '{documents:read}', 'null', 'aal2') || ' ' || pg_temp.outcome('strong') || ' ' || pg_temp.outcome('read'),
  'made ok second_factor', 'in a library that requires a second factor, only keys created with one work');
update public.libraries set require_second_factor = false where id = (select id from lab);
update public.api_keys set expires_at = now() where name = 'people';
select extensions.is(pg_temp.outcome('people') || ' ' || pg_temp.with_key('people', '1'), 'expired PT401 This key has expired or was just revoked.', 'an expired key is rejected');
select extensions.matches(pg_temp.by('ben', format('public.revoke_api_key(%L)', (select id from keys where name = 'read'))), '^42501', 'an editor cannot revoke a key');
select extensions.is(pg_temp.done(person, 'update public.api_keys set revoked_at = now()'), '0', person || ' cannot revoke keys in the table')
  from unnest(array['ben', 'cyd']) person;
select pg_temp.by('eve', format('public.revoke_api_key(%L)', (select id from keys where name = 'read')));
select pg_temp.done('ann', $$update public.api_keys set revoked_at = '2000-01-01' where name = 'read'$$);
select extensions.is((select revoked_at = now() and revoked_by = md5('eve')::uuid from public.api_keys where name = 'read'), true, 'the time and the user of a revocation cannot be chosen');
select extensions.is(pg_temp.done('ann', $$update public.api_keys set revoked_at = null where name = 'read'$$), '1', 'clearing the revocation of a key is ignored');
select extensions.isnt((select revoked_at from public.api_keys where name = 'read'), null, 'a revoked key stays revoked');
select extensions.is(pg_temp.outcome('read'), 'revoked', 'any owner can revoke a key');
select extensions.is((select string_agg(verb || ' ' || actor_id, ', ' order by id) from public.activity where subject ->> 'name' = 'read'),
  format('key.created %s, key.revoked %s', md5('ann')::uuid, md5('eve')::uuid), 'activity says who created and revoked a key');
select extensions.is(pg_temp.by('cyd', '(select count(*) from public.activity where verb ~ ''^key'')'), '0', 'only owners see the activity of keys');
create function pg_temp.revoked_meanwhile() returns text
  language plpgsql
as $$
declare
  seen bigint[];
begin
  perform private.enter_api_key((select id from keys where name = 'talk')), set_config('role', 'api_key', true);
  seen := seen || (select count(*) from public.documents);
  perform set_config('role', 'none', true);
  update public.api_keys set revoked_at = now() where name = 'talk';
  perform set_config('role', 'api_key', true);
  seen := seen || (select count(*) from public.documents);
  perform set_config('role', 'none', true), set_config('request.jwt.claims', '', true), set_config('carrel.api_key', '', true);
  return seen;
end
$$;
select extensions.is(pg_temp.revoked_meanwhile(), '{2,0}', 'a key revoked during a request loses access immediately');

delete from public.members where user_id = md5('ann')::uuid and library_id = (select id from lab);
select extensions.is(pg_temp.outcome('write') || ' ' || pg_temp.with_key('write', '(select count(*) from public.documents)'), 'not_a_member 0', 'the key of a former member is rejected');
insert into public.members select id, md5('ann')::uuid, 'owner' from lab;
update private.api_key_uses set requests = 300 where key_id = (select id from keys where name = 'write');
select extensions.is(pg_temp.outcome('write'), 'too_many', 'a key is limited to 300 requests per minute');
update private.api_key_uses set began_at = now() - interval '61 seconds' where key_id = (select id from keys where name = 'write');
select extensions.is(pg_temp.outcome('write'), 'ok', 'the limit is reset after a minute');
insert into public.api_keys (library_id, name, scopes, key_hash, ending, has_second_factor, created_by)
  select lab.id, 'k' || n, '{search}', 'hash' || n, 'abcd', false, md5('ann')::uuid from lab, generate_series(1, 50) n;
select extensions.matches(pg_temp.make('ann', 'one more', '{search}'), '^23514 This library already has 50 keys', 'a library has at most fifty keys');

-- Every table that a key can read has a scope
select extensions.is(
  (select string_agg(c.relname, ', ') from pg_class c
    where c.relnamespace = 'public'::regnamespace and c.relkind = 'r'
      and (has_table_privilege('api_key', c.oid, 'select') or has_any_column_privilege('api_key', c.oid, 'select'))
      and not exists (select from pg_policies p where p.tablename = c.relname and p.permissive = 'RESTRICTIVE' and p.roles = '{api_key}')),
  null, 'every table that keys can read has a scope policy');
select * from extensions.finish();
rollback;
