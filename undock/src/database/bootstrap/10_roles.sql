-- The roles, schemas and default privileges of a new project.
-- Facts: supabase/postgres migrations/db and ansible/files/postgresql_config/supautils.conf.j2.

-- An embedded cluster has supabase_admin from its initdb; a server has a superuser of its own.
do $$
begin
  if to_regrole('supabase_admin') is null then
    create role supabase_admin login superuser createdb createrole replication bypassrls;
  end if;
  if to_regrole('postgres') is null then
    create role postgres login createdb createrole replication bypassrls;
  end if;
end
$$;

create role anon nologin;
create role authenticated nologin;
create role service_role nologin bypassrls;
create role authenticator login noinherit;
create role supabase_auth_admin login noinherit createrole;
create role supabase_storage_admin login noinherit createrole;
create role supabase_realtime_admin nologin noinherit;
create role supabase_functions_admin login noinherit createrole;
create role supabase_replication_admin login replication;
create role supabase_read_only_user login bypassrls;
create role dashboard_user nologin createdb createrole replication;
create role pgbouncer login;
create role undock_vault nologin;
-- Answers what other roles may read, with the rights of the caller or of the user that reads all rows, not its own.
create role undock_reader login noinherit;

grant anon, authenticated, service_role to authenticator;
grant anon, authenticated, service_role to supabase_storage_admin;
grant authenticator to supabase_storage_admin;
grant pg_read_all_data to supabase_read_only_user;
grant supabase_read_only_user, authenticator to undock_reader;

-- `postgres` isn't a superuser, so it needs grants to act as the platform's roles, grant them to the project's roles
-- and change their settings. Hosted projects allow the last through a server extension.
grant anon, authenticated, service_role to postgres with admin option;
grant supabase_auth_admin, supabase_storage_admin, supabase_realtime_admin, supabase_functions_admin to postgres;
grant pg_monitor, pg_read_all_data, pg_signal_backend to postgres with admin option;
do $$
begin
  -- Before PostgreSQL 16, CREATEROLE can change all roles but superusers, and only superusers can create subscriptions.
  if current_setting('server_version_num')::int >= 160000 then
    execute 'grant authenticator to postgres with admin option, inherit false, set false';
  end if;
  -- From PostgreSQL 18 on, the connection of a subscription may name a file that libpq writes to (sslkeylogfile).
  if current_setting('server_version_num')::int between 160000 and 179999 then
    execute 'grant pg_create_subscription to postgres with admin option';
  end if;
end
$$;
-- Normally only a superuser may change these. Seeds disable triggers with the first one.
grant set on parameter
  session_replication_role, log_min_messages, log_lock_waits, track_io_timing, "auto_explain.log_min_duration",
  "auto_explain.log_nested_statements", "pg_net.batch_size", "pg_net.ttl", "pgaudit.log", "pgaudit.log_catalog",
  "pgaudit.log_client", "pgaudit.log_level", "pgaudit.log_relation", "pgaudit.log_rows", "pgaudit.log_statement",
  "pgaudit.log_statement_once", "pgaudit.role", "safeupdate.enabled"
  to postgres;

alter role anon set statement_timeout = '3s';
alter role authenticated set statement_timeout = '8s';
alter role authenticator set statement_timeout = '8s';
alter role authenticator set lock_timeout = '8s';
alter role postgres set search_path = "$user", public, extensions;
alter role supabase_admin set search_path = "$user", public, auth, extensions;
alter role supabase_auth_admin set search_path = auth;
alter role supabase_auth_admin set idle_in_transaction_session_timeout = 60000;
alter role supabase_storage_admin set search_path = storage;

-- The project owns the database, so it may create schemas and publications and change the database's settings.
do $$
begin
  execute format('alter database %I owner to postgres', current_database());
end
$$;
create schema extensions authorization postgres;
create schema auth authorization supabase_auth_admin;
create schema storage authorization supabase_storage_admin;
create schema realtime authorization supabase_realtime_admin;
create schema graphql_public;

grant usage on schema public, extensions, graphql_public to postgres, anon, authenticated, service_role;
grant usage on schema auth, storage, realtime to postgres, anon, authenticated, service_role, dashboard_user;
grant all on schema auth, storage, realtime to postgres;
grant all on schema extensions to dashboard_user;
grant all on schema public to postgres;

-- API roles may access what postgres (in a migration) or supabase_admin creates in public; row security decides.
alter default privileges for role postgres in schema public grant all on tables to postgres, anon, authenticated, service_role;
alter default privileges for role postgres in schema public grant all on functions to postgres, anon, authenticated, service_role;
alter default privileges for role postgres in schema public grant all on sequences to postgres, anon, authenticated, service_role;
alter default privileges for role supabase_admin in schema public grant all on tables to postgres, anon, authenticated, service_role;
alter default privileges for role supabase_admin in schema public grant all on functions to postgres, anon, authenticated, service_role;
alter default privileges for role supabase_admin in schema public grant all on sequences to postgres, anon, authenticated, service_role;
