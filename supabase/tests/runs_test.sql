-- Runs that break off without a word: claimed again, but not for ever
begin;
create extension if not exists pgtap with schema extensions;
select plan(14);
insert into auth.users (id, email) values (md5('editor')::uuid, 'editor@example.org');
insert into public.libraries (id, name) values (md5('library')::uuid, 'A');
insert into public.members (library_id, user_id, role) values (md5('library')::uuid, md5('editor')::uuid, 'owner');
insert into public.documents (id, library_id, kind, title, url) values
  (md5('note')::uuid, md5('library')::uuid, 'note', 'Note', null), (md5('link')::uuid, md5('library')::uuid, 'link', 'Link', 'https://example.org/');
insert into public.versions (library_id, document_id, body, mime_type, size_bytes)
  values (md5('library')::uuid, md5('note')::uuid, 'Words.', '', 0);

/* Asks for a run as the editor, as if two minutes had gone since the last one gave a sign of life. */
create function pg_temp.begin_run(name text) returns boolean
  language plpgsql
as $$
declare
  claimed boolean;
begin
  update private.ingestion_runs set reported_at = now() - interval '3 minutes';
  perform set_config('request.jwt.claims', jsonb_build_object('sub', md5('editor')::uuid, 'role', 'authenticated')::text, true),
    set_config('role', 'authenticated', true);
  if name = 'link' then
    select r.claimed into claimed from public.begin_unfurl(md5('link')::uuid) r;
  else
    select r.claimed into claimed from public.begin_ingestion(md5('note')::uuid) r;
  end if;
  perform set_config('role', 'none', true), set_config('request.jwt.claims', '', true);
  return claimed;
end
$$;
create function pg_temp.state_of(name text) returns text
  language sql
as $$ select state::text from public.documents where id = md5(name)::uuid $$;

select extensions.is(array(select pg_temp.begin_run(name) from generate_series(1, 4)), '{t,t,t,f}', name || ': three runs may break off')
  from unnest(array['note', 'link']) name;
select extensions.is(pg_temp.state_of(name), 'failed', name || ': then it has failed') from unnest(array['note', 'link']) name;
select extensions.matches((select state_message from public.documents where id = md5(name)::uuid), 'broke off three times', name || ': and says why')
  from unnest(array['note', 'link']) name;
select extensions.is(array(select pg_temp.begin_run(name) from generate_series(1, 3)), '{t,t,t}', name || ': a person may ask for it again')
  from unnest(array['note', 'link']) name;
select extensions.is(pg_temp.state_of('note'), 'extracting', 'it is being read');

-- A run that ends, well or not, does not count.
select extensions.is(array(
  select (public.report_ingestion(current_version_id, 'failed', 0, 'Unreadable.'), pg_temp.begin_run('note')) is not null
  from public.documents, generate_series(1, 5) where id = md5('note')::uuid), '{t,t,t,t,t}', 'a run that fails by itself');
select extensions.is(pg_temp.state_of('note'), 'extracting', 'can be had again and again');

-- A link's page is fetched and read by one run.
update public.documents set state = 'ready' where id = md5('link')::uuid;
select extensions.ok(pg_temp.begin_run('link'), 'a link is fetched');
update public.documents set state = 'queued' where id = md5('link')::uuid;
select extensions.ok(pg_temp.begin_run('link'), 'and read');
select extensions.is((select attempts::integer from private.ingestion_runs where document_id = md5('link')::uuid), 1, 'which is one attempt');

select * from extensions.finish();
rollback;
