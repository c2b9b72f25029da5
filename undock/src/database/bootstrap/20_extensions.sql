-- The extensions of every project, in the schemas that migrations expect; `postgres` owns and may recreate them.
set session authorization postgres;
create extension "uuid-ossp" with schema extensions;
create extension pgcrypto with schema extensions;
create extension pg_stat_statements with schema extensions;
create extension pgjwt with schema extensions;
create extension pg_net with schema extensions;
create extension pg_graphql;
create extension supabase_vault;
reset session authorization;
set session authorization supabase_admin;
-- The CLI's `migration down` and `db reset --remote` drop schemas that supabase_admin doesn't own.
alter schema graphql owner to supabase_admin;

grant execute on all functions in schema extensions to anon, authenticated, service_role;
grant all on all tables in schema extensions to postgres with grant option;
grant all on all routines in schema extensions to postgres with grant option;
grant all on all sequences in schema extensions to postgres with grant option;
alter default privileges in schema extensions grant all on tables to postgres with grant option;
alter default privileges in schema extensions grant all on routines to postgres with grant option;
alter default privileges in schema extensions grant all on sequences to postgres with grant option;

alter default privileges in schema graphql_public grant all on tables to postgres, anon, authenticated, service_role;
alter default privileges in schema graphql_public grant all on functions to postgres, anon, authenticated, service_role;
alter default privileges in schema graphql_public grant all on sequences to postgres, anon, authenticated, service_role;
create or replace function graphql_public.graphql(
  "operationName" text default null, query text default null, variables jsonb default null, extensions jsonb default null
) returns jsonb language sql as $$
  select graphql.resolve(query, coalesce(variables, '{}'), "operationName", extensions)
$$;
