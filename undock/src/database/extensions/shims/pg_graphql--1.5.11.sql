-- pg_graphql's entry points, which return a GraphQL error for every query.
-- Facts: supabase/pg_graphql, sql/; grants as in supabase/postgres.

create function graphql.resolve(
  query text, variables jsonb default '{}', "operationName" text default null, extensions jsonb default null
) returns jsonb language sql stable as $$
  select jsonb_build_object('data', null, 'errors', jsonb_build_array(jsonb_build_object(
    'message', 'undock does not serve GraphQL: the extension pg_graphql cannot run on its engine. Use the Data API.'
  )))
$$;

create function graphql.get_schema_version() returns integer language sql stable as 'select 1';
create function graphql.comment_directive(comment_ text) returns jsonb language sql immutable as $$
  select coalesce((regexp_match(comment_, '@graphql\((.+)\)'))[1]::jsonb, '{}')
$$;
create function graphql.exception(message text) returns text language plpgsql as $$
begin
  raise exception using errcode = '22000', message = message;
end
$$;

grant usage on schema graphql to anon, authenticated, service_role;
grant usage on schema graphql to postgres with grant option;
grant execute on all functions in schema graphql to postgres, anon, authenticated, service_role;
alter default privileges in schema graphql grant all on tables to postgres, anon, authenticated, service_role;
alter default privileges in schema graphql grant all on functions to postgres, anon, authenticated, service_role;
alter default privileges in schema graphql grant all on sequences to postgres, anon, authenticated, service_role;
