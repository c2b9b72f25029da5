-- The handlers and validators of Supabase's wrappers by name, so that servers and foreign tables can be defined. They have
-- no implementation: reading such a table fails. Facts: supabase/wrappers, docs/catalog.

do $$
declare
  name text;
begin
  raise warning 'wrappers: servers and foreign tables can be defined, but nothing can be read through them in undock';
  foreach name in array array[
    'airtable', 'auth0', 'big_query', 'click_house', 'cognito', 'firebase', 'hello_world', 'iceberg', 'logflare',
    'mssql', 'notion', 'paddle', 'redis', 's3', 's3_vectors', 'stripe', 'wasm', 'duckdb'
  ] loop
    execute pg_catalog.format(
      'create function %I() returns fdw_handler language internal as ''fdw_handler_in''', name || '_fdw_handler'
    );
    execute pg_catalog.format(
      'create function %I(options text[], catalog oid) returns void language plpgsql as $f$ begin return; end $f$',
      name || '_fdw_validator'
    );
  end loop;
end
$$;
create table wrappers_fdw_stats (
  fdw_name text primary key,
  create_times bigint, rows_in bigint, rows_out bigint, bytes_in bigint, bytes_out bigint, metadata jsonb,
  created_at timestamptz not null default now(), updated_at timestamptz not null default now()
);
