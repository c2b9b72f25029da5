-- Company sign-in: who sets it up, who has access, and who joins
begin;
\ir helpers.psql
select plan(96);

/* A person's session is by a connection or by password. */
create or replace function pg_temp.session_claims(person text, session text) returns jsonb
  language sql
as $$
  select jsonb_build_object('sub', md5(person)::uuid, 'role', 'authenticated', 'aal', 'aal1',
    'email', (select email from auth.users where id = md5(person)::uuid),
    'amr', jsonb_build_array(case when coalesce(session, 'aal1') = 'aal1' then '{"method": "password"}'::jsonb
      else jsonb_build_object('method', 'sso/saml', 'provider', session) end))
$$;

/* What a person sees of the library: row, collections, documents. */
create function pg_temp.seen(person text, provider text default null) returns text
  language sql
as $$
  select pg_temp.by(person, format('concat((select count(*) from public.libraries where id = %1$L), '' '',
    (select count(*) from public.collections where library_id = %1$L), '' '', (select count(*) from public.documents where library_id = %1$L))',
    md5('lab')::uuid), provider)
$$;
create function pg_temp.person(name text, address text, provider uuid default null) returns uuid
  language plpgsql
as $$
begin
  insert into auth.users (id, email, email_confirmed_at, is_sso_user, raw_user_meta_data)
    values (md5(name)::uuid, address, now(), provider is not null, jsonb_build_object('display_name', name));
  if provider is not null then
    insert into auth.identities (id, user_id, provider_id, provider, identity_data)
      values (gen_random_uuid(), md5(name)::uuid, name, 'sso:' || provider, jsonb_build_object('sub', name, 'email', address));
  end if;
  return md5(name)::uuid;
end
$$;
create temporary view claim as select * from public.sign_in_domains where library_id = md5('lab')::uuid and domain = 'company.example';

create temporary table people as select pg_temp.person(name, name || '@company.example')
  from unnest(array['owner', 'editor', 'reader', 'guest']) name
  union all select pg_temp.person('outside', 'outside@elsewhere.example') union all select pg_temp.person('stranger', 'stranger@company.example');
insert into public.libraries (id, name) values (md5('lab')::uuid, 'Lab'), (md5('other')::uuid, 'Other');
insert into public.members (library_id, user_id, role) select md5(library)::uuid, md5(person)::uuid, role::public.member_role
  from (values ('lab', 'owner', 'owner'), ('lab', 'editor', 'editor'), ('lab', 'reader', 'reader'), ('lab', 'guest', 'guest'),
    ('lab', 'outside', 'reader'), ('other', 'stranger', 'owner')) m (library, person, role);
insert into public.collections (id, library_id, name) values (md5('shelf')::uuid, md5('lab')::uuid, 'Shelf');
insert into public.collection_grants (library_id, collection_id, user_id, role) values
  (md5('lab')::uuid, md5('shelf')::uuid, md5('guest')::uuid, 'reader'), (md5('lab')::uuid, md5('shelf')::uuid, md5('reader')::uuid, 'editor');
insert into public.groups (id, library_id, name) values (md5('team')::uuid, md5('lab')::uuid, 'Team');
insert into public.group_members (library_id, group_id, user_id) values (md5('lab')::uuid, md5('team')::uuid, md5('reader')::uuid);
insert into public.documents (id, library_id, collection_id, kind, title, created_by)
  values (md5('doc')::uuid, md5('lab')::uuid, md5('shelf')::uuid, 'note', 'Plan', md5('owner')::uuid);

-- Claiming
create function pg_temp.claims(person text, domain text, library text default 'lab') returns text
  language sql
