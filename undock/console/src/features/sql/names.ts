import type { SQLNamespace } from '@codemirror/lang-sql'
import { queryOptions } from '@tanstack/react-query'
import { readJson } from '../../lib/api.ts'
import { catalogKey } from '../catalog.ts'

type Named = { readonly schema: string; readonly table: string; readonly columns: readonly string[] }

/** Schemas, tables and columns, for completion. */
export const namesQuery = queryOptions({
  queryKey: [...catalogKey, 'names'],
  queryFn: async ({ signal }): Promise<SQLNamespace> => {
    const tables = await readJson<Named>(
      `select json_build_object('schema', n.nspname, 'table', c.relname, 'columns', (
         select coalesce(json_agg(a.attname order by a.attnum), '[]') from pg_attribute a
         where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped))
       from pg_class c join pg_namespace n on n.oid = c.relnamespace
       where c.relkind in ('r', 'p', 'v', 'm', 'f') and n.nspname not in ('pg_catalog', 'information_schema')
         and n.nspname !~ '^pg_(toast|temp)'`,
      [],
      { signal },
    )
    const schemas: Record<string, Record<string, readonly string[]>> = {}
    for (const { schema, table, columns } of tables) {
      schemas[schema] ??= {}
      schemas[schema][table] = columns
    }
    return schemas
  },
})
