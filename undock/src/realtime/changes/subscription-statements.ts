import type { Claims } from '../../kernel/service.ts'
import { sql } from '../../kernel/sql.ts'
import type { ChangeParams, Filter } from './params.ts'

export const deleteStatements = (ids: readonly string[]) => [
  sql`delete from realtime.subscription where subscription_id = any(${ids}::uuid[])`,
  sql`delete from _realtime.requests where subscription_id = any(${ids}::uuid[])`,
]

/** Inserts requests. Runs before the old ones are deleted in the same transaction, so capture isn't turned off in
 *  between. */
export const requestsStatement = (ids: readonly string[], params: readonly ChangeParams[], node: string) =>
  sql`
    insert into _realtime.requests (subscription_id, schema_name, table_name, node)
    select *, ${node}::uuid from unnest(${ids}::uuid[], ${params.map(({ schema }) => schema)}::text[],
      ${params.map(({ table }) => table)}::text[])`

/** Deletes the subscriptions of nodes that have left. */
export const orphanStatements = [
  sql`
    delete from realtime.subscription s where not exists (
      select from _realtime.requests r join _realtime.nodes n on n.id = r.node where r.subscription_id = s.subscription_id
    )`,
  sql`
    delete from _realtime.requests r where not exists (select from _realtime.nodes n where n.id = r.node)`,
]

/** Inserts a subscription for each published table that matches the binding. */
export function insertStatement(id: string, { action, schema, table, filters, columns }: ChangeParams, claims: Claims) {
  const part = (field: keyof Filter) => filters.map((filter) => filter[field])
  return sql`
    insert into realtime.subscription (subscription_id, entity, filters, claims, action_filter, selected_columns)
    select ${id}::uuid, t.entity, (
        select coalesce(array_agg(row(c, o::realtime.equality_op, v, n)::realtime.user_defined_filter), '{}')
        from unnest(${part('column')}::text[], ${part('operator')}::text[], ${part('value')}::text[],
          ${part('negate')}::boolean[]) as f(c, o, v, n)
      ), ${JSON.stringify(claims)}::jsonb, ${action}, ${columns ? [...columns] : null}::text[]
    from (
      select distinct format('%I.%I', p.schemaname, p.tablename)::regclass as entity
      from pg_publication_tables p
      where p.pubname = 'supabase_realtime'
        and (${schema} = '*' or p.schemaname = ${schema}) and (${table} = '*' or p.tablename = ${table})
    ) t`
}

/** Reads the matched tables and how to compare each filter: as text for types where equal values always have equal
 *  text. */
export const tablesStatement = (ids: readonly string[]) =>
  sql`
    select s.subscription_id::text as id, s.entity::oid::text as entity, coalesce((
      select json_agg(json_build_object(
        'column', f.column_name, 'operator', f.op, 'value', f.value, 'negate', coalesce(f.negate, false),
        'type', format('%I.%I', n.nspname, y.typname),
        'canonical', case
          when not (y.typtype = 'e' or y.oid = any ('{bool,int2,int4,int8,uuid,text,varchar}'::regtype[]))
            or not coalesce((select c.collisdeterministic from pg_collation c where c.oid = a.attcollation), true)
            then null
          when f.op in ('eq', 'neq') then json_build_array(realtime.cast(f.value, y.oid) #>> '{}')
          when f.op = 'in' then (
            select coalesce(json_agg(e.value), '[]')
            from jsonb_array_elements_text(realtime.cast(f.value, (y.oid::regtype::text || '[]')::regtype)) e
            where e.value is not null
          )
        end
      ))
      from unnest(s.filters) f
      join pg_attribute a on a.attrelid = s.entity and a.attname = f.column_name
      join pg_type y on y.oid = a.atttypid
      join pg_namespace n on n.oid = y.typnamespace
    ), '[]') as filters
    from realtime.subscription s where s.subscription_id = any(${ids}::uuid[])`
