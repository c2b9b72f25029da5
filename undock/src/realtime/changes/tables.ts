import type { Db } from '../../database/db.ts'
import { queryRows } from '../../database/db.ts'

export type Column = {
  readonly name: string
  /** `pg_type.typname`, by which clients convert values. */
  readonly type: string
  /** Schema-qualified and quoted. */
  readonly sqlType: string
  readonly isKey: boolean
  readonly isIdentity: boolean
  /** Which of the given roles may select it. */
  readonly readers: readonly string[]
}

export type Table = {
  readonly entity: string
  readonly schema: string
  readonly name: string
  readonly hasRowSecurity: boolean
  readonly columns: readonly Column[]
}

/** Reads the current columns and the roles' column privileges. Called per batch, so a revoked grant takes effect
 *  immediately. */
export async function describeTables(
  db: Db,
  entities: readonly string[],
  roles: readonly string[],
): Promise<Map<string, Table>> {
  const rows = await queryRows<Table>(db)`
    select c.oid::text as entity, n.nspname as schema, c.relname as name, c.relrowsecurity as "hasRowSecurity", (
      select json_agg(json_build_object(
        'name', a.attname, 'type', y.typname, 'sqlType', format('%I.%I', yn.nspname, y.typname),
        'isKey', coalesce(a.attnum = any (k.conkey), false),
        'isIdentity', case c.relreplident
          when 'f' then true when 'd' then coalesce(a.attnum = any (k.conkey), false)
          when 'i' then a.attnum = any (i.indkey::int2[]) else false end,
        'readers', array(
          select r from unnest(${roles}::text[]) r
          where exists (select from pg_roles p where p.rolname = r) and has_column_privilege(r, c.oid, a.attnum, 'SELECT')
        )
      ) order by a.attnum)
      from pg_attribute a
      join pg_type y on y.oid = a.atttypid
      join pg_namespace yn on yn.oid = y.typnamespace
      where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    ) as columns
    from pg_class c
    join pg_namespace n on n.oid = c.relnamespace
    left join pg_constraint k on k.conrelid = c.oid and k.contype = 'p'
    left join pg_index i on i.indrelid = c.oid and i.indisreplident
    where c.oid = any (${entities}::oid[])`
  return new Map(rows.map((table) => [table.entity, table]))
}
