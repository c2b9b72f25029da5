/** Statements that select a column of JSON, in the form of DatabaseObject. */

const NOT_OF_POSTGRES = `n.nspname not in ('pg_catalog', 'information_schema') and n.nspname !~ '^pg_(toast|temp)'`
const notOfExtension = (oid: string): string =>
  `not exists (select from pg_depend d where d.objid = ${oid} and d.deptype = 'e')`
const isMine = (owner: string): string => `pg_has_role(current_user, ${owner}, 'usage')`
const KIND_OF_ROUTINE = `case p.prokind when 'p' then 'procedure' when 'a' then 'aggregate' else 'function' end`

export const FUNCTIONS = `
  select json_build_object(
    'id', p.oid::text, 'schema', n.nspname,
    'name', p.proname || '(' || pg_get_function_identity_arguments(p.oid) || ')',
    'comment', obj_description(p.oid, 'pg_proc'),
    'facts', json_build_object(
      'Returns', coalesce(pg_get_function_result(p.oid), 'nothing'), 'Language', l.lanname,
      'Volatility', case p.provolatile when 'i' then 'immutable' when 's' then 'stable' else 'volatile' end,
      'Security', case when p.prosecdef then 'definer' else 'invoker' end),
    'definition', d.text,
    'change', case when ${isMine('p.proowner')} then d.text || ';' end,
    'drop', case when ${isMine('p.proowner')} then
      format('drop %s %s;', ${KIND_OF_ROUTINE}, p.oid::regprocedure) end)
  from pg_proc p join pg_namespace n on n.oid = p.pronamespace join pg_language l on l.oid = p.prolang
  cross join lateral (select case when p.prokind in ('f', 'p', 'w') then pg_get_functiondef(p.oid) end as text) d
  where ${NOT_OF_POSTGRES} and ${notOfExtension('p.oid')} order by n.nspname, p.proname`

/** When a trigger runs, such as \`before insert or update\`. Bits as in pg_trigger.tgtype. */
export const TRIGGER_TIMES = `
  case when g.tgtype & 2 > 0 then 'before ' when g.tgtype & 64 > 0 then 'instead of ' else 'after ' end
  || concat_ws(' or ', case when g.tgtype & 4 > 0 then 'insert' end, case when g.tgtype & 16 > 0 then 'update' end,
    case when g.tgtype & 8 > 0 then 'delete' end, case when g.tgtype & 32 > 0 then 'truncate' end)`

export const TRIGGERS = `
  select json_build_object(
    'id', g.oid::text, 'schema', n.nspname, 'name', g.tgname, 'comment', obj_description(g.oid, 'pg_trigger'),
    'facts', json_build_object('Table', n.nspname || '.' || c.relname, 'When', ${TRIGGER_TIMES},
      'Function', g.tgfoid::regproc::text, 'State', case g.tgenabled when 'D' then 'disabled' else 'enabled' end),
    'definition', pg_get_triggerdef(g.oid, true),
    'change', case when ${isMine('c.relowner')} then format(E'drop trigger %I on %s;\\n%s;', g.tgname, c.oid::regclass,
      pg_get_triggerdef(g.oid, true)) end,
    'drop', case when ${isMine('c.relowner')} then format('drop trigger %I on %s;', g.tgname, c.oid::regclass) end)
  from pg_trigger g join pg_class c on c.oid = g.tgrelid join pg_namespace n on n.oid = c.relnamespace
  where not g.tgisinternal and ${NOT_OF_POSTGRES} order by n.nspname, c.relname, g.tgname`

export const TYPES = `
  select json_build_object(
    'id', t.oid::text, 'schema', n.nspname, 'name', t.typname, 'comment', obj_description(t.oid, 'pg_type'),
    'facts', json_build_object(
      'Kind', case t.typtype when 'e' then 'enum' when 'c' then 'composite' when 'd' then 'domain' else 'range' end,
      'Values', v.text),
    'definition', v.text,
    'change', case when ${isMine('t.typowner')} and t.typtype = 'e' then
      format('alter type %s add value %L;', t.oid::regtype, 'new value') end,
    'drop', case when ${isMine('t.typowner')} then
      format('drop %s %s;', case t.typtype when 'd' then 'domain' else 'type' end, t.oid::regtype) end)
  from pg_type t join pg_namespace n on n.oid = t.typnamespace left join pg_class c on c.oid = t.typrelid
  cross join lateral (select case t.typtype
    when 'e' then (select string_agg(e.enumlabel, ', ' order by e.enumsortorder) from pg_enum e where e.enumtypid = t.oid)
    when 'd' then format_type(t.typbasetype, t.typtypmod) || coalesce(' ' ||
      (select string_agg(pg_get_constraintdef(k.oid), ' ') from pg_constraint k where k.contypid = t.oid), '')
    when 'c' then (select string_agg(a.attname || ' ' || format_type(a.atttypid, a.atttypmod), ', ' order by a.attnum)
      from pg_attribute a where a.attrelid = t.typrelid and a.attnum > 0 and not a.attisdropped)
    else (select format_type(r.rngsubtype, null) from pg_range r where r.rngtypid = t.oid) end as text) v
  where (t.typtype in ('e', 'd', 'r') or (t.typtype = 'c' and c.relkind = 'c')) and ${NOT_OF_POSTGRES}
    and ${notOfExtension('t.oid')} order by n.nspname, t.typname`

