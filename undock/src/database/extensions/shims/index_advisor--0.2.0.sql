-- index_advisor's function. It needs hypothetical indexes, which the engine lacks; as upstream does with statements it
-- cannot handle, it answers in `errors`. Facts: supabase/index_advisor, index_advisor--0.2.0.sql.

create function index_advisor(query text) returns table (
  startup_cost_before jsonb, startup_cost_after jsonb, total_cost_before jsonb, total_cost_after jsonb,
  index_statements text[], errors text[]
) language sql stable as $$
  select null::jsonb, null::jsonb, null::jsonb, null::jsonb, '{}'::text[],
    array['index_advisor cannot run in undock: the engine''s planner knows no hypothetical indexes']
$$;
