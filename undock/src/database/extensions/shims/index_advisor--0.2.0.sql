-- Finds the single-column indexes that the planner would use for a query, by trying hypopg's hypothetical indexes.
-- Where hypopg is a shim too, it reports that in `errors`, as upstream does for statements it can't handle.
-- Facts: supabase/index_advisor, README.md.

create function index_advisor(query text) returns table (
  startup_cost_before jsonb, startup_cost_after jsonb, total_cost_before jsonb, total_cost_after jsonb,
  index_statements text[], errors text[]
) language plpgsql volatile set plan_cache_mode = force_generic_plan as $$
declare
  wanted text := regexp_replace(query, '[\s;]+$', '');
  explained text := 'explain (format json, verbose) execute index_advisor_query';
  plan jsonb;
  place record;
begin
  index_statements := '{}';
  errors := '{}';
  if exists (select from pg_prepared_statements where name = 'index_advisor_query') then
    deallocate index_advisor_query;
  end if;
  perform @extschema:hypopg@.hypopg_reset();
  begin
    -- `execute` would run a second statement.
    if strpos(wanted, ';') > 0 then raise exception 'the query contains a semicolon'; end if;
    execute 'prepare index_advisor_query as ' || wanted;
    select explained || coalesce('(' || string_agg('null', ', ') || ')', '') into explained
    from pg_prepared_statements, unnest(parameter_types) where name = 'index_advisor_query';

    execute explained into plan;
    startup_cost_before := plan -> 0 -> 'Plan' -> 'Startup Cost';
    total_cost_before := plan -> 0 -> 'Plan' -> 'Total Cost';

    for place in
      select distinct node ->> 'Schema' as schema, node ->> 'Relation Name' as name, attname
      from jsonb_path_query(plan, 'strict $.** ? (exists (@."Relation Name"))') as node
      join pg_attribute on attrelid = format('%I.%I', node ->> 'Schema', node ->> 'Relation Name')::regclass
      where attnum > 0 and not attisdropped and not exists (
        select from pg_index where indrelid = attrelid and indkey[0] = attnum and indisvalid and indpred is null
      )
    loop
      begin
        perform @extschema:hypopg@.hypopg_create_index(
          format('create index on %I.%I using btree (%I)', place.schema, place.name, place.attname));
      exception
        -- The column's type has no ordering.
        when undefined_object then null;
      end;
    end loop;

    -- Otherwise the prepared statement keeps its plan.
    discard plans;
    execute explained into plan;
    startup_cost_after := plan -> 0 -> 'Plan' -> 'Startup Cost';
    total_cost_after := plan -> 0 -> 'Plan' -> 'Total Cost';
    select coalesce(array_agg(distinct @extschema:hypopg@.hypopg_get_indexdef(indexrelid)), '{}') into index_statements
    from @extschema:hypopg@.hypopg_list_indexes
    where index_name in (
      select node ->> 'Index Name' from jsonb_path_query(plan, 'strict $.** ? (exists (@."Index Name"))') as node
    );
  exception
    when others then errors := array[sqlerrm];
  end;
  perform @extschema:hypopg@.hypopg_reset();
  if exists (select from pg_prepared_statements where name = 'index_advisor_query') then
    deallocate index_advisor_query;
  end if;
  return next;
end
$$;
