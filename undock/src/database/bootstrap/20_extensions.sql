-- Preinstalled in every project, in the schema that migrations expect them in.
create extension "uuid-ossp" with schema extensions;
create extension pgcrypto with schema extensions;
create extension pg_stat_statements with schema extensions;
grant execute on all functions in schema extensions to postgres, anon, authenticated, service_role;
