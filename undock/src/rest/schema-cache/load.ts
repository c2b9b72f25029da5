import type { Db } from '../../database/db.ts'
import { sql, statement } from '../../kernel/sql.ts'
import type { RestSettings } from '../settings.ts'
import { type ComputedRow, computedRelationshipsQuery, type KeyRow, keysQuery, toComputedRelationship } from './keys.ts'
import { type MediaHandlerRow, mediaHandlersQuery, toMediaHandlers } from './media-handlers.ts'
import { keyOf, representationKey, type SchemaCache, type Table } from './model.ts'
import { buildRelationships } from './relationships.ts'
import { compareRoutines, type RoutineRow, routinesQuery, toRoutine } from './routines.ts'
import { type TableRow, tablesQuery, toTable } from './tables.ts'
import { traceViewKeys, type ViewKey, type ViewRow, viewsQuery } from './view-lineage.ts'

/** Implicit casts between a domain and json or text: how a project shows and reads values of that domain. */
const representationsQuery = sql`
select c.castsource::regtype::text as source, c.casttarget::regtype::text as target, c.castfunc::regproc::text as function
from pg_catalog.pg_cast c
join pg_catalog.pg_type s on s.oid = c.castsource
join pg_catalog.pg_type t on t.oid = c.casttarget
where c.castcontext = 'i' and c.castmethod = 'f' and has_function_privilege(c.castfunc, 'execute')
  and (s.typtype = 'd' and c.casttarget in ('json'::regtype, 'text'::regtype)
    or t.typtype = 'd' and c.castsource in ('json'::regtype, 'text'::regtype))`

type RepresentationRow = { readonly source: string; readonly target: string; readonly function: string }

/** Reads from the catalogue what the planner must know. One crossing; the search path is empty so that every type
 *  prints with its schema. */
export async function loadSchemaCache(db: Db, settings: RestSettings): Promise<SchemaCache> {
  const { schemas, extraSearchPath, hoistedSettings } = settings
  const queries = [
    tablesQuery(schemas),
    keysQuery,
    viewsQuery(schemas, extraSearchPath),
    computedRelationshipsQuery,
    routinesQuery(schemas),
    representationsQuery,
    mediaHandlersQuery(schemas),
  ]
  const results = await db.run({ settings: { search_path: '' }, statements: queries.map(statement) })
  const rowsOf = <R>(index: number): R[] => (results[index]?.rows ?? []) as R[]
  const keys = rowsOf<KeyRow>(1)
  const viewKeys = traceViewKeys(rowsOf<ViewRow>(2), keys)
  const tables = withPrimaryKeys(rowsOf<TableRow>(0), keys, viewKeys)
  const routines = rowsOf<RoutineRow>(4).map((row) => toRoutine(row, hoistedSettings))
  return {
    schemas,
    tables,
    relationships: buildRelationships(
      tables,
      keys,
      viewKeys,
      rowsOf<ComputedRow>(3).map(toComputedRelationship),
      schemas,
    ),
    routines: new Map(
      [...Map.groupBy(routines, keyOf)].map(([key, overloads]) => [key, overloads.sort(compareRoutines)]),
    ),
    representations: new Map(
      rowsOf<RepresentationRow>(5).map((row) => [representationKey(row.source, row.target), row.function]),
    ),
    mediaHandlers: toMediaHandlers(rowsOf<MediaHandlerRow>(6)),
  }
}

/** A view has the primary key whose columns it shows; of a column that it shows twice, the first name. */
function withPrimaryKeys(
  rows: readonly TableRow[],
  keys: readonly KeyRow[],
  viewKeys: readonly ViewKey[],
): ReadonlyMap<string, Table> {
  const ofTables = new Map(
    keys
      .filter(({ type }) => type === 'p')
      .map((key) => [
        keyOf({ schema: key.tableSchema, name: key.tableName }),
        key.columns.map(({ name }) => name).sort(),
      ]),
  )
  const ofViews = Map.groupBy(
    viewKeys.filter(({ side }) => side === 'primary'),
    ({ view }) => keyOf(view),
  )
  return new Map(
    rows.map((row) => {
      const key = keyOf(row)
      const shown = ofViews.get(key)?.flatMap(({ columns }) => columns.flatMap(([, names]) => names.slice(0, 1)))
      return [key, toTable(row, (row.isView ? shown : ofTables.get(key)) ?? [])]
    }),
  )
}
