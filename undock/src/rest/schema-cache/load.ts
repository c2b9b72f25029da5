import type { Db } from '../../database/db.ts'
import { identifier, join, type Sql, sql, statement } from '../../kernel/sql.ts'
import type { RestSettings } from '../settings.ts'
import { type ComputedRow, computedRelationshipsQuery, type KeyRow, keysQuery, toComputedRelationship } from './keys.ts'
import { type MediaHandlerRow, mediaHandlersQuery, toMediaHandlers } from './media-handlers.ts'
import { keyOf, representationKey, type SchemaCache, type Table } from './model.ts'
import { buildRelationships } from './relationships.ts'
import type { CatalogChanges } from './reload-notifications.ts'
import { compareRoutines, type RoutineRow, routinesQuery, toRoutine } from './routines.ts'
import { type RelationFilter, type TableRow, tablesQuery, toTable } from './tables.ts'
import { toView, traceViewKeys, type ViewKey, type ViewRow, type ViewTree, viewsQuery } from './view-lineage.ts'

const CATALOGS = [
  'pg_aggregate',
  'pg_attrdef',
  'pg_attribute',
  'pg_cast',
  'pg_class',
  'pg_constraint',
  'pg_description',
  'pg_enum',
  'pg_inherits',
  'pg_namespace',
  'pg_proc',
  'pg_rewrite',
  'pg_type',
]

/** The age of rows from the cluster's creation. */
const FROZEN = 2 ** 31 - 1

/** The version of a database's catalogs as text: for each, the number of rows and the transaction that wrote the newest
 *  row. Postgres rewrites changed rows, so every change affects one of the two. Transactions are counted from the first
 *  one, because `age` alone grows with every transaction. */
const versionQuery: Sql = sql`select string_agg(concat_ws(' ', count, newest), ',') as version from (${join(
  CATALOGS.map(
    (name) =>
      sql`select count(*), age('3'::xid) - nullif(min(age(xmin)), ${FROZEN}) as newest from ${identifier('pg_catalog', name)}`,
  ),
  ' union all ',
)}) c`

type VersionRow = { readonly version: string }

/** Implicit casts between a domain and json or text, by which a project formats and parses the domain's values. */
const representationsQuery = sql`
select c.castsource::regtype::text as source, c.casttarget::regtype::text as target, c.castfunc::regproc::text as function
from pg_catalog.pg_cast c
join pg_catalog.pg_type s on s.oid = c.castsource
join pg_catalog.pg_type t on t.oid = c.casttarget
where c.castcontext = 'i' and c.castmethod = 'f' and has_function_privilege(c.castfunc, 'execute')
  and (s.typtype = 'd' and c.casttarget in ('json'::regtype, 'text'::regtype)
    or t.typtype = 'd' and c.castsource in ('json'::regtype, 'text'::regtype))`

type RepresentationRow = { readonly source: string; readonly target: string; readonly function: string }

/** Rows read from Postgres' catalogs, kept so that after a change only the affected ones are read again. */
export type CatalogRows = {
  /** Taken before the other rows were read, so that the next comparison finds changes made meanwhile. */
  readonly version: string
  readonly tables: ReadonlyMap<string, TableRow>
  readonly keys: readonly KeyRow[]
  readonly views: ReadonlyMap<string, ViewRow>
  readonly others: Pick<SchemaCache, 'routines' | 'representations' | 'mediaHandlers'>
}

export type LoadedSchemaCache = { readonly rows: CatalogRows; readonly cache: SchemaCache }

/** Reads what planning needs in one batch, with an empty search path so that every type prints with its schema. */
export async function loadSchemaCache(db: Db, settings: RestSettings): Promise<LoadedSchemaCache> {
  const found = await runQueries(db, {
    ...commonQueries,
    ...relationQueries(settings, null),
    ...functionQueries(settings),
  })
  return build({ ...relationRows(found), others: functionData(found, settings) }, found, settings.schemas)
}

