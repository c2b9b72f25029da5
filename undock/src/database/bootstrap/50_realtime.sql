-- The schema `realtime` as upstream's migrations leave it, followed by undock's own `_realtime`, which replaces the
-- replication slots that the embedded engine doesn't have.

create schema if not exists realtime;
alter schema realtime owner to supabase_admin;
grant usage on schema realtime to postgres with grant option;
grant usage on schema realtime to anon, authenticated, service_role;
grant all on schema realtime to supabase_realtime_admin with grant option;
alter role supabase_realtime_admin set search_path to 'public', 'extensions', 'realtime';
alter default privileges for role supabase_admin in schema realtime grant all on sequences to postgres, dashboard_user;
alter default privileges for role supabase_admin in schema realtime grant all on functions to postgres, dashboard_user;
alter default privileges for role supabase_admin in schema realtime grant all on tables to postgres, dashboard_user;
alter default privileges for role supabase_realtime_admin in schema realtime grant all on tables to postgres, dashboard_user;

set role supabase_realtime_admin;

create type realtime.action as enum ('INSERT', 'UPDATE', 'DELETE', 'TRUNCATE', 'ERROR');
create type realtime.equality_op as enum (
  'eq', 'neq', 'lt', 'lte', 'gt', 'gte', 'in', 'like', 'ilike', 'is', 'match', 'imatch', 'isdistinct'
);
create type realtime.user_defined_filter as (column_name text, op realtime.equality_op, value text, negate boolean);
create type realtime.wal_column as (
  name text, type_name text, type_oid oid, value jsonb, is_pkey boolean, is_selectable boolean
);
create type realtime.wal_rls as (wal jsonb, is_rls_enabled boolean, subscription_ids uuid[], errors text[]);

create or replace function realtime.to_regrole(role_name text) returns regrole language sql immutable
as $$ select role_name::regrole $$;

create or replace function realtime.topic() returns text language sql stable
as $$ select nullif(current_setting('realtime.topic', true), '') $$;

-- Converts a value's text to JSON by its type. The stream carries bytea as bare hex, which is kept.
create or replace function realtime."cast"(val text, type_ regtype) returns jsonb language plpgsql immutable
as $$
declare
  made jsonb;
begin
  if type_ = 'bytea'::regtype then
    return to_jsonb(val);
  end if;
  -- Safe: a regtype's text form is quoted where necessary.
  execute format('select to_jsonb(%L::%s)', val, type_) into made;
  return made;
end
$$;

create or replace function realtime.check_equality_op(
  op realtime.equality_op, type_ regtype, val_1 text, val_2 text, negate boolean
) returns boolean language plpgsql stable
as $$
declare
  symbol text = case op
    when 'eq' then '=' when 'neq' then '<>' when 'lt' then '<' when 'lte' then '<=' when 'gt' then '>'
    when 'gte' then '>=' when 'in' then '= any' when 'like' then 'like' when 'ilike' then 'ilike'
    when 'match' then '~' when 'imatch' then '~*' end;
  answer boolean;
begin
  if op = 'is' then
    if val_2 not in ('null', 'true', 'false', 'unknown') then
      raise exception 'invalid value for is filter: must be null, true, false, or unknown';
    end if;
    execute format('select %L::%s is %s', val_1, type_, val_2) into answer;
  elsif op = 'isdistinct' then
    execute format('select %1$L::%3$s is distinct from %2$L::%3$s', val_1, val_2, type_) into answer;
  elsif op = 'in' then
    execute format('select %1$L::%3$s = any (%2$L::%3$s[])', val_1, val_2, type_) into answer;
  else
    execute format('select %1$L::%3$s %4$s %2$L::%3$s', val_1, val_2, type_, symbol) into answer;
  end if;
  return case when negate then not answer else answer end;
end
$$;

create or replace function realtime.check_equality_op(op realtime.equality_op, type_ regtype, val_1 text, val_2 text)
returns boolean language sql stable
as $$ select realtime.check_equality_op(op, type_, val_1, val_2, false) $$;

create or replace function realtime.is_visible_through_filters(
  columns realtime.wal_column[], filters realtime.user_defined_filter[]
) returns boolean language sql stable
as $$
  select coalesce(bool_and(coalesce(
    c.name is not null and realtime.check_equality_op(
      f.op, coalesce(c.type_oid::regtype, c.type_name::regtype), c.value #>> '{}', f.value, coalesce(f.negate, false)
    ), false)), true)
  from unnest(filters) f
  left join unnest(columns) c on c.name = f.column_name
