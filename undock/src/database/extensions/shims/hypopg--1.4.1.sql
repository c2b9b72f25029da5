-- hypopg's functions. The engine's planner has no hook for hypothetical indexes: creating one reports that.
-- Facts: HypoPG/hypopg, hypopg--1.4.1.sql.

create function hypopg_create_index(sql_order text, out indexrelid oid, out indexname text) returns setof record
language plpgsql as $$
begin
  raise exception 'hypopg cannot run in undock: the engine''s planner knows no hypothetical indexes' using
    errcode = '0A000',
    hint = 'Create the index and compare the plans with explain.';
end
$$;
create function hypopg(
  out indexname text, out indexrelid oid, out indrelid oid, out innatts integer, out indisunique boolean,
  out indkey int2vector, out indcollation oidvector, out indclass oidvector, out indoption oidvector, out indexprs
  pg_node_tree, out indpred pg_node_tree, out amid oid
) returns setof record language sql as $$
  select null::text, null::oid, null::oid, null::integer, null::boolean, null::int2vector, null::oidvector,
    null::oidvector, null::oidvector, null::pg_node_tree, null::pg_node_tree, null::oid where false
$$;
create function hypopg_drop_index(indexid oid) returns boolean language sql as 'select false';
create function hypopg_get_indexdef(indexid oid) returns text language sql as 'select null::text';
create function hypopg_reset() returns void language sql as '';
create view hypopg_list_indexes as
select null::oid as indexrelid, null::text as index_name, null::name as schema_name, null::name as table_name,
  null::name as am_name
where false;