as $$ select pg_temp.by(person, format('(public.claim_sign_in_domain(%L, %L)).domain', md5(library)::uuid, domain)) $$;
select extensions.is(pg_temp.claims('owner', ' Ada@Company.Example. '), 'company.example', 'an owner claims a domain, given as an address or a domain');
select extensions.matches(pg_temp.claims('owner', 'company.example'), '^23505', 'a domain is claimed once per library');
select extensions.matches(pg_temp.claims('owner', wrong), '^22023 This isn’t an email domain.', format('%L is rejected as a domain', wrong))
  from unnest(array['example', 'a b.example', 'x_y.example', '-a.example', '127.0.0.1', '', repeat('a', 64) || '.example']) wrong;
select extensions.matches(pg_temp.claims('owner', 'GMail.com'), '^22023 This domain belongs to a public email provider.', 'domains of public email providers are rejected');
select extensions.matches(pg_temp.claims(person, 'company.org'), '^42501', format('%s cannot claim a domain', person))
  from unnest(array['editor', 'reader', 'guest', 'outside', 'stranger']) person;
create function pg_temp.puts(person text, domain text) returns text
  language sql
as $$ select pg_temp.done(person, format('insert into public.sign_in_domains (library_id, domain) values (%L, %L)', md5('lab')::uuid, domain)) $$;
select extensions.matches(pg_temp.puts(person, 'company.org'), '^42501', format('%s cannot insert a domain', person))
  from unnest(array['editor', 'reader', 'guest', 'outside', 'stranger']) person;
select extensions.matches(pg_temp.puts('owner', wrong), '^22023', format('an owner cannot insert %L', wrong)) from unnest(array['example', 'Ada@GMail.com.']) wrong;
select extensions.matches(pg_temp.done('owner', format('insert into public.sign_in_domains (library_id, domain, verified_at) values (%L, ''company.net'', now())',
  md5('lab')::uuid)), '^42501', 'a verified domain cannot be inserted');
select extensions.is(pg_temp.claims('stranger', 'company.example', 'other'), 'company.example', 'an owner of another library claims the same domain');

-- Visibility and changes
create function pg_temp.visible(person text) returns text
  language sql
as $$ select pg_temp.by(person, format('(select count(*) from public.sign_in_domains where library_id = %L)', md5('lab')::uuid)) $$;
select extensions.is(pg_temp.visible(person), case person when 'owner' then '1' else '0' end, format('%s sees ' || case person when 'owner' then 'the domain' else 'no domains' end, person))
  from unnest(array['owner', 'editor', 'reader', 'guest', 'outside', 'stranger']) person;
create function pg_temp.sets(person text, change text) returns text
  language sql
as $$ select pg_temp.done(person, format('update public.sign_in_domains set %s where library_id = %L', change, md5('lab')::uuid)) $$;
select extensions.is(pg_temp.sets('owner', 'company = ''Company'', new_member_role = ''reader'''), '1', 'an owner sets the company and the role of new members');
select extensions.is(pg_temp.sets(person, 'company = ''Mine'''), '0', format('%s cannot change the domain', person))
  from unnest(array['editor', 'guest', 'stranger']) person;
select extensions.matches(pg_temp.sets('owner', change), '^42501', format('an owner cannot set %s', change))
  from unnest(array['verified_at = now()', 'token = ''x''', 'provider_id = gen_random_uuid()', 'domain = ''x.example''']) change;
