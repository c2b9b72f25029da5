import {
  ENABLE_RLS,
  EXPOSED,
  IS_INVOKER,
  KEY,
  type Lint,
  metadata,
  notOfExtension,
  OF_PROJECT,
  READABLE,
  RELATIONS,
  REVOKE_SELECT,
} from './lint.ts'

const SET_INVOKER = `format('alter view %I.%I set (security_invoker = on);', n.nspname, c.relname)`

/** Data that the Data API, GraphQL and Storage may expose too widely. */
export const EXPOSURE_LINTS: readonly Lint[] = [
  {
    name: 'auth_users_exposed',
    title: 'Users exposed by a view',
    level: 'ERROR',
    category: 'SECURITY',
    description: 'A view of an exposed schema reads auth.users and may show the emails and tokens of all users.',
    page: '0002_auth_users_exposed',
    needs: 'auth.users',
    query: `select format('The view %s.%s may show rows of auth.users to anon or authenticated.', n.nspname, c.relname) as detail,
      ${metadata(
        'view',
        `'exposed_to', array_remove(array[case when has_table_privilege('anon', c.oid, 'select') then 'anon' end,
          case when has_table_privilege('authenticated', c.oid, 'select') then 'authenticated' end], null)`,
      )} as metadata, ${KEY} as key,
      case when c.relkind = 'v' and not ${IS_INVOKER} then ${SET_INVOKER} else ${REVOKE_SELECT} end as fix
      from ${RELATIONS}
      where c.relkind in ('v', 'm') and n.nspname = any ($1::text[]) and ${READABLE}
        and exists (select from pg_rewrite r join pg_depend d on d.objid = r.oid and d.deptype = 'n'
          where r.ev_class = c.oid and d.refobjid = 'auth.users'::regclass)
        and (c.relkind = 'm' or not ${IS_INVOKER}
          or not (select u.relrowsecurity from pg_class u where u.oid = 'auth.users'::regclass))`,
  },
  {
    name: 'security_definer_view',
    title: "View that runs with its owner's rights",
    level: 'ERROR',
    category: 'SECURITY',
    description:
      "A view of an exposed schema reads tables with its owner's rights and bypasses the caller's row security.",
    page: '0010_security_definer_view',
    query: `select format('The view %s.%s has no security_invoker.', n.nspname, c.relname) as detail,
      ${metadata('view')} as metadata, ${KEY} as key, ${SET_INVOKER} as fix
      from ${RELATIONS}
      where c.relkind = 'v' and ${READABLE} and ${EXPOSED} and ${notOfExtension('c.oid')} and not ${IS_INVOKER}`,
  },
  ...(['materialized view', 'foreign table'] as const).map((kind, index): Lint => {
    const name = `${kind.replace(' ', '_')}_in_api`
    return {
      name,
      title: `Exposed ${kind}`,
      level: 'WARN',
      category: 'SECURITY',
      description: `${kind === 'foreign table' ? 'Foreign tables' : 'Materialized views'} have no row security, and anon or authenticated can read this one.`,
      page: `00${16 + index}_${name}`,
      query: `select format('The ${kind} %s.%s is exposed.', n.nspname, c.relname) as detail,
        ${metadata(kind)} as metadata, ${KEY} as key, ${REVOKE_SELECT} as fix
        from ${RELATIONS} where c.relkind = '${kind[0]}' and ${READABLE} and ${EXPOSED} and ${notOfExtension('c.oid')}`,
    }
  }),
  {
    name: 'insecure_queue_exposed_in_api',
    keyName: 'rls_disabled_in_public',
    title: 'Exposed queue without row security',
    level: 'ERROR',
    category: 'SECURITY',
    description: 'With the schema pgmq_public exposed, anyone can read queues whose tables have no row security.',
    page: '0019_insecure_queue_exposed_in_api',
    query: `select format('The queue table %s.%s is exposed, and its row security is off.', n.nspname, c.relname) as detail,
      ${metadata('table')} as metadata, ${KEY} as key, ${ENABLE_RLS} as fix
      from ${RELATIONS}
      where c.relkind in ('r', 'I') and not c.relrowsecurity and ${READABLE} and n.nspname = 'pgmq' and c.relname like 'q\\_%'
        and 'pgmq_public' = any ($1::text[])`,
  },
  {
    name: 'public_bucket_allows_listing',
    title: 'Files of a public bucket can be listed',
    level: 'WARN',
    category: 'SECURITY',
    description: 'A public bucket serves its files without a SELECT policy; such a policy lets anyone list them.',
    page: '0025_public_bucket_allows_listing',
    needs: 'storage.buckets',
    query: `select format('Anyone can list the files of the public bucket %s, by %s of storage.objects: %s.', b.name,
        case when count(*) = 1 then 'the policy' else 'the policies' end, string_agg(l.policyname, ', ' order by l.policyname)) as detail,
      jsonb_build_object('schema', 'storage', 'name', b.name, 'type', 'bucket', 'bucket_id', b.id, 'bucket_name', b.name,
        'policy_names', jsonb_agg(l.policyname order by l.policyname), 'policy_count', count(*)) as metadata,
      b.id as key, string_agg(format('drop policy %I on storage.objects;', l.policyname), ' ' order by l.policyname) as fix
      from storage.buckets b join pg_policies l on l.schemaname = 'storage' and l.tablename = 'objects'
      where b.public and l.cmd in ('SELECT', 'ALL') and l.permissive = 'PERMISSIVE'
        and l.roles && array['public', 'anon', 'authenticated']::name[]
        and (l.qual is null or regexp_replace(lower(l.qual), '\\s', '', 'g') in ('true', '(true)', '1=1', '(1=1)')
          or (regexp_match(l.qual, '^[\\s(]*bucket_id\\s*=\\s*(''(?:[^'']|'''')*'')(?:\\s*::\\s*[\\w.]+)?[\\s)]*$', 'i'))[1] = quote_literal(b.id))
      group by b.id, b.name`,
  },
  ...(['anon', 'authenticated'] as const).flatMap((role, index): Lint[] => [
    {
      name: `pg_graphql_${role}_table_exposed`,
      title: role === 'anon' ? 'Visible to anon in GraphQL' : 'Visible to signed-in users in GraphQL',
      level: 'WARN',
      category: 'SECURITY',
      description: `The GraphQL schema lists every relation and column that ${role} can select from, regardless of row security.`,
      page: `00${26 + index}_pg_graphql_${role}_table_exposed`,
      query: `select format('The %s %s.%s is in the GraphQL schema for ${role}.', t.type, n.nspname, c.relname) as detail,
        jsonb_build_object('schema', n.nspname, 'name', c.relname, 'type', t.type) as metadata, ${KEY} as key,
        null as fix
        from ${RELATIONS} join (values ('r', 'table'), ('v', 'view'), ('m', 'materialized view'), ('f', 'foreign table')) t (kind, type)
          on t.kind = c.relkind::text
        where ${OF_PROJECT} and has_any_column_privilege('${role}', c.oid, 'select')
          and exists (select from pg_extension where extname = 'pg_graphql')`,
    },
    {
      name: `${role}_security_definer_function_executable`,
      title: `${role === 'anon' ? 'Anyone' : 'Signed-in users'} can call a function that runs with its owner's rights`,
      level: 'WARN',
      category: 'SECURITY',
      description: "A SECURITY DEFINER function of an exposed schema bypasses its caller's row security.",
      page: `00${28 + index}_${role}_security_definer_function_executable`,
      query: `select format('${role} can call the function %s.%s(%s), which runs with the rights of its owner.', n.nspname, p.proname,
          pg_get_function_identity_arguments(p.oid)) as detail,
        jsonb_build_object('schema', n.nspname, 'name', p.proname, 'arguments', pg_get_function_identity_arguments(p.oid),
          'language', g.lanname, 'security_definer', true) as metadata,
        format('%s_%s_%s', n.nspname, p.proname, pg_get_function_identity_arguments(p.oid)) as key,
        format('revoke execute on routine %s from public, ${role};', p.oid::regprocedure) as fix
        from pg_proc p join pg_namespace n on n.oid = p.pronamespace join pg_language g on g.oid = p.prolang
        where p.prosecdef and has_function_privilege('${role}', p.oid, 'execute') and ${EXPOSED}`,
    },
  ]),
]