export const INDEXES = `
  select json_build_object(
    'id', i.oid::text, 'schema', n.nspname, 'name', i.relname, 'comment', obj_description(i.oid, 'pg_class'),
    'facts', json_build_object('Table', n.nspname || '.' || c.relname,
      'Kind', m.amname || case when x.indisprimary then ', primary key' when x.indisunique then ', unique' else '' end
        || case when x.indisvalid then '' else ', not valid' end,
      'Size', pg_size_pretty(pg_relation_size(i.oid)), 'Scans', coalesce(s.idx_scan, 0)::text),
    'definition', pg_get_indexdef(i.oid),
    'drop', case when ${isMine('i.relowner')} and k.oid is null then format('drop index %s;', i.oid::regclass) end)
  from pg_index x join pg_class i on i.oid = x.indexrelid join pg_class c on c.oid = x.indrelid join pg_am m on m.oid = i.relam
  join pg_namespace n on n.oid = i.relnamespace left join pg_stat_all_indexes s on s.indexrelid = i.oid
  left join pg_constraint k on k.conindid = i.oid and k.contype in ('p', 'u', 'x')
  where ${NOT_OF_POSTGRES} order by n.nspname, c.relname, i.relname`

export const EXTENSIONS = `
  select json_build_object(
    'id', e.name, 'name', e.name, 'comment', e.comment,
    'facts', json_build_object('State', case when e.installed_version is null then 'not enabled' else 'enabled' end,
      'Version', coalesce(e.installed_version, e.default_version), 'Schema', n.nspname),
    'create', case when e.installed_version is null then
      format('create extension if not exists %I%s;', e.name, case when v.schema is null then ' with schema extensions' else '' end) end,
    'drop', case when e.installed_version is not null and e.name <> 'plpgsql' then format('drop extension %I;', e.name) end)
  from pg_available_extensions e
  left join pg_available_extension_versions v on v.name = e.name and v.version = e.default_version
  left join pg_extension x on x.extname = e.name left join pg_namespace n on n.oid = x.extnamespace
  order by e.installed_version is null, e.name`

export const PUBLICATIONS = `
  select json_build_object(
    'id', p.oid::text, 'name', p.pubname, 'comment', obj_description(p.oid, 'pg_publication'),
    'facts', json_build_object('Tables', case when p.puballtables then 'all' else count(t.tablename)::text end,
      'Events', concat_ws(', ', case when p.pubinsert then 'insert' end, case when p.pubupdate then 'update' end,
        case when p.pubdelete then 'delete' end, case when p.pubtruncate then 'truncate' end)),
    'definition', string_agg(t.schemaname || '.' || t.tablename, E'\\n' order by t.schemaname, t.tablename),
    'change', case when ${isMine('p.pubowner')} then format('alter publication %I add table public.my_table;', p.pubname) end,
    'drop', case when ${isMine('p.pubowner')} then format('drop publication %I;', p.pubname) end)
  from pg_publication p left join pg_publication_tables t on t.pubname = p.pubname group by p.oid, p.pubname order by p.pubname`

export const ROLES = `
  select json_build_object(
    'id', r.oid::text, 'name', r.rolname, 'comment', shobj_description(r.oid, 'pg_authid'),
    'facts', json_build_object(
      'Rights', concat_ws(', ', case when r.rolcanlogin then 'login' end, case when r.rolsuper then 'superuser' end,
        case when r.rolbypassrls then 'passes row security' end, case when r.rolcreaterole then 'creates roles' end,
        case when r.rolcreatedb then 'creates databases' end, case when r.rolreplication then 'replication' end),
      'Member of', (select string_agg(g.rolname, ', ' order by g.rolname) from pg_auth_members m
        join pg_roles g on g.oid = m.roleid where m.member = r.oid),
      'Sessions', (select count(*) from pg_stat_activity a where a.usesysid = r.oid)::text),
    'definition', array_to_string(r.rolconfig, E'\\n'))
  from pg_roles r where r.rolname !~ '^pg_' order by r.rolname`
