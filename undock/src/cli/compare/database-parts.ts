import type { Rows } from './management-api.ts'

/** What is compared of two databases: a query whose rows have the columns `name`, and `value` as text. */
export const DATABASE_PARTS: Readonly<Record<string, string>> = {
  extensions: `
    select e.extname as name, 'in ' || n.nspname as value
    from pg_extension e join pg_namespace n on n.oid = e.extnamespace where e.extname <> 'plpgsql' order by 1`,
  buckets: `
    select id as name, concat_ws(', ', case when public then 'public' else 'private' end,
      'up to ' || file_size_limit || ' bytes', 'only ' || array_to_string(allowed_mime_types, ' ')) as value
    from storage.buckets order by 1`,
  'row security': `
    select n.nspname || '.' || c.relname as name, case when c.relrowsecurity then 'on' else 'off' end as value
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relkind in ('r', 'p') and n.nspname = 'public' order by 1`,
  policies: `
    select schemaname || '.' || tablename || ': ' || policyname as name,
      concat_ws(' ', lower(permissive), 'for', lower(cmd), 'to', array_to_string(roles, ', '),
        'using ' || qual, 'with check ' || with_check) as value
    from pg_policies where schemaname not in ('cron', 'net', 'pgsodium', 'vault') order by 1`,
  migrations: `select version as name, 'applied' as value from supabase_migrations.schema_migrations order by 1`,
}

export const valuesOf = (rows: Rows): Map<string, string> =>
  new Map(rows.map(({ name, value }) => [String(name), String(value)]))