select extensions.matches(pg_temp.sets('owner', 'new_member_role = ''owner'''), '^23514', 'new members cannot become owners');
select extensions.matches(pg_temp.sets('owner', 'is_required = true'), '^23514 Set up the identity provider', 'company sign-in cannot be required before it is set up');
select extensions.matches(pg_temp.by('owner', format('public.%s', call)), '^42501', format('an owner cannot call %s', call))
  from unnest(array['verify_sign_in_domain(gen_random_uuid(), auth.uid())', 'pending_provider_changes()',
    'connect_sign_in_domain(gen_random_uuid(), auth.uid(), gen_random_uuid(), '''')']) call;

-- Verification and connection by the project
select extensions.is(public.connect_sign_in_domain((select id from claim), md5('owner')::uuid, md5('idp')::uuid, 'https://idp.example'), false, 'an unverified domain cannot be connected');
select extensions.is(public.verify_sign_in_domain((select id from claim), md5('owner')::uuid), true, 'a domain is verified');
select extensions.is(public.verify_sign_in_domain((select id from public.sign_in_domains where library_id = md5('other')::uuid), md5('stranger')::uuid), false, 'a domain verified by another library is rejected');
insert into auth.sso_providers (id) values (md5('idp')::uuid), (md5('foreign')::uuid);
insert into auth.sso_domains (id, sso_provider_id, domain) values (gen_random_uuid(), md5('idp')::uuid, 'company.example');
select extensions.is(public.connect_sign_in_domain((select id from claim), md5('owner')::uuid, md5('idp')::uuid, 'https://idp.example'), true, 'a verified domain is connected');

-- Required: members of the domain need the connection
select extensions.is(pg_temp.seen('reader'), '1 1 1', 'before the requirement a password is enough');
select extensions.is(pg_temp.sets('owner', 'is_required = true'), '1', 'an owner requires company sign-in');
select extensions.is(concat_ws(', ', pg_temp.seen('editor'), pg_temp.seen('reader'), pg_temp.seen('guest')), '0 0 0, 0 0 0, 0 0 0', 'passwords give no access to editors, readers and guests of the domain');
select extensions.is(concat_ws(', ', pg_temp.seen('editor', md5('idp')::uuid::text), pg_temp.seen('guest', md5('idp')::uuid::text)), '1 1 1, 1 1 1', 'company sessions give the same access as before');
select extensions.is(pg_temp.seen('reader', provider), '0 0 0', format('a session of %L gives no access', provider))
  from unnest(array[md5('foreign')::uuid::text, '', 'none', md5('idp')::uuid || ' ']) provider;
select extensions.is(concat_ws(', ', pg_temp.seen('owner'), pg_temp.seen('outside')), '1 1 1, 1 1 1', 'owners and members with other addresses keep access');
select extensions.is(pg_temp.by('reader', '(select row(company, domain, libraries)::text from public.companies_to_sign_in())'),
  format('(Company,company.example,{%s})', md5('lab')::uuid), 'excluded members see which company to sign in with');
select extensions.is(pg_temp.by('outside', '(select count(*) from public.companies_to_sign_in())'), '0', 'other members do not see it');
update auth.users set email = 'reader@elsewhere.example' where id = md5('reader')::uuid;
select extensions.is(pg_temp.seen('reader'), '0 0 0', 'changing the address does not bypass the requirement');
update auth.users set email = 'reader@company.example' where id = md5('reader')::uuid;
update auth.users set email = 'outside@company.example' where id = md5('outside')::uuid;
select extensions.is(pg_temp.seen('outside'), '0 0 0', 'changing to a company address requires company sign-in');
update public.members set required_domain_id = null where user_id = md5('outside')::uuid;
update auth.users set email = 'outside@elsewhere.example' where id = md5('outside')::uuid;
-- Keys, and what the database does on someone's behalf, aren't sessions.
select set_config('request.jwt.claims', jsonb_build_object('sub', md5('reader')::uuid, 'role', 'authenticated')::text, true);
select extensions.is((select count(*)::integer from private.library_ids()), 1, 'database jobs for a member keep working');
select set_config('request.jwt.claims', '', true);
insert into public.api_keys (id, library_id, name, key_hash, ending, scopes, has_second_factor, created_by)
  values (md5('key')::uuid, md5('lab')::uuid, 'Key', 'hash', '1234', '{documents:read}', false, md5('reader')::uuid);
select private.enter_api_key(md5('key')::uuid);
set local role api_key;
select set_config('test.count', (select count(*) from public.documents)::text, true);
reset role;
select set_config('request.jwt.claims', '', true), set_config('carrel.api_key', '', true);
select extensions.is(current_setting('test.count'), '1', 'a member''s API key keeps working');

-- Joining
create function pg_temp.joins(person text, provider text default md5('idp')::uuid::text) returns text
  language sql
as $$ select pg_temp.by(person, '(select count(*) from public.join_by_company())', provider) $$;
create function pg_temp.role_of(person text) returns text
  language sql
as $$ select role::text from public.members where library_id = md5('lab')::uuid and user_id = md5(person)::uuid $$;
create temporary table colleagues as select pg_temp.person(name, address || '@company.example', md5('idp')::uuid)
  from (values ('new', 'new'), ('reader by sso', 'reader'), ('owner by sso', 'owner'), ('guest by sso', 'guest')) p (name, address)
  union all select pg_temp.person('liar', 'editor@elsewhere.example', md5('idp')::uuid)
  union all select pg_temp.person('forger', 'editor@company.example', md5('foreign')::uuid);
select extensions.is(pg_temp.joins('stranger', null), '0', 'a password session joins nothing, whatever its address');
select extensions.is(pg_temp.joins('stranger'), '0', 'an account of another provider does not join');
select extensions.is(pg_temp.joins('forger', md5('foreign')::uuid::text), '0', 'another connection claiming an address of the domain does not join');
select extensions.is(pg_temp.joins('liar'), '0', 'an address outside the domain does not join');
select extensions.is(concat_ws(' ', pg_temp.joins('new'), pg_temp.joins('new'), pg_temp.role_of('new')), '1 0 reader', 'a colleague joins once, with the role for new members');
select extensions.is(concat_ws(' ', pg_temp.joins('owner by sso'), pg_temp.role_of('owner by sso')), '1 editor', 'an owner''s company account does not become owner');
select extensions.is(concat_ws(' ', pg_temp.joins('guest by sso'), pg_temp.role_of('guest by sso'), pg_temp.seen('guest by sso', md5('idp')::uuid::text)), '1 guest 1 1 1', 'a guest''s company account keeps their grants');
select extensions.is(concat_ws(' ', pg_temp.joins('reader by sso'), pg_temp.role_of('reader by sso')), '1 reader', 'a reader''s company account stays a reader');
select extensions.is(concat_ws(' ', (select role from public.collection_grants where user_id = md5('reader by sso')::uuid),
  (select count(*) from public.group_members where user_id = md5('reader by sso')::uuid)), 'editor 1', 'grants and groups are transferred');
select extensions.is(pg_temp.seen('new'), '0 0 0', 'a new member has access only through company sign-in');
-- Removed people stay removed.
delete from public.members where user_id = md5('reader')::uuid;
select extensions.is((select count(*)::integer from private.departed_people), 0, 'replacing a former account does not count as removing a person');
delete from public.members where user_id = md5('new')::uuid;
select extensions.is(concat_ws(' ', pg_temp.joins('new'), pg_temp.role_of('new')), '0', 'a removed member does not rejoin by signing in');
select extensions.is(pg_temp.by('owner', format('public.invite_member(%L, ''new@company.example'') is not null', md5('lab')::uuid)), 'true', 'a removed member can be invited');
select extensions.is(pg_temp.by('new', '(select public.accept_invitation(id) from public.my_invitations() limit 1)', md5('idp')::uuid::text), md5('lab')::uuid::text, 'the invitation is accepted');
select extensions.is((select count(*)::integer from private.departed_people), 0, 'the removal is forgotten');
update public.sign_in_domains set new_member_role = null;
select pg_temp.person('newer', 'newer@company.example', md5('idp')::uuid);
select extensions.is(pg_temp.joins('newer'), '0', 'without a role for new members no one joins');

-- An address that a connection claims outside its domains doesn't count.
select pg_temp.by('owner', format('public.invite_member(%L, ''editor@elsewhere.example'')', md5('lab')::uuid));
select extensions.is(pg_temp.by('liar', '(select count(*) from public.my_invitations())', md5('idp')::uuid::text), '0', 'a claimed address outside the domain gets no invitations');
select extensions.is((private.account_of('editor@elsewhere.example')).id, null, 'a claimed address has no account');
insert into public.members (library_id, user_id, role) values (md5('other')::uuid, md5('liar')::uuid, 'reader');
insert into public.notifications (user_id, kind, library_id, amount, failed)
  select md5(person)::uuid, 'import', md5('other')::uuid, 1, 0 from unnest(array['stranger', 'liar']) person;
select extensions.is((select array_agg(user_id) from private.mail_queue), array[md5('stranger')::uuid], 'a claimed address gets no email');

-- Removal
select extensions.is(pg_temp.by('owner', format('public.invite_member(%L, ''guest@company.example'')', md5('lab')::uuid)), '23505 guest@company.example is already a member.', 'members cannot be invited');
select extensions.is(pg_temp.sets('owner', 'is_required = false'), '1', 'an owner ends the requirement');
select extensions.is(pg_temp.seen('editor'), '1 1 1', 'passwords give access again');
update public.sign_in_domains set is_required = true where id = (select id from claim);
select extensions.is(pg_temp.done('owner', format('delete from public.sign_in_domains where library_id = %L', md5('lab')::uuid)), '1', 'an owner removes the domain');
select extensions.is(pg_temp.seen('editor'), '1 1 1', 'access is unchanged');
delete from auth.sso_domains where sso_provider_id = md5('idp')::uuid;
select extensions.is(pg_temp.by('owner', format('public.invite_member(%L, ''new@company.example'') is not null', md5('lab')::uuid)), 'true', 'former company members can be invited');
select extensions.is((select array_agg(row(provider_id, domains)::text) from public.pending_provider_changes()),
  array[row(md5('idp')::uuid, '{}'::text[])::text], 'the connection is queued for deletion');
select extensions.is((select string_agg(regexp_replace(verb, '^company.', ''), ', ' order by id) from public.activity where library_id = md5('lab')::uuid and verb ~ '^company\.'),
  'claimed, changed, verified, connected, changed, changed, changed, changed, removed', 'all changes are logged');
select extensions.is((select count(*)::integer from public.activity where verb in ('company.verified', 'company.connected') and actor_id = md5('owner')::uuid), 2, 'changes by the service role are logged with the owner');
select pg_temp.claims('owner', 'company.example');
update public.sign_in_domains set verified_at = now(), provider_id = md5('idp')::uuid, is_required = true where library_id = md5('lab')::uuid;
delete from public.libraries where id = md5('lab')::uuid;
select extensions.is((select count(*)::integer from public.sign_in_domains), 1, 'deleting a library deletes its domains');

-- An identity provider to which another library has a stronger claim
insert into public.libraries (id, name) values (md5('first')::uuid, 'First');
insert into public.sign_in_domains (library_id, domain, verified_at, provider_id, entity_id, is_required)
  select md5('first')::uuid, domain, now(), md5('taken')::uuid, 'https://idp.example/', true from unnest(array['evil.example', 'evil.org']) domain;
select extensions.is((select row(provider_id, library_id, domains, metadata_url, is_used)::text from public.sign_in_connection_of('https://idp.example/')),
  row(md5('taken')::uuid, md5('first')::uuid, array['evil.example', 'evil.org'], null, false)::text, 'the service role sees who uses an identity provider, and whether it was used');
select extensions.matches(pg_temp.by('owner', format('public.%s', call)), '^42501', 'an owner cannot call ' || call)
  from unnest(array['sign_in_connection_of(''https://idp.example/'')', 'release_sign_in_connection(md5(''taken'')::uuid)']) call;
select public.release_sign_in_connection(md5('taken')::uuid);
select extensions.is((select count(*)::integer from public.sign_in_domains where library_id = md5('first')::uuid and provider_id is null and not is_required), 2, 'the provider is removed from all domains');
select extensions.is((select array_agg(row(subject ->> 'domain', subject ->> 'entity')::text order by id) from public.activity where verb = 'company.disconnected' and is_audit_only),
  (select array_agg(row(domain, 'https://idp.example/')::text order by id) from public.sign_in_domains where library_id = md5('first')::uuid), 'the removal is logged for the owners');

select * from finish();
rollback;
