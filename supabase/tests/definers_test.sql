-- Row security, and what bypasses it.
-- Functions that run with their owner's rights bypass every policy, so their number may only fall. `node scripts/schema.ts` checks that
-- each gives a reason. Others may call only what their callers may call.
begin;
\ir helpers.psql
select plan(4);

create view pg_temp.functions as
  select p.oid, p.pronamespace::regnamespace::text as schema, p.proname::text as name, p.prosrc as body, p.prosecdef as is_definer,
    p.prorettype = 'trigger'::regtype as is_trigger
  from pg_proc p where p.pronamespace in ('public'::regnamespace, 'private'::regnamespace);
create view pg_temp.definers as select * from pg_temp.functions f where f.is_definer;

select extensions.cmp_ok((select count(*) from pg_temp.definers), '<=', 114::bigint, 'the number of functions with security definer does not grow');
select extensions.cmp_ok(
  (select count(*) from pg_temp.definers where schema = 'public' and not is_trigger
    and (has_function_privilege('anon', oid, 'execute') or has_function_privilege('authenticated', oid, 'execute'))),
  '<=', 42::bigint, 'the number of callable functions with security definer does not grow');

-- Who runs a function: roles that may call it, or that may write the rows of its trigger (4, 8, 16: insert, delete, update).
create view pg_temp.callers as
  select f.oid, role from pg_temp.functions f, unnest(array['anon', 'authenticated', 'api_key']) role
  where case when f.is_trigger then exists (
      select from pg_trigger t where t.tgfoid = f.oid and (t.tgtype & 4 > 0 and has_any_column_privilege(role, t.tgrelid, 'insert')
        or t.tgtype & 8 > 0 and has_table_privilege(role, t.tgrelid, 'delete')
        or t.tgtype & 16 > 0 and has_any_column_privilege(role, t.tgrelid, 'update')))
    else has_function_privilege(role, f.oid, 'execute') end;
select extensions.is_empty($$
  select c.role, f.name as caller, called.name as called
  from pg_temp.functions f join pg_temp.callers c using (oid)
  cross join lateral regexp_matches(f.body, '(public|private)\.(\w+)\(', 'g') names
  join pg_temp.functions called on called.schema = names[1] and called.name = names[2]
  where not f.is_definer and not has_function_privilege(c.role, called.oid, 'execute') $$,
  'callers of a function may call the functions it uses');

select extensions.is_empty(
  $$ select c.oid::regclass from pg_class c
    where c.relkind = 'r' and c.relnamespace in ('public'::regnamespace, 'private'::regnamespace) and not c.relrowsecurity $$,
  'row security is on for every table');

select * from extensions.finish();
rollback;
