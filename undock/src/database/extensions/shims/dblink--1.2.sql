-- dblink's functions by name: the engine cannot connect to other servers, and every call reports that.
-- Facts: the PostgreSQL documentation, appendix F.

do $$
declare
  one record;
begin
  for one in select * from (values
    ('dblink_connect', 'text', 'text'),
    ('dblink_connect', 'text, text', 'text'),
    ('dblink_connect_u', 'text', 'text'),
    ('dblink_connect_u', 'text, text', 'text'),
    ('dblink_disconnect', '', 'text'),
    ('dblink_disconnect', 'text', 'text'),
    ('dblink', 'text', 'setof record'),
    ('dblink', 'text, boolean', 'setof record'),
    ('dblink', 'text, text', 'setof record'),
    ('dblink', 'text, text, boolean', 'setof record'),
    ('dblink_exec', 'text', 'text'),
    ('dblink_exec', 'text, boolean', 'text'),
    ('dblink_exec', 'text, text', 'text'),
    ('dblink_exec', 'text, text, boolean', 'text'),
    ('dblink_send_query', 'text, text', 'integer'),
    ('dblink_get_result', 'text', 'setof record'),
    ('dblink_is_busy', 'text', 'integer'),
    ('dblink_error_message', 'text', 'text'),
    ('dblink_cancel_query', 'text', 'text')
  ) as names (name, arguments, answer)
  loop
    execute pg_catalog.format(
      $f$create function %I(%s) returns %s language plpgsql as $b$
      begin
        raise exception 'dblink cannot run in undock: its engine reaches no other servers' using errcode = '0A000',
          hint = 'Run the project on a Postgres of your own: database_url in supabase/undock.toml.';
      end $b$ $f$,
      one.name, one.arguments, one.answer
    );
  end loop;
end
$$;
create function dblink_get_connections() returns text[] language sql as 'select null::text[]';
