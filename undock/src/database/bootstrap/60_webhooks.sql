-- Database webhooks: triggers that send changes through pg_net.
-- Facts: supabase/cli internal/db/start/templates/webhook.sql.

create schema supabase_functions;
grant usage on schema supabase_functions to postgres, anon, authenticated, service_role;
grant all on schema supabase_functions to supabase_functions_admin;
alter default privileges in schema supabase_functions grant all on tables to postgres, anon, authenticated, service_role;
alter default privileges in schema supabase_functions grant all on functions to postgres, anon, authenticated, service_role;
alter default privileges in schema supabase_functions grant all on sequences to postgres, anon, authenticated, service_role;

create table supabase_functions.migrations (
  version text primary key,
  inserted_at timestamptz not null default now()
);
insert into supabase_functions.migrations (version) values ('initial'), ('20210809183423_update_grants');

create table supabase_functions.hooks (
  id bigserial primary key,
  hook_table_id integer not null,
  hook_name text not null,
  created_at timestamptz not null default now(),
  request_id bigint
);
create index supabase_functions_hooks_request_id_idx on supabase_functions.hooks (request_id);
create index supabase_functions_hooks_h_table_id_h_name_idx on supabase_functions.hooks (hook_table_id, hook_name);
comment on table supabase_functions.hooks is 'Supabase Functions Hooks: Audit trail for triggered hooks.';

-- Arguments: url, method, headers, params, timeout in milliseconds; the last three may be 'null'.
create or replace function supabase_functions.http_request() returns trigger
language plpgsql security definer set search_path = supabase_functions, pg_temp as $$
declare
  url constant text := nullif(tg_argv[0], 'null');
  method constant text := nullif(tg_argv[1], 'null');
  headers constant jsonb := coalesce(nullif(tg_argv[2], 'null')::jsonb, '{"Content-Type": "application/json"}');
  params constant jsonb := coalesce(nullif(tg_argv[3], 'null')::jsonb, '{}');
  timeout_ms constant integer := coalesce(nullif(tg_argv[4], 'null')::integer, 1000);
  sent bigint;
begin
  if url is null then raise exception 'url argument is missing'; end if;
  if method is null then raise exception 'method argument is missing'; end if;
  case method
    when 'GET' then sent := net.http_get(url, params, headers, timeout_ms);
    when 'POST' then
      sent := net.http_post(
        url,
        jsonb_build_object(
          'old_record', old, 'record', new, 'type', tg_op, 'table', tg_table_name, 'schema', tg_table_schema
        ),
        params, headers, timeout_ms
      );
    else raise exception 'method argument % is invalid', method;
  end case;
  insert into hooks (hook_table_id, hook_name, request_id) values (tg_relid, tg_name, sent);
  return new;
end
$$;
revoke all on function supabase_functions.http_request() from public;
grant execute on function supabase_functions.http_request() to postgres, anon, authenticated, service_role;

alter table supabase_functions.migrations owner to supabase_functions_admin;
alter table supabase_functions.hooks owner to supabase_functions_admin;
alter function supabase_functions.http_request() owner to supabase_functions_admin;
grant all on all tables in schema supabase_functions to supabase_functions_admin;
grant all on all sequences in schema supabase_functions to supabase_functions_admin;
alter role supabase_functions_admin set search_path = supabase_functions;
