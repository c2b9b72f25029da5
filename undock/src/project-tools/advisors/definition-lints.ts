import { KEY, type Lint, metadata, notOfExtension, OF_PROJECT, RELATIONS } from './lint.ts'

/** Problems in the definitions of functions, extensions, columns and constraints. */
export const DEFINITION_LINTS: readonly Lint[] = [
  {
    name: 'function_search_path_mutable',
    title: 'Function without a search path',
    level: 'WARN',
    category: 'SECURITY',
    description:
      "A function looks up tables in its caller's search path, where the caller can put other tables. Set an empty search path, and name each table with its schema.",
    page: '0011_function_search_path_mutable',
    query: `select format('The function %s.%s does not set search_path.', n.nspname, p.proname) as detail,
      jsonb_build_object('schema', n.nspname, 'name', p.proname, 'type', 'function') as metadata,
      format('%s_%s_%s', n.nspname, p.proname, md5(p.prosrc)) as key,
      format('alter routine %s set search_path = '''';', p.oid::regprocedure) as fix
      from pg_proc p join pg_namespace n on n.oid = p.pronamespace
      where p.prokind in ('f', 'p') and ${OF_PROJECT} and n.nspname not like 'pg\\_temp\\_%' and ${notOfExtension('p.oid')}
        and not exists (select from unnest(p.proconfig) setting where setting like 'search\\_path=%')`,
  },
  {
    name: 'extension_in_public',
    title: 'Extension in the schema public',
    level: 'WARN',
    category: 'SECURITY',
    description: 'The Data API exposes the functions of an extension in the schema public.',
    page: '0014_extension_in_public',
    query: `select format('The extension %s is in the schema public.', e.extname) as detail,
      jsonb_build_object('schema', 'public', 'name', e.extname, 'type', 'extension') as metadata, e.extname::text as key,
      case when e.extrelocatable then format('alter extension %I set schema extensions;', e.extname) end as fix
      from pg_extension e where e.extnamespace = 'public'::regnamespace and e.extname <> 'plpgsql'`,
  },
  {
    name: 'unsupported_reg_types',
    title: 'Column that blocks an upgrade',
    level: 'WARN',
    category: 'SECURITY',
    description: 'pg_upgrade refuses databases with columns of these types outside of pg_catalog.',
    page: 'unsupported_reg_types',
    query: `select format('The column %s of the table %s.%s has the type %s, which pg_upgrade refuses.', a.attname, n.nspname,
        c.relname, t.typname) as detail,
      ${metadata('table', "'column', a.attname")} as metadata, ${KEY} || '_' || a.attname as key,
      case when c.relkind in ('r', 'p') then format('alter table %I.%I alter %I type text;', n.nspname, c.relname, a.attname) end as fix
      from ${RELATIONS} join pg_attribute a on a.attrelid = c.oid join pg_type t on t.oid = a.atttypid
      where n.nspname not in ('pg_catalog', 'information_schema', 'pgsodium') and t.typnamespace = 'pg_catalog'::regnamespace
        and t.typname in ('regcollation', 'regconfig', 'regdictionary', 'regnamespace', 'regoper', 'regoperator', 'regproc',
          'regprocedure')`,
  },
  {
    name: 'fkey_to_auth_unique',
    title: 'Foreign key to a unique constraint of auth',
    level: 'ERROR',
    category: 'SECURITY',
    description:
      'Auth may change its unique constraints, which a foreign key to one of them prevents. Refer to primary keys.',
    page: '0021_fkey_to_auth_unique',
    query: `select format('The foreign key %s of the table %s.%s refers to a unique constraint of the schema auth.', k.conname,
        n.nspname, c.relname) as detail,
      jsonb_build_object('schema', n.nspname, 'name', c.relname, 'foreign_key', k.conname) as metadata,
      ${KEY} || '_' || k.conname as key,
      format('alter table %I.%I drop constraint %I;', n.nspname, c.relname, k.conname) as fix
      from pg_constraint k join pg_class c on c.oid = k.conrelid join pg_namespace n on n.oid = c.relnamespace
        join pg_class t on t.oid = k.confrelid join pg_namespace s on s.oid = t.relnamespace
        join pg_index i on i.indexrelid = k.conindid
      where k.contype = 'f' and s.nspname = 'auth' and i.indisunique and not i.indisprimary`,
  },
  {
    name: 'extension_versions_outdated',
    title: 'Old version of an extension',
    level: 'WARN',
    category: 'SECURITY',
    description: 'An extension is older than the version that this server installs by default.',
    page: '0022_extension_versions_outdated',
    query: `select format('The extension %s has version %s, and %s is available.', e.name, e.installed_version, e.default_version) as detail,
      jsonb_build_object('name', e.name, 'extension_name', e.name, 'installed_version', e.installed_version,
        'default_version', e.default_version) as metadata,
      e.name || '_' || e.installed_version as key, format('alter extension %I update;', e.name) as fix
      from pg_available_extensions e
      where e.installed_version <> e.default_version
        and exists (select from pg_available_extension_versions v where v.name = e.name and v.installed)`,
  },
]
