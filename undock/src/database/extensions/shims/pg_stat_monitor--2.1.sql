-- pg_stat_monitor's view based on pg_stat_statements: one bucket, with the columns that both have.
-- Facts: percona/pg_stat_monitor, pg_stat_monitor--2.0.sql.

create view pg_stat_monitor as
select
  0::bigint as bucket,
  true as bucket_done,
  s.userid,
  r.rolname::text as username,
  s.dbid,
  d.datname::text as datname,
  s.queryid,
  s.toplevel,
  s.query,
  s.plans,
  s.total_plan_time,
  s.calls,
  s.total_exec_time,
  s.min_exec_time,
  s.max_exec_time,
  s.mean_exec_time,
  s.stddev_exec_time,
  s.rows,
  s.shared_blks_hit,
  s.shared_blks_read,
  s.wal_records,
  s.wal_bytes
from @extschema:pg_stat_statements@.pg_stat_statements s
left join pg_catalog.pg_roles r on r.oid = s.userid
left join pg_catalog.pg_database d on d.oid = s.dbid;
create function pg_stat_monitor_reset() returns void language sql as $$
  select from @extschema:pg_stat_statements@.pg_stat_statements_reset()
$$;
grant select on pg_stat_monitor to public;
