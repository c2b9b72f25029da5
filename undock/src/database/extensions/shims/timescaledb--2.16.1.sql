-- The part of timescaledb that works on plain tables: hypertables stay plain tables, time_bucket works, and calls for
-- policies report that they cannot run. Facts: timescale/timescaledb, sql/.

do $$
begin
  raise warning 'timescaledb: hypertables are plain tables in undock, without chunks, compression or policies';
end
$$;

create type _dimension as (column_name name, partition_interval text);
create function by_range(column_name name, partition_interval anyelement default null::interval) returns _dimension
language sql immutable as $$ select column_name, partition_interval::text $$;
create function by_hash(column_name name, number_partitions integer) returns _dimension
language sql immutable as $$ select column_name, number_partitions::text $$;

create function create_hypertable(
  relation regclass, dimension _dimension, create_default_indexes boolean default true,
  if_not_exists boolean default false, migrate_data boolean default false,
  out hypertable_id integer, out created boolean
) language sql as $$ select relation::oid::integer, true $$;
create function create_hypertable(
  relation regclass, time_column_name name, partitioning_column name default null, number_partitions integer default null,
  chunk_time_interval anyelement default null::interval, create_default_indexes boolean default true,
  if_not_exists boolean default false, migrate_data boolean default false,
  out hypertable_id integer, out schema_name name, out table_name name, out created boolean
) language sql as $$
  select c.oid::integer, c.relnamespace::regnamespace::name, c.relname, true from pg_catalog.pg_class c where c.oid = relation
$$;
create function set_chunk_time_interval(hypertable regclass, chunk_time_interval anyelement, dimension_name name default null)
returns void language sql as '';

create function time_bucket(bucket_width interval, ts timestamptz) returns timestamptz
language sql immutable strict as $$
  select case
    when extract(month from bucket_width) + 12 * extract(year from bucket_width) = 0
      then date_bin(bucket_width, ts, timestamptz '2000-01-03 00:00:00+00')
    else (
      timestamp '2000-01-01' + bucket_width * floor(
        (12 * (extract(year from ts at time zone 'utc') - 2000) + extract(month from ts at time zone 'utc') - 1)
        / (extract(month from bucket_width) + 12 * extract(year from bucket_width))
      )
    ) at time zone 'utc'
  end
$$;
create function time_bucket(bucket_width interval, ts timestamp) returns timestamp
language sql immutable strict as $$ select @extschema@.time_bucket(bucket_width, ts at time zone 'utc') at time zone 'utc' $$;
create function time_bucket(bucket_width interval, ts date) returns date
language sql immutable strict as $$ select @extschema@.time_bucket(bucket_width, ts::timestamp)::date $$;

create function _cannot() returns integer language plpgsql as $$
begin
  raise exception 'timescaledb''s policies cannot run in undock: hypertables are plain tables there' using
    errcode = '0A000', hint = 'Use pg_cron to delete or to refresh what is old.';
end
$$;
create function add_retention_policy(relation regclass, drop_after anyelement, if_not_exists boolean default false)
returns integer language sql as 'select @extschema@._cannot()';
create function add_compression_policy(hypertable regclass, compress_after anyelement, if_not_exists boolean default false)
returns integer language sql as 'select @extschema@._cannot()';
create function add_continuous_aggregate_policy(
  continuous_aggregate regclass, start_offset anyelement, end_offset anyelement, schedule_interval interval,
  if_not_exists boolean default false
) returns integer language sql as 'select @extschema@._cannot()';
