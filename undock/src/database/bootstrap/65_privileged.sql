-- What `postgres` may do on a hosted project although Postgres requires a superuser (there through supautils). Each
-- procedure builds one statement from names and values: none runs SQL that is passed in.

create schema _undock;
grant usage on schema _undock to postgres;

-- Refuses roles that the authenticator can't switch to, like SET ROLE. Unused if sessions can be authorized as it.
create or replace function _undock.refuse_role(name text) returns text
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  if to_regrole(quote_ident(name)) is null then
    raise exception using errcode = 'invalid_parameter_value', message = format('role "%s" does not exist', name);
  end if;
  raise exception using errcode = 'insufficient_privilege', message = format('permission denied to set role "%s"', name);
end
$$;
revoke all on function _undock.refuse_role(text) from public;

drop function if exists _undock.run_privileged(text);

-- Gives an object created on the project's behalf to the project. ALTER … OWNER would require a superuser as owner.
create or replace function _undock.give_to_project(catalog regclass, owner_column text, object oid) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  execute format('update %s set %I = %s where oid = %s', catalog, owner_column, 'postgres'::regrole::oid, object);
  delete from pg_shdepend where dbid = (select d.oid from pg_database d where d.datname = current_database())
    and classid = catalog and objid = object and deptype = 'o';
  insert into pg_shdepend (dbid, classid, objid, objsubid, refclassid, refobjid, deptype)
  select d.oid, catalog, object, 0, 'pg_authid'::regclass, 'postgres'::regrole, 'o' from pg_database d
  where d.datname = current_database();
end
$$;

-- An event trigger fires for the DDL of every role, including superusers. So every project function that returns
-- event_trigger is made to run with the project's rights, when it's created and after later changes. Updates the
-- catalog directly, because ALTER FUNCTION would fire triggers whose functions aren't bound yet.
create or replace function _undock.bind_event_functions() returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  update pg_proc p set prosecdef = true, proconfig = case
    when coalesce(array_to_string(p.proconfig, ' ') ~ '(^| )search_path=', false) then p.proconfig
    else array_append(p.proconfig, 'search_path="$user", public, extensions, pg_temp') end
  from pg_roles r
  where p.prorettype = 'event_trigger'::regtype and r.oid = p.proowner and not r.rolsuper
    and (not p.prosecdef or not coalesce(array_to_string(p.proconfig, ' ') ~ '(^| )search_path=', false));
end
$$;
create or replace function _undock.on_function_ddl() returns event_trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform _undock.bind_event_functions();
end
$$;
create event trigger undock_bind_event_functions on ddl_command_end
  when tag in ('CREATE FUNCTION', 'ALTER FUNCTION', 'ALTER ROUTINE')
  execute function _undock.on_function_ddl();
-- Fires even if the project sets session_replication_role to replica.
alter event trigger undock_bind_event_functions enable always;

create or replace procedure _undock.create_event_trigger(name text, event text, tags text[], handler regprocedure)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  owner_ oid;
begin
  select proowner into owner_ from pg_proc where oid = handler;
  if not pg_has_role('postgres', owner_, 'usage') and not (select rolsuper from pg_roles where oid = owner_) then
    raise exception using errcode = '42501', message = format('must be owner of function %s', handler);
  end if;
  execute format('create event trigger %I on %I%s execute function %s', name, event,
    (select ' when tag in (' || string_agg(quote_literal(tag), ', ') || ')' from unnest(tags) tag), handler);
  perform _undock.give_to_project('pg_event_trigger', 'evtowner', (select oid from pg_event_trigger where evtname = name));
end
$$;

create or replace procedure _undock.publish_all_tables(name text, options text[])
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  execute format('create publication %I for all tables%s', name,
    (select ' with (' || string_agg(format('%I = %L', split_part(o, '=', 1), substr(o, strpos(o, '=') + 1)), ', ') || ')'
     from unnest(options) o));
  perform _undock.give_to_project('pg_publication', 'pubowner', (select oid from pg_publication where pubname = name));
  perform _realtime.publication_changed();
end
$$;

