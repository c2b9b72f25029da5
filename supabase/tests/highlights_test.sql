-- Highlights of a library: who sees them, and filters
begin;
\ir helpers.psql
select plan(25);

select pg_temp.add_people('ann', 'ben', 'gil', 'gus', 'eve', 'max');
insert into public.libraries (id, name) values (md5('lab')::uuid, 'Lab'), (md5('vault')::uuid, 'Vault'), (md5('other')::uuid, 'Other');
insert into public.members (library_id, user_id, role)
  select md5(library)::uuid, md5(person)::uuid, role::public.member_role
  from (values ('lab', 'ann', 'owner'), ('lab', 'ben', 'reader'), ('lab', 'gil', 'guest'), ('lab', 'gus', 'guest'), ('lab', 'max', 'editor'),
    ('vault', 'ann', 'owner'), ('other', 'eve', 'owner')) m (library, person, role);
update public.libraries set require_second_factor = true where name = 'Vault';
insert into public.collections (id, library_id, parent_id, name) values
  (md5('sea')::uuid, md5('lab')::uuid, null, 'Sea'), (md5('light')::uuid, md5('lab')::uuid, md5('sea')::uuid, 'Light');
insert into public.collection_grants (library_id, collection_id, user_id, role) values (md5('lab')::uuid, md5('light')::uuid, md5('gil')::uuid, 'reader');
insert into public.documents (id, library_id, collection_id, kind, title) values
  (md5('lamps')::uuid, md5('lab')::uuid, md5('light')::uuid, 'note', 'Lamps of the Straße'), (md5('ropes')::uuid, md5('lab')::uuid, null, 'note', 'Ropes'),
  (md5('safe')::uuid, md5('vault')::uuid, null, 'note', 'Safe');
insert into public.documents (id, library_id, kind, title, deleted_at) values (md5('gone')::uuid, md5('lab')::uuid, 'note', 'Gone', now());
create function pg_temp.mark(person text, document text, quote text, color text default null, body text default '', age interval default '1 hour', parent uuid default null)
  returns void language sql
as $$
  insert into public.comments (id, library_id, document_id, parent_id, quote, color, body, created_by, created_at)
    select md5(coalesce(mark.quote, mark.body))::uuid, d.library_id, d.id, mark.parent, mark.quote, mark.color, mark.body, md5(mark.person)::uuid, now() - mark.age
    from public.documents d where d.id = md5(mark.document)::uuid
$$;
select pg_temp.mark('ann', 'lamps', 'Whale oil café', 'blue', age => '40 days'), pg_temp.mark('ben', 'lamps', 'A keeper'),
  pg_temp.mark('ben', 'ropes', 'Hemp 100%', null, 'Really?', '2 hours'), pg_temp.mark('ann', 'gone', 'Not there'),
  pg_temp.mark('ann', 'safe', 'Secret'), pg_temp.mark('ann', 'ropes', null, null, 'About the whole document'),
  pg_temp.mark('max', 'ropes', 'Knots', 'pink', age => '3 hours'), pg_temp.mark('max', 'ropes', null, null, 'An answer', parent => md5('Hemp 100%')::uuid);

create function pg_temp.found(person text, filter text default '', library text default 'lab', session text default 'aal1') returns text
  language sql
as $$
  select pg_temp.by(person, format('(select string_agg(quote, '', '' order by created_at desc) from public.find_highlights(%L%s))', md5(library)::uuid, filter), session)
$$;

select extensions.is(pg_temp.found('ann'), 'A keeper, Hemp 100%, Knots, Whale oil café', 'a member finds all highlights, newest first, without deleted documents, document comments and replies');
select extensions.is(pg_temp.found('ben'), 'A keeper, Hemp 100%, Knots, Whale oil café', 'a reader finds all highlights');
select extensions.is(pg_temp.found('gil'), 'A keeper, Whale oil café', 'a guest finds highlights of granted collections');
select extensions.is(pg_temp.found('gus'), null, 'a guest without grants finds none');
select extensions.is(pg_temp.found('eve'), null, 'a stranger finds none');
select extensions.matches(pg_temp.found(null), '^42501', 'anonymous users are rejected');
select extensions.is(pg_temp.found('ann', library => 'vault'), null, 'a library that requires a second factor has none');
select extensions.is(pg_temp.found('ann', library => 'vault', session => 'aal2'), 'Secret', 'a session with a second factor finds them');
select extensions.is(pg_temp.found('eve', format(', document => %L', md5('ropes')::uuid), 'other'), null, 'a document of another library has none');
select extensions.is(pg_temp.found('eve', format(', person => %L', md5('ann')::uuid), 'other'), null, 'a person of another library has none');
delete from public.members where user_id = md5('max')::uuid;
select extensions.is(pg_temp.found('max'), null, 'a former member finds none, not even their own');
select extensions.is(pg_temp.found('ben'), 'A keeper, Hemp 100%, Knots, Whale oil café', 'highlights of a former member are kept');
select extensions.matches(pg_temp.done('ben', 'update public.comments set color = ''pink'' where quote = ''Whale oil café'''), '^0$', 'a reader cannot change other people''s highlights');

select extensions.is(pg_temp.found('ben', format(', person => %L', md5('ben')::uuid)), 'A keeper, Hemp 100%', 'highlights are filtered by person');
select extensions.is(pg_temp.found('ben', ', color => ''yellow'''), 'A keeper', 'yellow is the default color and excludes comments');
select extensions.is(pg_temp.found('ben', ', color => ''comment'''), 'Hemp 100%', 'highlights with a comment are filtered');
select extensions.is(pg_temp.found('ben', format(', collection => %L', md5('sea')::uuid)), 'A keeper, Whale oil café', 'filtering by collection includes nested ones');
select extensions.is(pg_temp.found('ben', format(', document => %L', md5('ropes')::uuid)), 'Hemp 100%, Knots', 'highlights are filtered by document');
select extensions.is(pg_temp.found('ben', format(', since => %L', now() - interval '30 days')), 'A keeper, Hemp 100%, Knots', 'highlights are filtered by time');
select extensions.is(pg_temp.found('ben', ', words => ''CAFE oil'''), 'Whale oil café', 'words match in any order, case and accents');
select extensions.is(pg_temp.found('ben', ', words => ''strasse keeper'''), 'A keeper', 'words match the document title');
select extensions.is(pg_temp.found('ben', ', words => ''really'''), 'Hemp 100%', 'words match the comment');
select extensions.is(pg_temp.found('ben', ', words => ''%'''), 'A keeper, Hemp 100%, Knots, Whale oil café', 'punctuation is ignored');
select extensions.is(pg_temp.found('ben', ', words => ''oil keeper'''), null, 'all words must match');
select extensions.is(pg_temp.found('ben', format(', max_results => 1, before_time => %L, before_id => %L', now() - interval '1 hour', md5('A keeper')::uuid)), 'Hemp 100%', 'highlights are paged');

select * from extensions.finish();
rollback;
