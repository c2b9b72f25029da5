-- Hosted projects' pgmq 1.5 has pop(text), as named in migrations and grants; ours has pop(text, integer) instead.
create or replace function _undock.complete_pgmq() returns event_trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  owner_ name;
  definition text;
begin
  select r.rolname into owner_ from pg_event_trigger_ddl_commands() c
  join pg_extension x on x.oid = c.objid and x.extname = 'pgmq' join pg_roles r on r.oid = x.extowner
  where c.classid = 'pg_extension'::regclass;
  if not found or to_regprocedure('pgmq.pop(text)') is not null or to_regprocedure('pgmq.pop(text, integer)') is null then
    return;
  end if;
  -- With a default for the second parameter, pop('queue') would be ambiguous.
  definition := replace(pg_get_functiondef('pgmq.pop(text, integer)'::regprocedure), 'qty integer DEFAULT 1', 'qty integer');
  alter extension pgmq drop function pgmq.pop(text, integer);
  drop function pgmq.pop(text, integer);
  execute definition;
  create function pgmq.pop(queue_name text) returns setof pgmq.message_record
  language sql as 'select * from pgmq.pop(queue_name, 1)';
  execute format('alter function pgmq.pop(text) owner to %I', owner_);
  execute format('alter function pgmq.pop(text, integer) owner to %I', owner_);
  alter extension pgmq add function pgmq.pop(text);
  alter extension pgmq add function pgmq.pop(text, integer);
end
$$;
create event trigger complete_pgmq on ddl_command_end when tag in ('CREATE EXTENSION')
  execute function _undock.complete_pgmq();
alter event trigger complete_pgmq enable always;