create or replace procedure _undock.publish_schemas(publication text, schemas text[], is_replaced boolean)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  schema_ text;
begin
  if not exists (select from pg_publication where pubname = publication and pg_has_role('postgres', pubowner, 'usage')) then
    raise exception using errcode = '42501', message = format('must be owner of publication %s', publication);
  end if;
  foreach schema_ in array schemas loop
    if to_regnamespace(quote_ident(schema_)) is not null
      and not has_schema_privilege('postgres', schema_, 'create') then
      raise exception using errcode = '42501', message = format('permission denied for schema %s', schema_);
    end if;
  end loop;
  execute format('alter publication %I %s tables in schema %s', publication, case when is_replaced then 'set' else 'add' end,
    (select string_agg(quote_ident(s), ', ') from unnest(schemas) s));
  perform _realtime.publication_changed();
end
$$;

-- Handler and validator run with the rights of the wrapper's creator, so they must belong to an extension. A handler
-- needs its extension's validator, which refuses superuser options, such as connecting without a password.
create or replace procedure _undock.create_wrapper(name text, handler regproc, validator regproc, options text[])
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  routine oid;
begin
  foreach routine in array array_remove(array[handler::oid, validator::oid], null) loop
    if not exists (select from pg_proc p join pg_roles r on r.oid = p.proowner where p.oid = routine and r.rolsuper)
      or not exists (select from pg_depend d where d.classid = 'pg_proc'::regclass and d.objid = routine and d.deptype = 'e')
    then
      raise exception using errcode = '42501', message = format('function %s belongs to no extension', routine::regproc);
    end if;
  end loop;
  if handler is not null and not exists (
    select from pg_proc h join pg_proc v on v.oid = validator and v.pronamespace = h.pronamespace
    join pg_depend hd on hd.classid = 'pg_proc'::regclass and hd.objid = h.oid and hd.deptype = 'e'
    join pg_depend vd on vd.classid = 'pg_proc'::regclass and vd.objid = v.oid and vd.deptype = 'e'
      and vd.refobjid = hd.refobjid
    where h.oid = handler and v.proname = regexp_replace(h.proname, 'handler$', 'validator')
  ) then
    raise exception using errcode = '42501', message = format('handler %s needs the validator of its own extension', handler),
      hint = format('Add VALIDATOR %s.', regexp_replace(handler::text, 'handler$', 'validator'));
  end if;
  execute format('create foreign data wrapper %I%s%s%s', name, ' handler ' || handler::text, ' validator ' || validator::text,
    (select ' options (' || string_agg(format('%I %L', split_part(o, '=', 1), substr(o, strpos(o, '=') + 1)), ', ') || ')'
     from unnest(options) o));
  perform _undock.give_to_project('pg_foreign_data_wrapper', 'fdwowner',
    (select oid from pg_foreign_data_wrapper where fdwname = name));
end
$$;

create or replace procedure _undock.move_extension(name text, schema text)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  if exists (select from pg_extension where extname = name and not pg_has_role('postgres', extowner, 'usage')) then
    raise exception using errcode = '42501', message = format('must be owner of extension %s', name);
  end if;
  if not has_schema_privilege('postgres', schema, 'create') then
    raise exception using errcode = '42501', message = format('permission denied for schema %s', schema);
  end if;
  execute format('alter extension %I set schema %I', name, schema);
  notify pgrst, 'reload schema';
end
$$;

-- An output plugin is a file that the server loads. undock/native/rights provides functions that allow three plugins
-- under the names of PostgreSQL's own functions, which it then refuses. Where the server doesn't load that library, no
-- role of the project can replicate, neither by these functions nor by replication commands.
do $$
declare
  builtin record;
  role_ name;
begin
  if current_setting('shared_preload_libraries', true) ~ '\mundock_rights\M' then
    for builtin in
      select p.oid::regprocedure as routine, p.proname as name, pg_get_function_arguments(p.oid) as arguments
      from pg_proc p
      where p.oid < 16384 and p.proname in ('pg_create_logical_replication_slot', 'pg_copy_logical_replication_slot')
        and 'plugin' = any (p.proargnames)
    loop
      execute format('alter function %s rename to %I', builtin.routine, 'undock_builtin_' || builtin.name);
      execute format('create function pg_catalog.%I(%s) returns record language c strict as %L, %L', builtin.name,
        builtin.arguments, '$libdir/undock_rights',
        case when builtin.name ~ 'create' then 'undock_create_logical_slot' else 'undock_copy_logical_slot' end);
    end loop;
  elsif (select rolsuper from pg_roles where rolname = current_user) then
    for role_ in
      select rolname from pg_roles
      where rolreplication and not rolsuper and rolname in ('postgres', 'supabase_replication_admin', 'dashboard_user')
    loop
      execute format('alter role %I noreplication', role_);
    end loop;
  end if;
