import {
  KEY,
  type Lint,
  metadata,
  notOfExtension,
  OF_PROJECT,
  OF_PROJECT_OR_REALTIME,
  POLICIES,
  RELATIONS,
} from './lint.ts'

/** Calls that a policy should make once per statement, by writing `select` before them. */
const CALLS = `auth\\.(?:uid|jwt|role|email)\\(\\)|current_setting\\([^()]*\\)`
const CALLED_PER_ROW = `(?<!select )(${CALLS})`
const once = (expression: string): string => `regexp_replace(${expression}, '${CALLED_PER_ROW}', '(select \\1)', 'gi')`

/** Problems that slow down statements or storage. */
export const PERFORMANCE_LINTS: readonly Lint[] = [
  {
    name: 'unindexed_foreign_keys',
    title: 'Foreign key without an index',
    level: 'INFO',
    category: 'PERFORMANCE',
    description: 'Deleting or changing a referenced row scans the whole referencing table.',
    page: '0001_unindexed_foreign_keys',
    query: `select format('No index of the table %s.%s begins with the columns of the foreign key %s.', n.nspname, c.relname,
        k.conname) as detail,
      ${metadata('table', "'fkey_name', k.conname, 'fkey_columns', k.conkey")} as metadata, ${KEY} || '_' || k.conname as key,
      format('create index on %I.%I (%s);', n.nspname, c.relname, (select string_agg(quote_ident(a.attname), ', ' order by u.at)
        from unnest(k.conkey) with ordinality u (number, at)
        join pg_attribute a on a.attrelid = c.oid and a.attnum = u.number)) as fix
      from pg_constraint k join pg_class c on c.oid = k.conrelid join pg_namespace n on n.oid = c.relnamespace
      where k.contype = 'f' and ${OF_PROJECT} and ${notOfExtension('c.oid')}
        and not exists (select from pg_index i where i.indrelid = c.oid and i.indisvalid
          and (string_to_array(i.indkey::text, ' ')::int2[])[1:cardinality(k.conkey)] = k.conkey)`,
  },
  {
    name: 'auth_rls_initplan',
    keyName: 'auth_rls_init_plan',
    title: 'Policy looks up the caller for each row',
    level: 'WARN',
    category: 'PERFORMANCE',
    description:
      'A policy calls auth.uid() or the like for each row. In a subquery, the call is made once per statement.',
    page: '0003_auth_rls_initplan',
    query: `select format('The policy %s of the table %s.%s calls a function of auth, or current_setting(), for each row.', p.polname,
        n.nspname, c.relname) as detail,
      ${metadata('table')} as metadata, ${KEY} || '_' || p.polname as key,
      format('alter policy %I on %I.%I%s%s;', p.polname, n.nspname, c.relname, ' using (' || ${once('l.qual')} || ')',
        ' with check (' || ${once('l.with_check')} || ')') as fix
      from ${POLICIES}
      where c.relrowsecurity and ${OF_PROJECT_OR_REALTIME} and exists (
        select from unnest(array[l.qual, l.with_check]) e,
          unnest(array['auth.uid()', 'auth.jwt()', 'auth.role()', 'auth.email()', 'current\\_setting(%)']) call
        where e like '%' || call || '%' and lower(e) not like '%select ' || call || '%')`,
  },
  {
    name: 'no_primary_key',
    title: 'Table without a primary key',
    level: 'INFO',
    category: 'PERFORMANCE',
    description: "Rows can't be identified, so replication and Realtime can't say which row changed.",
    page: '0004_no_primary_key',
    query: `select format('The table %s.%s has no primary key.', n.nspname, c.relname) as detail,
      ${metadata('table')} as metadata, ${KEY} as key, null as fix
      from ${RELATIONS}
      where c.relkind = 'r' and ${OF_PROJECT} and ${notOfExtension('c.oid')}
        and not exists (select from pg_index i where i.indrelid = c.oid and i.indisprimary)`,
  },
  {
    name: 'unused_index',
    title: 'Index that was never used',
    level: 'INFO',
    category: 'PERFORMANCE',
    description:
      'Every change of a row writes the index, but no statement has read it. Without real traffic, this says little.',
    page: '0005_unused_index',
    query: `select format('The index %s of the table %s.%s was never used.', s.indexrelname, n.nspname, c.relname) as detail,
      ${metadata('table')} as metadata, ${KEY} || '_' || s.indexrelname as key,
      format('drop index %I.%I;', n.nspname, s.indexrelname) as fix
      from pg_stat_user_indexes s join pg_index i on i.indexrelid = s.indexrelid
        join pg_class c on c.oid = s.relid join pg_namespace n on n.oid = c.relnamespace
      where s.idx_scan = 0 and not i.indisunique and not i.indisprimary and ${OF_PROJECT} and ${notOfExtension('c.oid')}`,
  },
  {
    name: 'multiple_permissive_policies',
    title: 'Several policies for the same role and command',
    level: 'WARN',
    category: 'PERFORMANCE',
    description:
      'Each permissive policy for a role and a command is evaluated. One policy that joins them by OR is faster.',
    page: '0006_multiple_permissive_policies',
    query: `select format('The table %s.%s has several policies for %s by %s: %s.', n.nspname, c.relname, a.action, r.rolname,
        string_agg(p.polname, ', ' order by p.polname)) as detail,
      ${metadata('table')} as metadata, format('%s_%s_%s_%s', n.nspname, c.relname, r.rolname, a.action) as key, null as fix
      from pg_policy p join pg_class c on c.oid = p.polrelid join pg_namespace n on n.oid = c.relnamespace
        join (values ('r', 'SELECT'), ('a', 'INSERT'), ('w', 'UPDATE'), ('d', 'DELETE')) a (cmd, action)
          on p.polcmd::text in (a.cmd, '*')
        join pg_roles r on r.oid = any (p.polroles) or p.polroles = array[0::oid]
      where c.relkind = 'r' and p.polpermissive and ${OF_PROJECT} and ${notOfExtension('c.oid')}
        and r.rolname not like 'pg_%' and r.rolname not like 'supabase%admin' and not r.rolbypassrls
      group by n.nspname, c.relname, r.rolname, a.action having count(*) > 1`,
  },
  {
    name: 'duplicate_index',
    title: 'Equal indexes',
    level: 'WARN',
    category: 'PERFORMANCE',
    description: 'Every change writes all of several equal indexes, but only one of them is read.',
    page: '0009_duplicate_index',
    query: `select format('The table %s.%s has equal indexes: %s.', s.schema, s.relation, string_agg(s.index, ', ' order by s.index)) as detail,
      jsonb_build_object('schema', s.schema, 'name', s.relation, 'type', s.type, 'indexes', jsonb_agg(s.index order by s.index)) as metadata,
      format('%s_%s_%s', s.schema, s.relation, array_agg(s.index order by s.index)) as key,
      string_agg(format('drop index %I.%I;', s.schema, s.index), ' ' order by s.index) filter (where s.rank > 1 and s.own) as fix
      from (
        select n.nspname as schema, c.relname as relation, x.relname as index,
          case c.relkind when 'r' then 'table' else 'materialized view' end as type, d.definition,
          not exists (select from pg_constraint k where k.conindid = x.oid) as own,
          row_number() over (partition by c.oid, d.definition
            order by exists (select from pg_constraint k where k.conindid = x.oid) desc, x.relname) as rank
        from pg_index i join pg_class x on x.oid = i.indexrelid
          join pg_class c on c.oid = i.indrelid join pg_namespace n on n.oid = c.relnamespace,
          lateral (select replace(pg_get_indexdef(x.oid), x.relname::text, '') as definition) d
        where c.relkind in ('r', 'm') and ${OF_PROJECT} and ${notOfExtension('c.oid')}
      ) s
      group by s.schema, s.relation, s.type, s.definition having count(*) > 1`,
  },
  {
    name: 'table_bloat',
    title: 'Table with much unused space',
    level: 'INFO',
    category: 'PERFORMANCE',
    description:
      'A table uses more than 70 times the space of its rows, and wastes more than 20 MB. Estimated from ANALYZE.',
    page: '0020_table_bloat',
    // A row has a 24-byte header, a bitmap if it has nulls, a 4-byte entry in its page, and 4-byte alignment.
    query: `select format('The table %s.%s has about %s MB of unused space.', n.nspname, c.relname,
        ((c.relpages - e.pages) * b.size / 1048576)::bigint) as detail,
      ${metadata('table')} as metadata, ${KEY} as key, format('vacuum full %I.%I;', n.nspname, c.relname) as fix
      from ${RELATIONS},
        lateral (select current_setting('block_size')::numeric as size) b,
        lateral (select sum((1 - null_frac) * avg_width) as width, max(null_frac) as nulls, count(*) as columns
          from pg_stats where schemaname = n.nspname and tablename = c.relname) s,
        lateral (select ceil(c.reltuples::numeric * (24 + ceil(s.width::numeric / 4) * 4
          + s.nulls::numeric * (4 + ceil(s.columns / 8.0)) + 4) / (b.size - 20)) as pages) e
      where c.relkind = 'r' and n.nspname <> 'information_schema' and s.width is not null
        and c.relpages > 70 * e.pages and (c.relpages - e.pages) * b.size > 20 * 1048576`,
  },
]
