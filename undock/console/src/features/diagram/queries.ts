import { queryOptions } from '@tanstack/react-query'
import { readJson } from '../../lib/api.ts'
import { catalogKey } from '../catalog.ts'

export type DiagramColumn = {
  readonly name: string
  readonly type: string
  readonly isKey: boolean
  readonly isNullable: boolean
}
export type DiagramTable = {
  readonly schema: string
  readonly name: string
  readonly columns: readonly DiagramColumn[]
}
/** A foreign key between two drawn tables, named `schema.table`. */
type DiagramKey = {
  readonly name: string
  readonly from: string
  readonly fromColumn: string
  readonly to: string
  readonly toColumn: string
}
export type Diagram = {
  readonly schemas: readonly string[]
  readonly tables: readonly DiagramTable[]
  readonly keys: readonly DiagramKey[]
}

const DIAGRAM = `
  with drawn as (select oid, nspname from pg_namespace n where nspname = $1
    or ($1 = '*' and nspname not in ('pg_catalog', 'information_schema') and nspname !~ '^pg_(toast|temp)'))
  select json_build_object(
    'schemas', (select json_agg(distinct n.nspname order by n.nspname) from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where c.relkind in ('r', 'p') and n.nspname not in ('pg_catalog', 'information_schema') and n.nspname !~ '^pg_(toast|temp)'),
    'tables', (select coalesce(json_agg(json_build_object('schema', n.nspname, 'name', c.relname, 'columns', (
        select coalesce(json_agg(json_build_object('name', a.attname, 'type', format_type(a.atttypid, a.atttypmod),
          'isKey', coalesce(a.attnum = any (k.conkey), false), 'isNullable', not a.attnotnull) order by a.attnum), '[]')
        from pg_attribute a where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped)) order by n.nspname, c.relname), '[]')
      from pg_class c join drawn n on n.oid = c.relnamespace left join pg_constraint k on k.conrelid = c.oid and k.contype = 'p'
      where c.relkind in ('r', 'p') and not c.relispartition),
    'keys', (select coalesce(json_agg(json_build_object('name', f.conname, 'from', cn.nspname || '.' || c.relname, 'to', rn.nspname || '.' || r.relname,
        'fromColumn', (select attname from pg_attribute where attrelid = c.oid and attnum = f.conkey[1]),
        'toColumn', (select attname from pg_attribute where attrelid = r.oid and attnum = f.confkey[1]))), '[]')
      from pg_constraint f join pg_class c on c.oid = f.conrelid join pg_class r on r.oid = f.confrelid
      join drawn cn on cn.oid = c.relnamespace join drawn rn on rn.oid = r.relnamespace
      where f.contype = 'f' and not c.relispartition and not r.relispartition))`

/** The tables of a schema with the foreign keys between them. @param schema `*` for all schemas. */
export const diagramQuery = (schema: string) =>
  queryOptions({
    queryKey: [...catalogKey, 'diagram', schema],
    queryFn: async ({ signal }) =>
      (await readJson<Diagram>(DIAGRAM, [schema], { signal }))[0] ?? { schemas: [], tables: [], keys: [] },
  })
