import type { Db } from '../../database/db.ts'
import { type Sql, sql, statement } from '../../kernel/sql.ts'
import type { RestSettings } from '../settings.ts'
import { type JsonTypeRow, jsonTypesQuery, toJsonTypes } from './json-types.ts'
import { type ComputedRow, computedRelationshipsQuery, type KeyRow, keysQuery, toComputedRelationship } from './keys.ts'
import { type MediaHandlerRow, mediaHandlersQuery, toMediaHandlers } from './media-handlers.ts'
import { keyOf, representationKey, type SchemaCache, type Table } from './model.ts'
import type { Changes } from './notices.ts'
import { buildRelationships } from './relationships.ts'
import { compareRoutines, type RoutineRow, routinesQuery, toRoutine } from './routines.ts'
import { type Only, type TableRow, tablesQuery, toTable } from './tables.ts'
import { type VersionRow, versionQuery } from './version.ts'
import { toView, traceViewKeys, type ViewKey, type ViewRow, type ViewTree, viewsQuery } from './view-lineage.ts'

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

/** What the catalogue said, as far as it is needed when a part of it changes. */
export type Catalogue = {
  /** Of before the rest was read: what changed meanwhile is found by the next comparison. */
  readonly version: string
  readonly tables: ReadonlyMap<string, TableRow>
  readonly keys: readonly KeyRow[]
  readonly views: ReadonlyMap<string, ViewRow>
  /** What does not belong to a relation. */
  readonly others: Pick<SchemaCache, 'routines' | 'representations' | 'mediaHandlers' | 'jsonTypes'>
}

export type Loaded = { readonly catalogue: Catalogue; readonly cache: SchemaCache }

/** Reads from the catalogue what the planner must know. One crossing; the search path is empty so that every type
 *  prints with its schema. */
export async function loadSchemaCache(db: Db, settings: RestSettings): Promise<Loaded> {
  const found = await ask(db, { ...general, ...ofRelations(settings, null), ...ofFunctions(settings) })
  return build({ ...relationsIn(found), others: functionsIn(found, settings) }, found, settings.schemas)
}

/** Reads again only what changed: with a thousand tables all of them take ten times as long. */
export async function updateSchemaCache(
  db: Db,
  settings: RestSettings,
  { tables, keys, views, others }: Catalogue,
  { relations, functions }: Changes,
): Promise<Loaded> {
  const found = await ask(db, {
    ...general,
    ...(relations.size > 0 ? ofRelations(settings, [...relations]) : {}),
    ...(functions ? ofFunctions(settings) : {}),
  })
  const changed = relationsIn(found)
  const isKept = (id: string): boolean => !relations.has(id)
  const kept = <Row>(rows: ReadonlyMap<string, Row>): [string, Row][] => [...rows].filter(([id]) => isKept(id))
  const catalogue = {
    version: changed.version,
    tables: new Map(
      [...kept(tables), ...changed.tables].sort(([, one], [, other]) => (keyOf(one) < keyOf(other) ? -1 : 1)),
    ),
    keys: [...keys.filter(({ tableId, foreignId }) => isKept(tableId) && isKept(foreignId)), ...changed.keys],
    views: new Map([...kept(views), ...changed.views]),
    others: functions ? functionsIn(found, settings) : others,
  }
  return build(catalogue, found, settings.schemas)
}

/** Whether nothing has changed since, whatever it was that should be seen. Only of the same database: another one may have come to
 *  the same numbers. */
export async function isCurrent(db: Db, { version }: Catalogue): Promise<boolean> {
  const { rows } = await db.query<VersionRow>(statement(versionQuery))
  return rows[0]?.version === version
}

/** Rows by the name of the query that found them. */
type Found = Readonly<Record<string, readonly unknown[]>>

const rowsOf = <Row>(found: Found, name: string): readonly Row[] => (found[name] ?? []) as readonly Row[]

async function ask(db: Db, queries: Readonly<Record<string, Sql>>): Promise<Found> {
  const statements = Object.values(queries).map(statement)
  const results = await db.run({ settings: { search_path: '' }, statements })
  return Object.fromEntries(Object.keys(queries).map((name, index) => [name, results[index]?.rows ?? []]))
}

const general = { version: versionQuery, computed: computedRelationshipsQuery }

const ofRelations = ({ schemas, extraSearchPath }: RestSettings, only: Only) => ({
  tables: tablesQuery(schemas, only),
  keys: keysQuery(only),
  views: viewsQuery(schemas, extraSearchPath, only),
})

const ofFunctions = ({ schemas }: RestSettings) => ({
  routines: routinesQuery(schemas),
  representations: representationsQuery,
  jsonTypes: jsonTypesQuery,
  mediaHandlers: mediaHandlersQuery(schemas),
})

const relationsIn = (found: Found): Omit<Catalogue, 'others'> => ({
  version: rowsOf<VersionRow>(found, 'version')[0]?.version ?? '',
  tables: new Map(rowsOf<TableRow>(found, 'tables').map((row) => [row.id, row])),
  keys: rowsOf<KeyRow>(found, 'keys'),
  views: new Map(rowsOf<ViewTree>(found, 'views').map((row) => [row.id, toView(row)])),
})

function functionsIn(found: Found, { hoistedSettings }: RestSettings): Catalogue['others'] {
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
    jsonTypes: toJsonTypes(rowsOf<JsonTypeRow>(found, 'jsonTypes')),
    mediaHandlers: toMediaHandlers(rowsOf<MediaHandlerRow>(found, 'mediaHandlers')),
  }
}

function build(catalogue: Catalogue, found: Found, schemas: readonly string[]): Loaded {
  const { keys, others } = catalogue
  const viewKeys = traceViewKeys([...catalogue.views.values()], keys)
  const tables = withPrimaryKeys([...catalogue.tables.values()], keys, viewKeys)
  const relationships = buildRelationships(
    tables,
    keys,
    viewKeys,
    rowsOf<ComputedRow>(found, 'computed').map(toComputedRelationship),
    schemas,
  )
  return { catalogue, cache: { schemas, tables, relationships, ...others } }
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