/** Reads only what changed: with a thousand tables, reading everything takes ten times as long. */
export async function updateSchemaCache(
  db: Db,
  settings: RestSettings,
  { tables, keys, views, others }: CatalogRows,
  { relations, functions }: CatalogChanges,
): Promise<LoadedSchemaCache> {
  const found = await runQueries(db, {
    ...commonQueries,
    ...(relations.size > 0 ? relationQueries(settings, [...relations]) : {}),
    ...(functions ? functionQueries(settings) : {}),
  })
  const changed = relationRows(found)
  const isKept = (id: string): boolean => !relations.has(id)
  const kept = <Row>(rows: ReadonlyMap<string, Row>): [string, Row][] => [...rows].filter(([id]) => isKept(id))
  const rows = {
    version: changed.version,
    tables: new Map(
      [...kept(tables), ...changed.tables].sort(([, one], [, other]) => (keyOf(one) < keyOf(other) ? -1 : 1)),
    ),
    keys: [...keys.filter(({ tableId, foreignId }) => isKept(tableId) && isKept(foreignId)), ...changed.keys],
    views: new Map([...kept(views), ...changed.views]),
    others: functions ? functionData(found, settings) : others,
  }
  return build(rows, found, settings.schemas)
}

/** Returns whether Postgres' catalogs are unchanged. Another database may have the same version by chance. */
export async function isCurrent(db: Db, { version }: CatalogRows): Promise<boolean> {
  const { rows } = await db.query<VersionRow>(statement(versionQuery))
  return rows[0]?.version === version
}

type QueryRows = Readonly<Record<string, readonly unknown[]>>

const rowsOf = <Row>(found: QueryRows, name: string): readonly Row[] => (found[name] ?? []) as readonly Row[]

async function runQueries(db: Db, queries: Readonly<Record<string, Sql>>): Promise<QueryRows> {
  const statements = Object.values(queries).map(statement)
  const results = await db.run({ settings: { search_path: '' }, statements })
  return Object.fromEntries(Object.keys(queries).map((name, index) => [name, results[index]?.rows ?? []]))
}

const commonQueries = { version: versionQuery, computed: computedRelationshipsQuery }

const relationQueries = ({ schemas, extraSearchPath }: RestSettings, filter: RelationFilter) => ({
  tables: tablesQuery(schemas, filter),
  keys: keysQuery(filter),
  views: viewsQuery(schemas, extraSearchPath, filter),
})

const functionQueries = ({ schemas }: RestSettings) => ({
  routines: routinesQuery(schemas),
  representations: representationsQuery,
  mediaHandlers: mediaHandlersQuery(schemas),
})

const relationRows = (found: QueryRows): Omit<CatalogRows, 'others'> => ({
  version: rowsOf<VersionRow>(found, 'version')[0]?.version ?? '',
  tables: new Map(rowsOf<TableRow>(found, 'tables').map((row) => [row.id, row])),
  keys: rowsOf<KeyRow>(found, 'keys'),
  views: new Map(rowsOf<ViewTree>(found, 'views').map((row) => [row.id, toView(row)])),
})

function functionData(found: QueryRows, { hoistedSettings }: RestSettings): CatalogRows['others'] {
  const routines = rowsOf<RoutineRow>(found, 'routines').map((row) => toRoutine(row, hoistedSettings))
  return {
    routines: new Map(
      [...Map.groupBy(routines, keyOf)].map(([key, overloads]) => [key, overloads.sort(compareRoutines)]),
    ),
    representations: new Map(
      rowsOf<RepresentationRow>(found, 'representations').map((row) => [
        representationKey(row.source, row.target),
        row.function,
      ]),
    ),
    mediaHandlers: toMediaHandlers(rowsOf<MediaHandlerRow>(found, 'mediaHandlers')),
  }
}

function build(rows: CatalogRows, found: QueryRows, schemas: readonly string[]): LoadedSchemaCache {
  const { keys, others } = rows
  const viewKeys = traceViewKeys([...rows.views.values()], keys)
  const tables = withPrimaryKeys([...rows.tables.values()], keys, viewKeys)
  const relationships = buildRelationships({
    tables,
    keys,
    viewKeys,
    computed: rowsOf<ComputedRow>(found, 'computed').map(toComputedRelationship),
    schemas,
  })
  return { rows, cache: { schemas, tables, relationships, ...others } }
}

/** A view has the primary key of the table whose key columns it shows; if it shows one twice, the first name counts. */
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