end
$$;

-- Changes the project's own settings, such as app.settings.secret and pgrst.db_schemas, of a role, a database, or a
-- role in a database. Without a value, resets the setting.
create or replace procedure _undock.set_parameter(role text, database text, name text, value text[])
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  if name !~ '^[A-Za-z_][A-Za-z0-9_$]*([.][A-Za-z_][A-Za-z0-9_$]*)+$'
    -- Unknown until their library is loaded, which then takes them as set by a superuser: drivers that read files.
    or name ~* '^(postgis|pl(perl|tcl|java))[.]'
    or exists (select from pg_settings p where p.name = lower(set_parameter.name) and p.context <> 'user'
      and not has_parameter_privilege('postgres', p.name, 'set'))
  then
    raise exception using errcode = '42501', message = format('permission denied to set parameter "%s"', name);
  end if;
  if role is null and not pg_has_role('postgres', (select datdba from pg_database where datname = database), 'usage') then
    raise exception using errcode = '42501', message = format('must be owner of database %s', database);
  end if;
  if (select rolsuper from pg_roles where rolname = role) then
    raise exception using errcode = '42501', message = 'permission denied to alter role',
      detail = 'The settings of superusers are not the project''s.';
  end if;
  execute case when role is null then format('alter database %I', database) else format('alter role %I', role) end
    || case when role is not null and database is not null then format(' in database %I', database) else '' end
    || case
      when value is null then format(' reset %s', name)
      else format(' set %s to %s', name, (select string_agg(quote_literal(v), ', ') from unnest(value) v))
    end;
end
$$;

revoke all on all routines in schema _undock from public;
grant execute on procedure
  _undock.create_event_trigger(text, text, text[], regprocedure),
  _undock.publish_all_tables(text, text[]),
  _undock.publish_schemas(text, text[], boolean),
  _undock.create_wrapper(text, regproc, regproc, text[]),
  _undock.move_extension(text, text),
  _undock.set_parameter(text, text, text, text[])
  to postgres;

-- A superuser owns an extension's foreign data wrappers; the project may create servers with them.
create or replace function _undock.grant_wrappers() returns event_trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  name text;
begin
  for name in
    select w.fdwname from pg_event_trigger_ddl_commands() c
    join pg_depend d on d.refclassid = 'pg_extension'::regclass and d.refobjid = c.objid and d.deptype = 'e'
    join pg_foreign_data_wrapper w on d.classid = 'pg_foreign_data_wrapper'::regclass and d.objid = w.oid
    where c.classid = 'pg_extension'::regclass
  loop
    execute format('grant usage on foreign data wrapper %I to postgres with grant option', name);
  end loop;
end
$$;
-- Revokes functions that can connect without a password, as any user the server trusts.
create or replace function _undock.revoke_unsafe() returns event_trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  routine regprocedure;
  grantee text;
begin
  for routine, grantee in
    select p.oid, case a.grantee when 0 then 'public' else quote_ident(a.grantee::regrole::text) end
    from pg_proc p cross join lateral aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) a
    where p.proname = 'dblink_connect_u' and a.grantee <> p.proowner
  loop
    execute format('revoke all on function %s from %s cascade', routine, grantee);
  end loop;
end
$$;
create event trigger revoke_unsafe on ddl_command_end when tag in ('CREATE EXTENSION', 'ALTER EXTENSION')
  execute function _undock.revoke_unsafe();
alter event trigger revoke_unsafe enable always;

create event trigger grant_wrappers on ddl_command_end when tag in ('CREATE EXTENSION')
  execute function _undock.grant_wrappers();
alter event trigger grant_wrappers enable always;

