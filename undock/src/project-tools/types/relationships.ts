import { type Catalog, compareNames, type ForeignKey, type View } from './catalog.ts'
import { originsOf, queryOf } from './view-trees.ts'

/** A foreign key, or its equivalent for a view that contains its columns. */
export type Relationship = {
  readonly name: string
  readonly schema: string
  readonly relation: string
  readonly columns: readonly string[]
  readonly isOneToOne: boolean
  readonly referencedSchema: string
  readonly referencedRelation: string
  readonly referencedColumns: readonly string[]
}

/** Returns the schemas' foreign keys, and their equivalents for views that contain one or both sides. @param extra More schemas whose views
 *  are resolved. */
export function relationshipsOf({ keys, views, schemas }: Catalog, extra: readonly string[]): Relationship[] {
  const seen = [...schemas, ...extra]
  const shown = showings(views.filter(({ schema }) => seen.includes(schema)))
  const found = keys.flatMap((key): Relationship[] => {
    const { name, columns, isOneToOne } = key
    const own = { schema: key.schema, relation: key.relation, columns }
    const referenced = {
      referencedSchema: key.referencedSchema,
      referencedRelation: key.referencedRelation,
      referencedColumns: key.referencedColumns,
    }
    const from = shown(key.table, key.numbers).map(({ view, ...one }) => ({
      schema: view.schema,
      relation: view.name,
      ...one,
    }))
    const to = shown(key.referencedTable, key.referencedNumbers).map(({ view, ...one }) => ({
      referencedSchema: view.schema,
      referencedRelation: view.name,
      referencedColumns: one.columns,
    }))
    const isOfSchemas = schemas.includes(key.schema)
    return [
      ...(isOfSchemas ? [{ name, isOneToOne, ...own, ...referenced }] : []),
      ...from.map((one) => ({ name, isOneToOne, ...one, ...referenced })),
      ...(isOfSchemas ? to.map((one) => ({ name, isOneToOne, ...own, ...one })) : []),
      ...from.flatMap((one) => to.map((other) => ({ name, isOneToOne, ...one, ...other }))),
    ]
  })
  return found.toSorted(
    (a, b) =>
      compareNames(a.name, b.name) ||
      compareNames(a.referencedRelation, b.referencedRelation) ||
      compareLists(a.referencedColumns, b.referencedColumns) ||
      compareNames(a.referencedSchema, b.referencedSchema) ||
      compareNames(a.schema, b.schema) ||
      compareNames(a.relation, b.relation) ||
      compareLists(a.columns, b.columns),
  )
}

const compareLists = (a: readonly string[], b: readonly string[]): number =>
  compareNames(JSON.stringify(a), JSON.stringify(b))

type Showing = { readonly view: View; readonly columns: readonly string[] }

/** Finds the views that contain all of some of a table's columns, directly or through other views: once for each combination of names. */
function showings(views: readonly View[]): (table: number, columns: ForeignKey['numbers']) => Showing[] {
  const origins = new Map(views.map((view) => [view.id, originsOfView(view)]))
  const traced = views.map((view) => {
    const names = new Map<string, string[]>()
    for (const { position, table, column } of origins.get(view.id) ?? [])
      follow(view.columns[position], table, column, [])
    function follow(name: string | undefined, table: number, column: number, path: readonly number[]): void {
      if (name === undefined) return
      const key = `${table}.${column}`
      names.set(key, [...(names.get(key) ?? []), name])
      if (path.includes(table)) return
      for (const below of origins.get(table) ?? [])
        if (below.position === column) follow(name, below.table, below.column, [...path, table])
    }
    return { view, names }
  })
  return (table, columns) =>
    traced.flatMap(({ view, names }) => {
      const each = columns.map((column) => names.get(`${table}.${column}`) ?? [])
      return combinations(each).map((one) => ({ view, columns: one }))
    })
}

const originsOfView = (view: View) => {
  const query = queryOf(view)
  return query ? originsOf(query) : []
}

const combinations = (each: readonly (readonly string[])[]): string[][] =>
  each.reduce<string[][]>((made, names) => made.flatMap((one) => names.map((name) => [...one, name])), [[]])
