-- The roles, schemas and default privileges that a project finds on its first day.
-- Facts: supabase/postgres migrations/db. The bootstrap user of the embedded engine is `postgres`.

create role anon nologin noinherit;
create role authenticated nologin noinherit;
create role service_role nologin noinherit bypassrls;
create role authenticator login noinherit;
create role supabase_admin login superuser createdb createrole replication bypassrls;
create role supabase_auth_admin login noinherit createrole;
create role supabase_storage_admin login noinherit createrole;
create role supabase_realtime_admin nologin noinherit;
create role supabase_functions_admin login noinherit createrole;
create role supabase_replication_admin login replication;
create role supabase_read_only_user login bypassrls;
create role dashboard_user nologin createdb createrole replication;
create role pgbouncer login;

grant anon, authenticated, service_role to authenticator;
grant anon, authenticated, service_role to postgres;
grant supabase_admin to authenticator;
-- Storage acts as the caller inside its own transactions.
grant anon, authenticated, service_role to supabase_storage_admin;
grant authenticator to supabase_storage_admin;
grant supabase_auth_admin, supabase_storage_admin, supabase_realtime_admin, supabase_functions_admin to postgres;
grant pg_read_all_data to supabase_read_only_user;

alter role anon set statement_timeout = '3s';
alter role authenticated set statement_timeout = '8s';
alter role authenticator set statement_timeout = '8s';
alter role authenticator set lock_timeout = '8s';
alter role postgres set search_path = "$user", public, extensions;
alter role supabase_admin set search_path = "$user", public, auth, extensions;
alter role supabase_auth_admin set search_path = auth;
alter role supabase_auth_admin set idle_in_transaction_session_timeout = 60000;
alter role supabase_storage_admin set search_path = storage;

create schema extensions;
create schema auth authorization supabase_auth_admin;
create schema storage authorization supabase_storage_admin;
create schema realtime authorization supabase_realtime_admin;
create schema supabase_functions authorization supabase_functions_admin;
create schema graphql_public;

grant usage on schema public, extensions, graphql_public to postgres, anon, authenticated, service_role;
grant usage on schema auth, storage, realtime to postgres, anon, authenticated, service_role, dashboard_user;
grant all on schema auth, storage, realtime to postgres;
grant all on schema extensions to dashboard_user;

-- What postgres (a migration) or supabase_admin makes in public is open to the API's roles; row security decides.
alter default privileges in schema public grant all on tables to postgres, anon, authenticated, service_role;
alter default privileges in schema public grant all on functions to postgres, anon, authenticated, service_role;
alter default privileges in schema public grant all on sequences to postgres, anon, authenticated, service_role;
alter default privileges for role supabase_admin in schema public grant all on tables to postgres, anon, authenticated, service_role;
alter default privileges for role supabase_admin in schema public grant all on functions to postgres, anon, authenticated, service_role;
alter default privileges for role supabase_admin in schema public grant all on sequences to postgres, anon, authenticated, service_role;
