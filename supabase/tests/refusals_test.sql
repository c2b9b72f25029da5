-- Every error has a code from the list
begin;
\ir helpers.psql
select plan(12);

create view pg_temp.used_codes as
  select p.oid::regprocedure as by, found[1] as code
  from pg_proc p cross join lateral regexp_matches(p.prosrc, 'private\.(?:refuse|problem)\(''(\w+)''', 'g') found
  where p.pronamespace in ('public'::regnamespace, 'private'::regnamespace);

select extensions.is_empty(
  'select * from pg_temp.used_codes u where u.code not in (select e.code from private.errors() e)', 'all used codes are listed');
select extensions.is_empty(
  'select e.code from private.errors() e where e.code not in (select u.code from pg_temp.used_codes u)', 'all listed codes are used');
select extensions.is_empty(
  'select e.code from private.errors() e group by e.code having count(*) > 1', 'codes are unique');
select extensions.is_empty(
  $$ select p.oid::regprocedure from pg_proc p
     where p.pronamespace in ('public'::regnamespace, 'private'::regnamespace) and p.proname <> 'refuse'
       and p.prosrc ~* 'raise exception|sqlerrm\s+(not\s+)?(like|~|in\M|=)' $$,
  'errors are raised only through the list, and never matched by message');
select extensions.is_empty(
  $$ select e.code from private.errors() e where e.state !~ '^[0-9A-Z]{5}$' or e.message !~ '^[A-Z{].*([.]|\})$' or e.hint !~ '^[A-Z].*[.]$' $$,
  'each error has an SQLSTATE and complete sentences');

/* What a client of the Data API receives. */
create function pg_temp.refused(command text) returns jsonb
  language plpgsql
as $$
declare
  message text;
  detail text;
  hint text;
begin
  execute command;
  return null;
exception when others then
  get stacked diagnostics message = message_text, detail = pg_exception_detail, hint = pg_exception_hint;
  return jsonb_build_object('code', sqlstate, 'message', message, 'details', detail, 'hint', hint);
end
$$;
grant execute on function pg_temp.refused to authenticated;

select extensions.is(
  pg_temp.refused($$ select private.refuse('last_owner') $$),
  '{"code": "23514", "message": "A library needs at least one owner.", "hint": "Make someone else an owner first, or delete the library.",
    "details": "{\"code\": \"last_owner\"}"}',
  'the detail of an error is its code');
select extensions.is(
  pg_temp.refused($$ select private.refuse('legal_hold', '{"title": "a {reason}", "reason": "{title}?"}') $$) ->> 'message',
  'A legal hold protects “a {reason}”: {title}?', 'parameters are inserted literally');
select extensions.is(
  private.problem('page_lines_invalid') ->> 'message', (select e.message from private.errors() e where e.code = 'page_lines_invalid'),
  'other braces are kept');
select extensions.is(
  (pg_temp.refused($$ select private.refuse('legal_hold', '{"title": "a", "reason": "b"}') $$) ->> 'details')::jsonb,
  '{"code": "legal_hold", "parameters": {"title": "a", "reason": "b"}}', 'the detail has the parameters');
select extensions.is(
  private.refusal('{"code": "last_owner"}', 'A library needs at least one owner.'), private.problem('last_owner'),
  'a handler gets the code of an error');
select extensions.is(private.refusal('Key (id)=(1) already exists.', 'duplicate key'), null, 'other errors have no code');

select pg_temp.add_people('ann');
select extensions.is(
  pg_temp.by('ann', $$pg_temp.refused('select public.create_api_key(gen_random_uuid(), ''k'', array[''documents:read''])') ->> 'details'$$),
  '{"code": "keys_need_owner"}', 'errors are available to API callers');

select * from extensions.finish();
rollback;
