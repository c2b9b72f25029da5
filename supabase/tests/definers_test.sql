-- Functions that run with the rights of their owner pass by every policy: their number may only fall. `node scripts/schema.ts` asks each for
-- its reason.
begin;
\ir helpers.psql
select plan(2);

create view pg_temp.definers as
  select p.oid, p.pronamespace::regnamespace::text as schema, p.prorettype = 'trigger'::regtype as is_trigger
  from pg_proc p where p.prosecdef and p.pronamespace in ('public'::regnamespace, 'private'::regnamespace);

select extensions.cmp_ok((select count(*) from pg_temp.definers), '<=', 111::bigint, 'of all functions');
select extensions.cmp_ok(
  (select count(*) from pg_temp.definers where schema = 'public' and not is_trigger
    and (has_function_privilege('anon', oid, 'execute') or has_function_privilege('authenticated', oid, 'execute'))),
  '<=', 40::bigint, 'of those that people may call');

select * from extensions.finish();
rollback;
