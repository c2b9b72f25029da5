import { PLATFORM_TABLES, withCatalog } from './dump/dump.ts'
import { PLATFORM_SCHEMA_PATTERNS } from './dump/pg-dump.ts'

/** @property name Quoted as in SQL. @property values The number of non-null values. */
type Column = { readonly name: string; readonly values: number }

/** @property name Schema-qualified, quoted as in SQL. @property columns By number, which renaming doesn't change. */
type TableContent = {
  readonly name: string
  readonly rows: number
  readonly columns: ReadonlyMap<number, Column>
}

/** Tables by their ids. */
export type Contents = ReadonlyMap<number, TableContent>

/** Counts the rows of each table that `dumpData` dumps, and its columns' values. */
export const readContents = (url: string, { values = true } = {}): Promise<Contents> =>
  withCatalog(url, async (client) => {
    await client.query('set local statement_timeout = 0')
    const { rows: tables } = await client.query<{ oid: number; name: string; columns: [number, string][] }>(
      `select c.oid, format('%I.%I', n.nspname, c.relname) as name, (
         select coalesce(json_agg(json_build_array(a.attnum, format('%I', a.attname)) order by a.attnum), '[]')
         from pg_attribute a where $3 and a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped) as columns
       from pg_class c join pg_namespace n on n.oid = c.relnamespace
       where c.relkind in ('r', 'p') and not n.nspname like any ($1) and (
         format('%s.%s', n.nspname, c.relname) <> all ($2)
         and not exists (select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')
         or exists (select from pg_extension x where c.oid = any (x.extconfig)))
       order by 2`,
      [PLATFORM_SCHEMA_PATTERNS, PLATFORM_TABLES, values],
    )
    const contents = new Map<number, TableContent>()
    for (const { oid, name, columns } of tables) {
      const counts = ['*', ...columns.map(([, column]) => column)].map((one) => `count(${one})`)
      const result = await client.query<{ counts: string[] }>(`select array[${counts}]::text[] as counts from ${name}`)
      const [rows = 0, ...each] = (result.rows[0]?.counts ?? []).map(Number)
      const named = columns.map(([id, column], at) => [id, { name: column, values: each[at] ?? 0 }] as const)
      contents.set(oid, { name, rows, columns: new Map(named) })
    }
    return contents
  })

/** Counts the rows by the SQL names of the tables. */
export async function countRows(url: string): Promise<Map<string, number>> {
  const contents = await readContents(url, { values: false })
  return new Map([...contents.values()].map(({ name, rows }) => [name, rows]))
}

/** What a deployment deleted. @property kind `rows` and `values` for a table or column that still exists. @property count The number of
 *  rows or values; 0 for an empty table or column. */
export type Loss = {
  readonly kind: 'table' | 'column' | 'rows' | 'values'
  readonly name: string
  readonly count: number
}

/** Compares the contents before and after a deployment. Renaming loses nothing; tables and columns recreated under the same name are
 *  compared. */
export function lossesBetween(before: Contents, after: Contents): Loss[] {
  const byName = new Map([...after.values()].map((table) => [table.name, table]))
  return [...before].flatMap(([oid, table]): Loss[] => {
    const same = after.get(oid)
    const now = same ?? byName.get(table.name)
    if (!now) return [{ kind: 'table', name: table.name, count: table.rows }]
    const fewer = Math.max(0, table.rows - now.rows)
    const columns = [...table.columns].flatMap(([number, { name, values }]): Loss[] => {
      const left = same ? now.columns.get(number) : [...now.columns.values()].find((column) => column.name === name)
      const path = `${table.name}.${name}`
      if (!left) return [{ kind: 'column', name: path, count: values }]
      const cleared = values - left.values - fewer
      return cleared > 0 ? [{ kind: 'values', name: path, count: cleared }] : []
    })
    return [...(fewer > 0 ? [{ kind: 'rows' as const, name: table.name, count: fewer }] : []), ...columns]
  })
}