$$;

create or replace function realtime.build_prepared_statement_sql(
  prepared_statement_name text, entity regclass, columns realtime.wal_column[]
) returns text language sql
as $$
  select format('prepare %s as select exists (select 1 from %s where %s)', prepared_statement_name, entity,
    string_agg(format('%I = %s', c.name, quote_nullable(c.value #>> '{}')), ' and '))
  from unnest(columns) c where c.is_pkey
$$;

create or replace function realtime.wal2json_escape_identifier(name text) returns text language sql immutable strict
as $$ select regexp_replace(name, '([\\,.[:space:]])', '\\\1', 'g') $$;

create or replace function realtime.quote_wal2json(entity regclass) returns text language sql immutable strict
as $$
  select realtime.wal2json_escape_identifier(n.nspname) || '.' || realtime.wal2json_escape_identifier(c.relname)
  from pg_class c join pg_namespace n on n.oid = c.relnamespace where c.oid = entity
$$;

-- Upstream reads its replication slot with these two functions. Ours reads _realtime.changes instead; they exist so
-- that scripts which grant or revoke rights on them still run.
create or replace function realtime.apply_rls(wal jsonb, max_record_bytes integer default 1048576)
returns setof realtime.wal_rls language plpgsql
as $$
begin
  raise exception 'realtime.apply_rls is not available: changes are read without a replication slot'
    using errcode = 'feature_not_supported';
end
$$;
create or replace function realtime.list_changes(publication name, slot_name name, max_changes integer, max_record_bytes integer)
returns table (wal jsonb, is_rls_enabled boolean, subscription_ids uuid[], errors text[], slot_changes_count bigint)
language plpgsql
as $$
begin
  raise exception 'realtime.list_changes is not available: changes are read without a replication slot'
    using errcode = 'feature_not_supported';
end
$$;

create table realtime.messages (
  topic text not null,
  extension text not null,
  payload jsonb,
  event text,
  private boolean default false,
  updated_at timestamp not null default now(),
  inserted_at timestamp not null default now(),
  id uuid not null default gen_random_uuid(),
  binary_payload bytea,
  primary key (id, inserted_at),
  constraint messages_payload_exclusive check (payload is null or binary_payload is null)
) partition by range (inserted_at);
alter table realtime.messages enable row level security;
-- Serves replay: the latest private broadcasts of a topic.
create index messages_inserted_at_topic_index on realtime.messages (inserted_at desc, topic)
  where extension = 'broadcast' and private is true;

create or replace function realtime.send(payload jsonb, event text, topic text, private boolean default true)
returns void language plpgsql
as $$
declare
  message_id uuid = gen_random_uuid();
begin
  perform set_config('realtime.topic', topic, true);
  insert into realtime.messages (id, payload, event, topic, private, extension)
  values (
    message_id,
    case when payload ? 'id' then payload else jsonb_set(payload, '{id}', to_jsonb(message_id)) end,
    event, topic, private, 'broadcast'
  );
exception when others then
  raise warning 'WarnSendingBroadcastMessage: %', sqlerrm;
end
$$;

create or replace function realtime.send_binary(payload bytea, event text, topic text, private boolean default true)
returns void language plpgsql
as $$
begin
  perform set_config('realtime.topic', topic, true);
  insert into realtime.messages (binary_payload, event, topic, private, extension)
  values (payload, event, topic, private, 'broadcast');
exception when others then
  raise warning 'WarnSendingBroadcastMessage: %', sqlerrm;
end
$$;

create or replace function realtime.broadcast_changes(
  topic_name text, event_name text, operation text, table_name text, table_schema text,
  new record, old record, level text default 'ROW'
) returns void language plpgsql
as $$
begin
  if level = 'STATEMENT' then
    raise exception 'Failed to process the row: function can only be triggered for each row, not for each statement';
  end if;
  if operation not in ('INSERT', 'UPDATE', 'DELETE') then
    raise exception 'Failed to process the row: Unexpected operation type: %', operation;
  end if;
  perform realtime.send(
    jsonb_build_object(
      'old_record', old, 'record', new, 'operation', operation, 'table', table_name, 'schema', table_schema
    ),
    event_name, topic_name
  );
end
$$;

create table realtime.subscription (
  id bigint generated always as identity constraint pk_subscription primary key,
  subscription_id uuid not null,
  entity regclass not null,
  filters realtime.user_defined_filter[] not null default '{}',
  claims jsonb not null,
  claims_role regrole not null generated always as (realtime.to_regrole(claims ->> 'role')) stored,
  created_at timestamp not null default timezone('utc', now()),
  action_filter text default '*' check (action_filter in ('*', 'INSERT', 'UPDATE', 'DELETE')),
  selected_columns text[]
);
create index ix_realtime_subscription_entity on realtime.subscription (entity);
-- A digest, because an index entry is limited to 2704 bytes and a filter may have 100 values.
create or replace function realtime.filters_hash(filters realtime.user_defined_filter[]) returns bytea
language sql immutable strict parallel safe
as $$ select pg_catalog.sha256(pg_catalog.convert_to(filters::text, 'UTF8')) $$;
drop index if exists realtime.subscription_subscription_id_entity_filters_action_filter_selec;
create unique index subscription_subscription_id_entity_filters_hash_key on realtime.subscription
  (subscription_id, entity, realtime.filters_hash(filters), action_filter, (coalesce(selected_columns, '{}')));

-- Rejects filters that would only fail later, when a row is compared; subscribers see these error texts.
create or replace function realtime.subscription_check_filters() returns trigger language plpgsql
as $$
declare
  readable text[] = array(
    select a.attname::text from pg_attribute a
    where a.attrelid = new.entity and a.attnum > 0 and not a.attisdropped
      and has_column_privilege(new.claims ->> 'role', a.attrelid, a.attnum, 'SELECT')
  );
  f realtime.user_defined_filter;
  column_type regtype;
  chosen text;
begin
  foreach f in array new.filters loop
    if not f.column_name = any (readable) then
      raise exception 'invalid column for filter %', f.column_name;
    end if;
    select a.atttypid into strict column_type
    from pg_attribute a where a.attrelid = new.entity and a.attname = f.column_name;
    if f.op = 'in' then
      if jsonb_array_length(realtime.cast(f.value, (column_type::text || '[]')::regtype)) > 100 then
        raise exception 'too many values for `in` filter. Maximum 100';
      end if;
    elsif f.op = 'is' then
      if f.value not in ('null', 'true', 'false', 'unknown') then
        raise exception 'invalid value for is filter: must be null, true, false, or unknown';
      elsif f.value <> 'null' and column_type <> 'boolean'::regtype then
        raise exception 'is % filter requires a boolean column, got %', f.value, column_type;
      end if;
    else
      if f.op in ('match', 'imatch') then
        begin
          perform '' ~ f.value;
        exception when others then
          raise exception 'invalid regular expression for % filter: %', f.op, sqlerrm;
        end;
      elsif f.op not in ('like', 'ilike') then
        perform realtime.cast(f.value, column_type);
      end if;
      -- Evaluated instead of looked up: varchar has no operator of its own for LIKE, json has none for equality.
      begin
        perform realtime.check_equality_op(f.op, column_type, f.value, f.value, f.negate);
      exception when others then
        raise exception 'operator % is not supported on column % of type %: %', f.op, f.column_name, column_type, sqlerrm;
      end;
    end if;
  end loop;
  foreach chosen in array coalesce(new.selected_columns, '{}') loop
    if not chosen = any (readable) then
      raise exception 'invalid column for select %', chosen;
    end if;
  end loop;
  -- Sorted, so that the unique index recognizes the same filters in another order.
  new.filters = array(select u from unnest(new.filters) u order by u.column_name, u.op, u.value, u.negate);
  if new.selected_columns is not null then
    new.selected_columns = array(select u from unnest(new.selected_columns) u order by u);
  end if;
  return new;
end
$$;
create or replace trigger tr_check_filters before insert or update on realtime.subscription
  for each row execute function realtime.subscription_check_filters();

reset role;

grant all on all functions in schema realtime to postgres, dashboard_user;
grant all on function
  realtime.apply_rls(jsonb, integer),
  realtime.build_prepared_statement_sql(text, regclass, realtime.wal_column[]),
  realtime."cast"(text, regtype),
  realtime.filters_hash(realtime.user_defined_filter[]),
  realtime.check_equality_op(realtime.equality_op, regtype, text, text),
  realtime.check_equality_op(realtime.equality_op, regtype, text, text, boolean),
  realtime.is_visible_through_filters(realtime.wal_column[], realtime.user_defined_filter[]),
  realtime.quote_wal2json(regclass),
  realtime.subscription_check_filters(),
  realtime.to_regrole(text)
to anon, authenticated, service_role;
grant all on realtime.messages, realtime.subscription to postgres, dashboard_user;
grant select, insert, update on realtime.messages to anon, authenticated, service_role;
grant select on realtime.subscription to anon, authenticated, service_role;
grant all on sequence realtime.subscription_id_seq to postgres, dashboard_user;
grant usage on sequence realtime.subscription_id_seq to anon, authenticated, service_role;

create publication supabase_realtime;
alter publication supabase_realtime owner to postgres;

create schema _realtime;
revoke all on schema _realtime from public;
grant usage on schema _realtime to supabase_realtime_admin;

-- Changes of published tables with subscribers, until all nodes have read them. Logged, because subscribers stay
-- connected while the engine is reopened and must still receive what was committed. A row with the action PUBLICATION
-- marks a possible change of the published tables: later rows are matched with subscriptions again.
create table _realtime.changes (
  id bigint generated always as identity primary key,
  entity oid not null,
  action text not null,
  happened_at timestamptz not null default clock_timestamp(),
  record jsonb,
  old_record jsonb,
  -- Hash of the new row, to check whether the table still contains this version.
  version bigint
);
-- Ids are assigned before the commit, so a smaller one may become visible after a larger one: readers remember by
-- snapshot which transactions they've seen. Databases prepared by an earlier version lack this column.
alter table _realtime.changes add column if not exists xid xid8 not null default pg_current_xact_id();
grant select, insert, delete on _realtime.changes to supabase_realtime_admin;

create table _realtime.nodes (
  id uuid primary key,
  position pg_snapshot not null default pg_current_snapshot(),
  -- The queue stops waiting for nodes that have been silent for a while.
  seen_at timestamptz not null default clock_timestamp()
);
grant select, insert, update, delete on _realtime.nodes to supabase_realtime_admin;
grant usage on all sequences in schema _realtime to supabase_realtime_admin;

-- Not a superuser, because to_jsonb may call a cast that the project defined. UTC as in upstream's stream.
create or replace function _realtime.capture() returns trigger language plpgsql
security definer set search_path = pg_catalog, pg_temp set timezone = 'UTC'
as $$
begin
  -- The table that subscribers name: the partition root if the publication says so.
  insert into _realtime.changes (entity, action, record, old_record, version)
  values (tg_argv[0]::oid, tg_op, to_jsonb(new), to_jsonb(old), hashtextextended(new::text, 0));
  perform pg_notify('realtime_changes', '');
  return null;
end
$$;
alter function _realtime.capture() owner to supabase_realtime_admin;

-- Tables that need a capture trigger, with their entity and commands (tgtype: row 1, insert 4, delete 8, update 16).
create or replace view _realtime.wanted_capture as
  select distinct leaf.relid, published.entity,
    (1 + 4 * p.pubinsert::int + 8 * p.pubdelete::int + 16 * p.pubupdate::int)::smallint as kind
  from pg_publication p
  join pg_publication_tables t on t.pubname = p.pubname
  cross join lateral (select format('%I.%I', t.schemaname, t.tablename)::regclass::oid as entity) published
  join pg_class c on c.oid = published.entity
  cross join lateral (
    select published.entity as relid where c.relkind = 'r'
    union all
    select tree.relid::oid from pg_partition_tree(published.entity) tree where c.relkind = 'p' and tree.isleaf
  ) leaf
  where p.pubname = 'supabase_realtime' and t.schemaname <> '_realtime'
    and (p.pubinsert or p.pubupdate or p.pubdelete);

-- A trigger without a command (type 1) never fires; we report it as 'D'. It isn't really disabled, because psql's \d
-- shows disabled internal triggers. Triggers of an earlier version have no kind and are replaced.
create or replace view _realtime.present_capture as
  select t.oid, t.tgname, t.tgrelid as relid, nullif(split_part(encode(t.tgargs, 'escape'), '\000', 2), '')::smallint as kind,
    case when t.tgtype = 1 then 'D' else t.tgenabled end as tgenabled,
    split_part(encode(t.tgargs, 'escape'), '\000', 1)::oid as entity
  from pg_trigger t where t.tgfoid = '_realtime.capture'::regproc;

-- Tables that subscribers ask for, by name, published or not, so that a table is captured as soon as it's published.
create table _realtime.requests (
  subscription_id uuid primary key,
  schema_name text not null,
  table_name text not null
);
-- The subscriber's node. Databases prepared by an earlier version lack this column.
alter table _realtime.requests add column if not exists node uuid;
grant select, insert, delete on _realtime.requests to supabase_realtime_admin;

create or replace view _realtime.misarmed_capture as
  select p.oid, p.relid from _realtime.present_capture p
  join pg_class c on c.oid = p.entity
  join pg_namespace n on n.oid = c.relnamespace
  where (p.tgenabled <> 'D') <> exists (
    select from _realtime.requests r
    where r.schema_name in ('*', n.nspname) and r.table_name in ('*', c.relname)
  );

-- Enables capture triggers only for tables with subscribers: a disabled one costs writers nothing. Updates the catalog
-- directly, because ALTER TABLE would fire the project's event triggers at each subscription.
create or replace function _realtime.arm_captures() returns void language plpgsql
security definer set search_path = pg_catalog, pg_temp set allow_system_table_mods = on
as $$
declare
  relation oid;
  relations oid[];
begin
  -- Without this lock, two sessions that update the same catalog rows in different orders would deadlock. Its holder
  -- waits for no other lock: DDL in progress holds its tables and requests this one at its end.
  perform pg_advisory_xact_lock(7286435);
  for relation in select distinct m.relid from _realtime.misarmed_capture m order by 1 loop
    begin
      -- Keeps a concurrent DROP TABLE from finding its catalog rows changed.
      execute format('lock table only %s in access share mode nowait', relation::regclass);
    exception when lock_not_available or undefined_table or syntax_error then
      null;
    end;
  end loop;
  -- A locked row belongs to DDL in progress, which updates the remaining triggers when it ends.
  with free as (
    select t.oid from pg_catalog.pg_trigger t
    where t.oid in (select m.oid from _realtime.misarmed_capture m) for update skip locked
  ), changed as (
    update pg_catalog.pg_trigger t
    set tgtype = case when p.tgenabled = 'D' then p.kind else 1 end, tgenabled = 'A'
    from free join _realtime.present_capture p on p.oid = free.oid
    where free.oid = t.oid and p.kind is not null
    returning t.tgrelid
  )
  select array_agg(tgrelid) into relations from changed;
  -- Updating a row of pg_attribute makes open sessions reload the table's triggers. We touch a system column's row,
  -- which nothing else updates: GRANT and CREATE INDEX, which take no lock or a weak one, update pg_class.
  with free as (
    select a.attrelid, a.attnum from pg_catalog.pg_attribute a
    where a.attrelid = any (relations) and a.attname = 'tableoid' for update skip locked
  )
  update pg_catalog.pg_attribute a set attname = a.attname
  from free where (a.attrelid, a.attnum) = (free.attrelid, free.attnum);
end
$$;

create or replace function _realtime.subscription_changed() returns trigger language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  perform _realtime.arm_captures();
  return null;
end
$$;
drop trigger if exists subscription_changed on realtime.subscription;
create or replace trigger requests_changed after insert or update or delete or truncate on _realtime.requests
  for each statement execute function _realtime.subscription_changed();

-- Not a superuser, because the project may add triggers to the table.
create or replace function _realtime.forget_dropped() returns void language sql
security definer set search_path = pg_catalog, pg_temp
as $$
  delete from realtime.subscription s where not exists (select from pg_catalog.pg_class c where c.oid = s.entity)
$$;
alter function _realtime.forget_dropped() owner to supabase_realtime_admin;

-- Matches capture triggers to the publication. They're marked internal, to hide them from \d, pg_dump and schema diffs.
create or replace function _realtime.follow_publication() returns void language plpgsql
security definer set search_path = pg_catalog, pg_temp set allow_system_table_mods = on
as $$
declare
  capture record;
begin
  -- DDL in progress holds its table when it requests the advisory lock, so lock tables first, in a fixed order.
  for capture in
    select coalesce(p.relid, w.relid) as relid, bool_or(p.relid is not null) as is_dropped
    from _realtime.present_capture p
    full join _realtime.wanted_capture w on (w.relid, w.entity, w.kind) = (p.relid, p.entity, p.kind)
    where p.relid is null or w.relid is null
    group by 1 order by 1
  loop
    begin
      execute format(
        'lock table only %s in %s mode',
        capture.relid::regclass, case when capture.is_dropped then 'access exclusive' else 'share row exclusive' end
      );
    exception when undefined_table or syntax_error then
      null;
    end;
  end loop;
  perform pg_advisory_xact_lock(7286435);
  for capture in
    select p.tgname, p.relid from _realtime.present_capture p
    where not exists (
      select from _realtime.wanted_capture w where (w.relid, w.entity, w.kind) = (p.relid, p.entity, p.kind)
    )
  loop
    execute format('drop trigger %I on %s', capture.tgname, capture.relid::regclass);
  end loop;
  for capture in
    select w.relid, w.entity, w.kind, concat_ws(' or ',
      case when w.kind & 4 > 0 then 'insert' end,
      case when w.kind & 16 > 0 then 'update' end,
      case when w.kind & 8 > 0 then 'delete' end) as events
    from _realtime.wanted_capture w
    where not exists (select from _realtime.present_capture p where p.relid = w.relid)
  loop
    -- The leading underscore makes it fire first, so that changes by other triggers follow the one that caused them.
    execute format(
      'create trigger _realtime_capture after %s on %s for each row execute function _realtime.capture(%L, %L)',
      capture.events, capture.relid::regclass, capture.entity, capture.kind
    );
    update pg_catalog.pg_trigger set tgisinternal = true, tgtype = 1, tgenabled = 'A'
    where tgrelid = capture.relid and tgname = '_realtime_capture';
  end loop;
  perform _realtime.forget_dropped();
  perform _realtime.arm_captures();
end
$$;

-- Whether all capture triggers match the publication and the requests. Takes no lock.
create or replace function _realtime.is_in_step() returns boolean language sql stable
security definer set search_path = pg_catalog, pg_temp
as $$
  select not exists (
      (select relid, entity, kind from _realtime.wanted_capture except select relid, entity, kind from _realtime.present_capture)
      union all
      (select relid, entity, kind from _realtime.present_capture except select relid, entity, kind from _realtime.wanted_capture)
    ) and not exists (select from _realtime.misarmed_capture)
$$;

create or replace function _realtime.publication_changed() returns void language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  begin
    perform _realtime.follow_publication();
  exception when others then
    -- Don't fail the project's DDL. The service retries when it reads the PUBLICATION row below.
    raise warning 'Realtime could not follow the publication: %', sqlerrm;
  end;
  insert into _realtime.changes (entity, action) values (0, 'PUBLICATION');
  perform pg_notify('realtime_publication', '');
exception when others then
  raise warning 'Realtime could not follow the publication: %', sqlerrm;
end
$$;

create or replace function _realtime.on_ddl() returns event_trigger language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  -- Temporary tables are never published, and their transaction may be read-only and shouldn't wait for locks.
  if (select bool_and(d.schema_name is not distinct from 'pg_temp') from pg_event_trigger_ddl_commands() d) then
    return;
  end if;
  perform _realtime.publication_changed();
end
$$;
drop event trigger if exists realtime_follow_publication;
create event trigger realtime_follow_publication on ddl_command_end
  when tag in (
    'CREATE PUBLICATION', 'ALTER PUBLICATION', 'DROP PUBLICATION', 'CREATE TABLE', 'CREATE TABLE AS', 'SELECT INTO',
    'ALTER TABLE', 'DROP TABLE', 'CREATE SCHEMA', 'ALTER SCHEMA', 'DROP SCHEMA', 'DROP OWNED'
  )
  execute function _realtime.on_ddl();
alter event trigger realtime_follow_publication enable always;

-- Broadcast from the database: tells the service which row to read after the commit.
create or replace function _realtime.announce_message() returns trigger language plpgsql set search_path = ''
as $$
begin
  perform pg_notify('realtime_messages', new.id || ' ' || new.inserted_at::text);
  return null;
end
$$;
create or replace trigger announce_message after insert on realtime.messages for each row
  when (new.event is not null and (new.payload is not null or new.binary_payload is not null))
  execute function _realtime.announce_message();

-- One partition a day, with upstream's names, from yesterday to three days ahead; drops partitions older than 72 hours.
-- Not a superuser, because new partitions get the table's indexes, whose expressions may call the project's functions.
create or replace function _realtime.keep_partitions(today date) returns void language plpgsql
security definer set search_path = pg_catalog, pg_temp set client_min_messages = 'warning'
as $$
declare
  day date;
  expired text;
begin
  for day in select d::date from generate_series(today - 1, today + 3, interval '1 day') d loop
    if to_regclass(format('realtime.messages_%s', to_char(day, 'YYYY_MM_DD'))) is null then
      execute format(
        'create table realtime.messages_%s partition of realtime.messages for values from (%L) to (%L)',
        to_char(day, 'YYYY_MM_DD'), day, day + 1
      );
    end if;
  end loop;
  for expired in
    select c.relname from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'realtime.messages'::regclass and c.relname ~ '^messages_\d{4}_\d{2}_\d{2}$'
      and to_date(substring(c.relname from 10), 'YYYY_MM_DD') < today - 3
  loop
    execute format('drop table realtime.%I', expired);
  end loop;
end
$$;
alter function _realtime.keep_partitions(date) owner to supabase_realtime_admin;
select _realtime.keep_partitions(current_date);

-- Inserts the rows on which read access is tested, even if the caller may not write.
create or replace function _realtime.make_probes(on_topic text, extensions text[]) returns uuid[]
language sql security definer set search_path = pg_catalog, pg_temp as $$
  with made as (
    insert into realtime.messages (topic, extension) select on_topic, unnest(extensions) returning id
  )
  select array_agg(id) from made
$$;
alter function _realtime.make_probes(text, text[]) owner to supabase_realtime_admin;
revoke all on function _realtime.make_probes(text, text[]) from public;
-- Policies are the project's code, so they must not be evaluated in a superuser's session.
grant usage on schema _realtime to authenticator;
grant execute on function _realtime.make_probes(text, text[]) to authenticator;

-- Evaluates policies on realtime.messages for a caller and a topic, and leaves no rows: reads are tested on probes,
-- writes by inserting. Returns the allowed extensions. Keeps the search path, on which functions in policies may rely.
create or replace function _realtime.allowed(
  access text, extensions text[], on_topic text, caller text, claims text, headers text
) returns text[] language plpgsql set search_path = "$user", public, extensions
as $$
declare
  answer text[] = '{}';
  extension_ text;
  probes uuid[];
begin
  -- A block with an exception handler is a savepoint: raising undoes rows, role and settings, but not variables.
  begin
    if access = 'read' then
      probes = _realtime.make_probes(on_topic, extensions);
    end if;
    perform set_config('realtime.topic', on_topic, true), set_config('request.jwt.claims', claims, true),
      set_config('request.jwt.claim.sub', coalesce(claims::jsonb ->> 'sub', ''), true),
      set_config('request.jwt.claim.role', caller, true), set_config('request.headers', headers, true),
      set_config('role', caller, true);
    if access = 'read' then
      answer = array(select m.extension from realtime.messages m where m.id = any (probes));
    else
      foreach extension_ in array extensions loop
        begin
          insert into realtime.messages (topic, extension) values (on_topic, extension_);
          answer = answer || extension_;
        exception when insufficient_privilege then
          null;
        end;
      end loop;
    end if;
    raise exception using errcode = 'UNDO1';
  exception when sqlstate 'UNDO1' then
    return answer;
  end;
end
$$;

-- Messages between a project's nodes, sent by NOTIFY. Every role may LISTEN, so they're encrypted with this key. No
-- role has rights here; the project's owner can still read it, like all data. Envelopes hold what exceeds a
-- notification's size; unlogged, because no one waits for them after a crash.
create table _realtime.bus_keys (only_one boolean primary key default true check (only_one), key bytea not null);
create unlogged table _realtime.bus_envelopes (
  id uuid primary key,
  body bytea not null,
  sent_at timestamptz not null default now()
);
