import type { Db } from '../../database/db.ts'
import { type Sql, sql, statement } from '../../kernel/sql.ts'
import type { RestSettings } from '../settings.ts'
import { type ComputedRow, computedRelationshipsQuery, type KeyRow, keysQuery, toComputedRelationship } from './keys.ts'
import { type MediaHandlerRow, mediaHandlersQuery, toMediaHandlers } from './media-handlers.ts'
import { keyOf, representationKey, type SchemaCache, sameName, type Table } from './model.ts'
import { buildRelationships } from './relationships.ts'
import { compareRoutines, type RoutineRow, routinesQuery, toRoutine } from './routines.ts'
import { type Only, type TableRow, tablesQuery, toTable } from './tables.ts'
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
  readonly tables: ReadonlyMap<string, TableRow>
  readonly keys: readonly KeyRow[]
  readonly views: ReadonlyMap<string, ViewRow>
  /** What does not belong to a relation. */
  readonly others: Pick<SchemaCache, 'routines' | 'representations' | 'mediaHandlers'>
}

export type Loaded = { readonly catalogue: Catalogue; readonly cache: SchemaCache }

/** Reads from the catalogue what the planner must know. One crossing; the search path is empty so that every type
 *  prints with its schema. */
export async function loadSchemaCache(db: Db, settings: RestSettings): Promise<Loaded> {
  const { schemas, hoistedSettings } = settings
  const { rowsOf, relations } = await read(db, settings, null, [
    routinesQuery(schemas),
    representationsQuery,
    mediaHandlersQuery(schemas),
  ])
  const routines = rowsOf<RoutineRow>(4).map((row) => toRoutine(row, hoistedSettings))
  const others = {
    routines: new Map(
      [...Map.groupBy(routines, keyOf)].map(([key, overloads]) => [key, overloads.sort(compareRoutines)]),
    ),
    representations: new Map(
      rowsOf<RepresentationRow>(5).map((row) => [representationKey(row.source, row.target), row.function]),
    ),
    mediaHandlers: toMediaHandlers(rowsOf<MediaHandlerRow>(6)),
  }
  return build({ ...relations, others }, rowsOf<ComputedRow>(3), schemas)
}

/** Reads again only the relations that changed: with a thousand tables all of them take ten times as long.
 *  @param changed Oids of what was made, altered or dropped.
 *  @returns null when one has another name: what refers to it by its name has to be read, too. */
export async function updateSchemaCache(
  db: Db,
  settings: RestSettings,
  { tables, keys, views, others }: Catalogue,
  changed: ReadonlySet<string>,
): Promise<Loaded | null> {
  const { rowsOf, relations } = await read(db, settings, [...changed], [])
  const isRenamed = [...relations.tables].some(([id, row]) => {
    const before = tables.get(id)
    return before !== undefined && !sameName(before, row)
  })
  if (isRenamed) return null
  const isKept = (id: string): boolean => !changed.has(id)
  const kept = <Row>(rows: ReadonlyMap<string, Row>): [string, Row][] => [...rows].filter(([id]) => isKept(id))
  const catalogue = {
    tables: new Map(
      [...kept(tables), ...relations.tables].sort(([, one], [, other]) => (keyOf(one) < keyOf(other) ? -1 : 1)),
    ),
    keys: [...keys.filter(({ tableId, foreignId }) => isKept(tableId) && isKept(foreignId)), ...relations.keys],
    views: new Map([...kept(views), ...relations.views]),
    others,
  }
  return build(catalogue, rowsOf<ComputedRow>(3), settings.schemas)
}

async function read(
  db: Db,
  { schemas, extraSearchPath }: RestSettings,
  only: Only,
  others: readonly Sql[],
): Promise<{ rowsOf: <Row>(index: number) => Row[]; relations: Pick<Catalogue, 'tables' | 'keys' | 'views'> }> {
  const queries = [
    tablesQuery(schemas, only),
    keysQuery(only),
    viewsQuery(schemas, extraSearchPath, only),
    computedRelationshipsQuery,
    ...others,
  ]
  const results = await db.run({ settings: { search_path: '' }, statements: queries.map(statement) })
  const rowsOf = <Row>(index: number): Row[] => (results[index]?.rows ?? []) as Row[]
  return {
    rowsOf,
    relations: {
      tables: new Map(rowsOf<TableRow>(0).map((row) => [row.id, row])),
      keys: rowsOf<KeyRow>(1),
      views: new Map(rowsOf<ViewTree>(2).map((row) => [row.id, toView(row)])),
    },
  }
}

function build(catalogue: Catalogue, computed: readonly ComputedRow[], schemas: readonly string[]): Loaded {
  const { keys, others } = catalogue
  const viewKeys = traceViewKeys([...catalogue.views.values()], keys)
  const tables = withPrimaryKeys([...catalogue.tables.values()], keys, viewKeys)
  const relationships = buildRelationships(tables, keys, viewKeys, computed.map(toComputedRelationship), schemas)
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
