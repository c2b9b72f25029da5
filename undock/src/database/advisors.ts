type SqlRow = Readonly<Record<string, unknown>>
/** Runs one statement that reads, in a session that sees the whole catalog. */
type ReadSql = (query: string, parameters?: readonly unknown[]) => Promise<readonly SqlRow[]>

type Category = 'SECURITY' | 'PERFORMANCE'

type Lint = {
  /** Of splinter, the linter of hosted projects, where it has the same check. */
  readonly name: string
  readonly title: string
  readonly level: 'ERROR' | 'WARN' | 'INFO'
  readonly category: Category
  readonly description: string
  readonly remediation: string
  /** Has a row with `schema`, `name` and `detail` for each finding, and `fix` where a statement mends it; `$1` is the list of
   *  exposed schemas. */
  readonly query: string
}

const DOCUMENTATION = 'https://supabase.com/docs/guides/database/database-linter'
/** Schemas that belong to services and extensions. */
const OWN_SCHEMAS = `not in ('auth', 'cron', 'extensions', 'graphql', 'graphql_public', 'information_schema', 'net', 'pgmq', 'pgsodium',
  'pgtle', 'realtime', 'storage', 'supabase_functions', 'supabase_migrations', 'vault', '_undock') and n.nspname not like 'pg\\_%'`
const NOT_OF_EXTENSION = (oid: string) =>
  `not exists (select from pg_depend d where d.objid = ${oid} and d.deptype = 'e')`

