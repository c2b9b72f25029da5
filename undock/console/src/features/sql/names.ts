import { queryOptions } from '@tanstack/react-query'
import { read } from '../../lib/api.ts'
import { catalogKey } from '../catalog.ts'
import type { Names } from './language.ts'

const TABLES = `
  select n.nspname, c.relname, array_to_json(array(
    select a.attname from pg_attribute a
    where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped order by a.attnum))
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where c.relkind in ('r', 'p', 'v', 'm', 'f') and n.nspname not in ('pg_catalog', 'information_schema', '_undock')
    and n.nspname !~ '^pg_(toast|temp)'`

/** Without functions that only Postgres calls: those with internal types, and trigger functions. */
const FUNCTIONS = `
  select distinct case when n.nspname in ('pg_catalog', 'public') then '' else quote_ident(n.nspname) || '.' end || quote_ident(p.proname)
  from pg_proc p join pg_namespace n on n.oid = p.pronamespace
  where p.prokind <> 'p' and n.nspname <> 'information_schema' and n.nspname !~ '^pg_(toast|temp)'
    and not array['internal'::regtype, 'cstring'::regtype]::oid[] && (p.proargtypes::oid[] || p.prorettype)
    and p.prorettype not in ('trigger'::regtype, 'event_trigger'::regtype)`

/** Schemas, tables, columns and functions, for completion. */
export const namesQuery = queryOptions({
  queryKey: [...catalogKey, 'names'],
  queryFn: async ({ signal }): Promise<Names> => {
    const statements = [TABLES, FUNCTIONS].map((text) => ({ text, limit: 20_000 }))
    const [tables, functions] = await read(statements, { signal })
    // Own members, whatever the names are: an assignment to `__proto__` would change every object.
    const schemas = Object.fromEntries(
      Map.groupBy(tables?.rows ?? [], ([schema]) => schema ?? '')
        .entries()
        .map(([schema, rows]) => [
          schema,
          Object.fromEntries(rows.map(([, table, columns]) => [table ?? '', JSON.parse(columns ?? '[]') as string[]])),
        ]),
    )
    return { schemas, functions: (functions?.rows ?? []).map(([name]) => name ?? '') }
  },
})
