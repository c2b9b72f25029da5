import type { Db } from '../../database/db.ts'
import { identifier, join, keyword, type Sql, type Statement, sql } from '../../kernel/sql.ts'
import { type RowChange, rowVersion, valueIn } from './change-queue.ts'
import type { Table } from './tables.ts'

export type PolicySubject = {
  readonly role: string
  /** JSON. */
  readonly claims: string
  readonly changes: readonly RowChange[]
}

/** Aliases that won't clash with the project's columns. */
export const ROW = identifier('_realtime row')
const CHANGE = identifier('_realtime change')
const INDEX = identifier('_realtime index')
const RECORD = identifier('_realtime record')

/** Changes as JSON rows of position and key, their column definitions, and the condition joining `ROW` to them. */
export function keyLookup(
  table: Table,
  changes: readonly RowChange[],
): { readonly rows: string; readonly shape: Sql; readonly same: Sql } {
  const key = table.columns.filter(({ isKey }) => isKey)
  const position = (at: number) => identifier(`k${at}`)
  const rows = changes.map(
    ({ record, version }, index) =>
      `{"index":${index},"version":${version}${key.map(({ name }, at) => `,"k${at}":${valueIn(record, name) ?? 'null'}`).join('')}}`,
  )
  return {
    rows: `[${rows.join(',')}]`,
    // The database returned the types' names quoted.
    shape: join([
      sql`index int`,
      sql`version bigint`,
      ...key.map(({ sqlType }, at) => sql`${position(at)} ${keyword(sqlType)}`),
    ]),
    same: join(
      key.map(({ name }, at) => sql`${ROW}.${identifier(name)} = c.${position(at)}`),
      ' and ',
    ),
  }
}

/** Returns the changes whose row has been updated or deleted since. */
export async function findSuperseded(
  db: Db,
  table: Table,
  changes: ReadonlySet<RowChange>,
): Promise<ReadonlySet<RowChange>> {
  if (changes.size === 0) return new Set()
  const list = [...changes]
  const { rows, shape, same } = keyLookup(table, list)
  const [result] = await db.run({
    // The capture hashes rows under this setting.
    settings: { TimeZone: 'UTC' },
    statements: [
      sql`
        select c.index from jsonb_to_recordset(${rows}::text::jsonb) as c(${shape})
        where not exists (
          select from ${identifier(table.schema, table.name)} ${ROW} where ${same} and ${rowVersion(ROW)} = c.version
        )`,
    ],
  })
  return new Set(result?.rows.flatMap(({ index }) => list[index as number] ?? []))
}

/** Returns the condition under which each role sees a row, as SQL on the table's columns. */
export async function policiesOf(db: Db, table: Table, roles: readonly string[]): Promise<ReadonlyMap<string, Sql>> {
  const [result] = await db.run({
    // Makes Postgres schema-qualify every name.
    settings: { search_path: '' },
    statements: [
      sql`
        select r.role, format('(%s) and %s',
          coalesce(string_agg(format('(%s)', p.condition), ' or ') filter (where p.polpermissive), 'false'),
          coalesce(string_agg(format('(%s)', p.condition), ' and ') filter (where not p.polpermissive), 'true')
        ) as condition
        from unnest(${roles}::text[]) r(role)
        left join lateral (
          select o.polpermissive, coalesce(pg_get_expr(o.polqual, o.polrelid), 'true') as condition from pg_policy o
          where o.polrelid = ${table.entity}::oid and o.polcmd in ('*', 'r')
            and (0 = any (o.polroles) or exists (
              select from unnest(o.polroles) member where pg_has_role(r.role::name, member, 'usage')
            ))
        ) p on true
        group by r.role`,
    ],
  })
  return new Map(result?.rows.map(({ role, condition }) => [role as string, keyword(condition as string)]))
}

/** Selects which rows, as of each change, the policies show to a subscriber. The rows are aliased to the table's name,
 *  the only one in scope, so policy conditions apply unchanged. */
export function permittedStatement(table: Table, { claims, changes }: PolicySubject, policies: Sql): Statement {
  const rows = changes.map(({ record }, index) => {
    const fields = Object.entries(record ?? {}).map(([name, value]) => `${JSON.stringify(name)}:${value}`)
    return `{"index":${index},"record":{${fields.join(',')}}}`
  })
  const name = identifier(table.schema, table.name)
  return sql`
    select case when set_config('request.jwt.claims', ${claims}, true) is not null then array(
      select ${INDEX}
      from (
        select e.index, e.record from jsonb_to_recordset(${`[${rows.join(',')}]`}::text::jsonb) as e(index int, record jsonb)
      ) ${CHANGE}(${INDEX}, ${RECORD})
      cross join lateral jsonb_populate_record(null::${name}, ${RECORD}) as ${identifier(table.name)}
      where not row_security_active(${table.entity}::oid) or (${policies})
    ) end as visible`
}