const LINTS: readonly Lint[] = [
  {
    name: 'rls_disabled_in_public',
    title: 'RLS disabled',
    level: 'ERROR',
    category: 'SECURITY',
    description:
      'Everybody who knows the publishable key reads and writes tables of exposed schemas without row security.',
    remediation: 'alter table … enable row level security, after policies were written',
    query: `select n.nspname as schema, c.relname as name, 'Row security of this table is off' as detail,
        format('alter table %I.%I enable row level security;', n.nspname, c.relname) as fix
      from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where c.relkind in ('r', 'p') and not c.relrowsecurity and n.nspname = any($1) and ${NOT_OF_EXTENSION('c.oid')}
        and (has_table_privilege('anon', c.oid, 'select, insert, update, delete')
          or has_table_privilege('authenticated', c.oid, 'select, insert, update, delete'))`,
  },
  {
    name: 'policy_exists_rls_disabled',
    title: 'Policies without RLS',
    level: 'ERROR',
    category: 'SECURITY',
    description: 'Policies have no effect on a table whose row security is off.',
    remediation: 'alter table … enable row level security',
    query: `select n.nspname as schema, c.relname as name,
        'It has ' || count(*) || ' policies, and row security is off' as detail,
        format('alter table %I.%I enable row level security;', n.nspname, c.relname) as fix
      from pg_policy p join pg_class c on c.oid = p.polrelid join pg_namespace n on n.oid = c.relnamespace
      where not c.relrowsecurity and n.nspname ${OWN_SCHEMAS} group by 1, 2`,
  },
  {
    name: 'rls_enabled_no_policy',
    title: 'RLS without policies',
    level: 'INFO',
    category: 'SECURITY',
    description: 'A table with row security and no policy is closed to everybody but the secret key.',
    remediation: 'create policy …, unless only the backend uses the table',
    query: `select n.nspname as schema, c.relname as name, 'Row security is on, and no policy exists' as detail
      from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where c.relkind in ('r', 'p') and c.relrowsecurity and n.nspname ${OWN_SCHEMAS} and ${NOT_OF_EXTENSION('c.oid')}
        and not exists (select from pg_policy p where p.polrelid = c.oid)`,
  },
  {
    name: 'security_definer_view',
    title: 'View with its owner’s rights',
    level: 'ERROR',
    category: 'SECURITY',
    description:
      'A view of an exposed schema reads tables with the rights of its owner, past the row security of the caller.',
    remediation: 'alter view … set (security_invoker = on)',
    query: `select n.nspname as schema, c.relname as name, 'The view has no security_invoker' as detail,
        format('alter view %I.%I set (security_invoker = on);', n.nspname, c.relname) as fix
      from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where c.relkind = 'v' and n.nspname = any($1) and ${NOT_OF_EXTENSION('c.oid')}
        and (has_table_privilege('anon', c.oid, 'select') or has_table_privilege('authenticated', c.oid, 'select'))
        and not coalesce((select option_value::boolean from pg_options_to_table(c.reloptions)
          where option_name = 'security_invoker'), false)`,
  },
  {
    name: 'function_search_path_mutable',
    title: 'Function without a search path',
    level: 'WARN',
    category: 'SECURITY',
    description: 'A function finds its tables in the search path of the caller, who can put others in their place.',
    remediation: "alter function … set search_path = ''",
    query: `select n.nspname as schema, p.proname as name, 'Its settings have no search_path' as detail,
        format('alter routine %s set search_path = %L;', p.oid::regprocedure, '') as fix
      from pg_proc p join pg_namespace n on n.oid = p.pronamespace
      where p.prokind in ('f', 'p') and n.nspname ${OWN_SCHEMAS} and ${NOT_OF_EXTENSION('p.oid')}
        and not exists (select from unnest(p.proconfig) setting where setting like 'search_path=%')`,
  },
  {
    name: 'auth_users_exposed',
    title: 'Users exposed',
    level: 'ERROR',
    category: 'SECURITY',
    description: 'A view of an exposed schema reads auth.users, and may show addresses and tokens of all users.',
    remediation: 'Show only the columns that are needed, in a view with security_invoker or a table with policies',
    query: `select distinct n.nspname as schema, c.relname as name, 'The view reads auth.users' as detail
      from pg_class c join pg_namespace n on n.oid = c.relnamespace
        join pg_rewrite r on r.ev_class = c.oid
        join pg_depend d on d.objid = r.oid and d.refobjid = 'auth.users'::regclass
      where c.relkind in ('v', 'm') and n.nspname = any($1)
        and (has_table_privilege('anon', c.oid, 'select') or has_table_privilege('authenticated', c.oid, 'select'))`,
  },
  {
    name: 'unindexed_foreign_keys',
    title: 'Foreign key without an index',
    level: 'INFO',
    category: 'PERFORMANCE',
    description: 'Deleting or changing a referenced row scans the whole referencing table.',
    remediation: 'create index on … (the columns of the foreign key)',
    query: `select n.nspname as schema, c.relname as name, 'No index begins with the columns of ' || k.conname as detail,
        format('create index on %I.%I (%s);', n.nspname, c.relname, (select string_agg(quote_ident(a.attname), ', ' order by o.n)
          from unnest(k.conkey) with ordinality o (attnum, n)
          join pg_attribute a on a.attrelid = k.conrelid and a.attnum = o.attnum)) as fix
      from pg_constraint k join pg_class c on c.oid = k.conrelid join pg_namespace n on n.oid = c.relnamespace
      where k.contype = 'f' and n.nspname ${OWN_SCHEMAS}
        and not exists (select from pg_index i where i.indrelid = k.conrelid and i.indpred is null
          and (i.indkey::int2[])[0:cardinality(k.conkey) - 1] @> k.conkey)`,
  },
  {
    name: 'no_primary_key',
    title: 'Table without a primary key',
    level: 'INFO',
    category: 'PERFORMANCE',
    description: 'Rows cannot be told apart: replication and Realtime cannot name the row that changed.',
    remediation: 'alter table … add primary key (…)',
    query: `select n.nspname as schema, c.relname as name, 'The table has no primary key' as detail
      from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where c.relkind in ('r', 'p') and n.nspname ${OWN_SCHEMAS} and ${NOT_OF_EXTENSION('c.oid')}
        and not exists (select from pg_index i where i.indrelid = c.oid and i.indisprimary)`,
  },
  {
    name: 'duplicate_index',
    title: 'Equal indexes',
    level: 'WARN',
    category: 'PERFORMANCE',
    description: 'Each of several equal indexes is written at each change, and only one is read.',
    remediation: 'drop index … for all but one',
    query: `select n.nspname as schema, c.relname as name,
        'These are equal: ' || string_agg(i.indexrelid::regclass::text, ', ' order by i.indexrelid) as detail
      from pg_index i join pg_class c on c.oid = i.indrelid join pg_namespace n on n.oid = c.relnamespace
        join pg_class x on x.oid = i.indexrelid
      where n.nspname ${OWN_SCHEMAS}
      group by 1, 2, i.indkey::text, i.indclass::text, i.indoption::text, i.indcollation::text, x.relam,
        pg_get_expr(i.indexprs, i.indrelid), pg_get_expr(i.indpred, i.indrelid)
      having count(*) > 1`,
  },
]

/** What the catalog shows of common faults, in the shape of the advisors of hosted projects.
 *  @param exposed The schemas that the Data API shows. */
export async function readAdvisors(read: ReadSql, category: Category, exposed: readonly string[]) {
  const lints = LINTS.filter((lint) => lint.category === category)
  const found = await Promise.all(
    lints.map(async ({ query, ...lint }) => {
      const rows = await read(query, query.includes('$1') ? [exposed] : [])
      return rows.map((row) => finding(lint, row))
    }),
  )
  return { lints: found.flat() }
}

const finding = (
  { name, title, level, category, description, remediation }: Omit<Lint, 'query'>,
  { schema, name: object, detail, fix }: SqlRow,
) => ({
  name,
  title,
  level,
  facing: 'EXTERNAL',
  categories: [category],
  description,
  remediation: `${remediation} (${DOCUMENTATION})`,
  detail,
  metadata: { schema, name: object },
  /** SQL that mends it; null where a person has to decide how. */
  fix: fix ?? null,
})