-- An extension's objects belong to the superuser who created it for the project. Moving an extension to another schema
-- requires owning all of them, so objects of relocatable extensions are given to the extension's owner.
create or replace function _undock.give_members() returns event_trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  given text;
begin
  for given in
    select format('alter %s %s owner to %I', member.type, member.identity, r.rolname)
    from pg_event_trigger_ddl_commands() c
    join pg_extension x on x.oid = c.objid and x.extrelocatable
    join pg_roles r on r.oid = x.extowner and not r.rolsuper
    join pg_depend d on d.refclassid = 'pg_extension'::regclass and d.refobjid = x.oid and d.deptype = 'e'
    cross join pg_identify_object(d.classid, d.objid, 0) member
    where c.classid = 'pg_extension'::regclass
      and member.type in ('function', 'aggregate', 'type', 'domain', 'operator', 'operator class', 'operator family', 'table',
        'view', 'sequence', 'text search dictionary', 'text search configuration')
      -- An array type follows its element type, a row type its table or view, a column's sequence its table.
      and member.identity not like '%[]'
      and member.identity not like '%.dblink_connection'
      and not exists (
        select from pg_depend o where d.classid = 'pg_class'::regclass and o.classid = d.classid and o.objid = d.objid
          and o.deptype in ('a', 'i') and o.refobjsubid > 0
      )
      and not exists (
        select from pg_type t join pg_class k on k.oid = t.typrelid
        where d.classid = 'pg_type'::regclass and t.oid = d.objid and k.relkind <> 'c'
      )
      -- SECURITY DEFINER functions stay with the superuser: the project must not decide who may call them. So do
      -- functions of foreign data wrappers: the project must not replace one that refuses superuser options.
      and not exists (
        select from pg_proc p where d.classid = 'pg_proc'::regclass and p.oid = d.objid
          and (p.prosecdef or p.prorettype = 'fdw_handler'::regtype or p.proname ~ 'validator$')
      )
  loop
    execute given;
  end loop;
  perform _undock.bind_event_functions();
end
$$;
create event trigger give_members on ddl_command_end when tag in ('CREATE EXTENSION')
  execute function _undock.give_members();
alter event trigger give_members enable always;

create or replace function _undock.provide_collation(name text, nearest text) returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  if exists (select from pg_collation c where c.collname = name) then return false; end if;
  -- System collations only: the project creates its own.
  if name !~ '(-x-icu$)|^[a-z]{2,3}_[A-Z]{2}(\.[A-Za-z0-9-]+)?$' then return false; end if;
  execute format('create collation pg_catalog.%I from %I', name, nearest);
  return true;
end
$$;
revoke all on function _undock.provide_collation(text, text) from public;
grant execute on function _undock.provide_collation(text, text) to postgres;

-- Confines a transaction to reading: it can't reach other servers, even through SECURITY DEFINER functions, and can't
-- be committed, so revoked rights return. Only with one of these extensions do two of them wait for each other.
create table _undock.confined (id bigint generated always as identity primary key);
create or replace function _undock.refuse_commit() returns trigger
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  raise exception using errcode = 'invalid_transaction_termination',
    message = 'a transaction that only reads cannot be committed';
end
$$;
drop trigger if exists refuse_commit on _undock.confined;
create constraint trigger refuse_commit after insert on _undock.confined deferrable initially deferred
  for each row execute function _undock.refuse_commit();
create or replace procedure _undock.confine()
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  routine regprocedure;
  grantee text;
begin
  insert into _undock.confined default values;
  for routine, grantee in
    select p.oid, case a.grantee when 0 then 'public' else quote_ident(a.grantee::regrole::text) end
    from pg_extension x
    join pg_depend d on d.refclassid = 'pg_extension'::regclass and d.refobjid = x.oid and d.deptype = 'e'
    join pg_proc p on d.classid = 'pg_proc'::regclass and p.oid = d.objid
    cross join lateral aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) a
    where x.extname in ('dblink', 'http', 'pg_net') and p.prokind = 'f'
    order by p.oid
  loop
    execute format('revoke all on function %s from %s cascade', routine, grantee);
  end loop;
end
$$;
revoke all on procedure _undock.confine() from public;
grant usage on schema _undock to supabase_read_only_user, undock_reader;
grant execute on procedure _undock.confine() to supabase_read_only_user, undock_reader;

-- Dumps of older projects install the extension into this schema.
create schema pgsodium;
