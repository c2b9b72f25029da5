import type { KeyRow } from './keys.ts'
import {
  type ColumnPairs,
  type ComputedRelationship,
  type ForeignRelationship,
  keyOf,
  type QualifiedName,
  type Relationship,
  relationshipKey,
  sameName,
  type Table,
} from './model.ts'
import type { ViewKey } from './view-lineage.ts'

export type RelationshipSources = {
  readonly tables: ReadonlyMap<string, Table>
  readonly keys: readonly KeyRow[]
  readonly viewKeys: readonly ViewKey[]
  readonly computed: readonly ComputedRelationship[]
  readonly schemas: readonly string[]
}

/** Builds relationships by origin, in both directions, through views and junctions, between exposed tables and views.
 *  The project's computed relationships replace those of its keys. */
export function buildRelationships({
  tables,
  keys,
  viewKeys,
  computed,
  schemas,
}: RelationshipSources): ReadonlyMap<string, readonly Relationship[]> {
  const direct = fromForeignKeys(keys)
  const withViews = [...direct, ...throughViews(direct, viewKeys)]
  const withJunctions = [...withViews, ...throughJunctions(withViews, primaryKeys(tables, keys))]
  const all = [...withJunctions, ...inverses(withJunctions)]
  const overridden = new Set(computed.map((one) => `${keyOf(one.table)} ${keyOf(one.function)}`))
  const isExposed = (relationship: Relationship): boolean =>
    schemas.includes(relationship.foreignTable.schema) &&
    !(
      relationship.kind === 'foreign' &&
      relationship.cardinality.kind === 'many-to-many' &&
      !schemas.includes(relationship.cardinality.junction.table.schema)
    )
  const known: Relationship[] = [
    ...all.filter((one) => !overridden.has(`${keyOf(one.table)} ${keyOf(one.foreignTable)}`)),
    ...computed,
  ]
  const grouped = new Map<string, Relationship[]>()
  for (const relationship of known) {
    if (!schemas.includes(relationship.table.schema)) continue
    const target = relationship.kind === 'computed' ? relationship.function : relationship.foreignTable
    const key = relationshipKey(relationship.table, target.schema)
    // A table whose relationships all lead to unexposed tables keeps an empty entry.
    const group = grouped.get(key) ?? []
    grouped.set(key, group)
    if (isExposed(relationship)) group.push(relationship)
  }
  for (const group of grouped.values()) group.sort(compareRelationships)
  return grouped
}

type SimpleRelationship = ForeignRelationship & {
  cardinality: Exclude<ForeignRelationship['cardinality'], { kind: 'many-to-many' }>
}

function fromForeignKeys(keys: readonly KeyRow[]): SimpleRelationship[] {
  const uniqueColumns = new Map<string, Set<string>>()
  const numbersOf = ({ columns }: KeyRow): string =>
    columns
      .map(({ number }) => number)
      .sort((one, other) => one - other)
      .join()
  for (const key of keys) {
    if (key.type === 'f') continue
    uniqueColumns.set(key.tableId, (uniqueColumns.get(key.tableId) ?? new Set()).add(numbersOf(key)))
  }
  return keys.flatMap((key): SimpleRelationship[] => {
    if (key.type !== 'f' || !key.isOwn || key.foreignSchema === null || key.foreignName === null) return []
    return [
      {
        kind: 'foreign',
        table: { schema: key.tableSchema, name: key.tableName },
        foreignTable: { schema: key.foreignSchema, name: key.foreignName },
        isSelf: key.tableId === key.foreignId,
        tableIsView: false,
        foreignIsView: false,
        cardinality: {
          kind: uniqueColumns.get(key.tableId)?.has(numbersOf(key)) ? 'one-to-one' : 'many-to-one',
          constraint: key.name,
          columns: key.columns.map(({ name }, index) => [name, key.foreignColumns?.[index]?.name ?? ''] as const),
          isParent: false,
        },
      },
    ]
  })
}

function throughViews(direct: readonly SimpleRelationship[], viewKeys: readonly ViewKey[]): SimpleRelationship[] {
  const indexOf = (table: QualifiedName, constraint: string, side: ViewKey['side']): string =>
    `${keyOf(table)} ${constraint} ${side}`
  const index = new Map<string, ViewKey[]>()
  for (const one of viewKeys) {
    if (one.side === 'primary') continue
    const { key, side } = one
    const table =
      side === 'referencing'
        ? { schema: key.tableSchema, name: key.tableName }
        : { schema: key.foreignSchema ?? '', name: key.foreignName ?? '' }
    const at = indexOf(table, `${key.tableId} ${key.name}`, side)
    index.set(at, [...(index.get(at) ?? []), one])
  }
  const idOf = new Map(
    viewKeys.map(({ key }) => [`${key.tableSchema} ${key.tableName} ${key.name}`, `${key.tableId} ${key.name}`]),
  )
  return direct.flatMap((relationship) => {
    const { table, foreignTable, cardinality } = relationship
    const constraint = idOf.get(`${table.schema} ${table.name} ${cardinality.constraint}`) ?? ''
    const origins = (index.get(indexOf(table, constraint, 'referencing')) ?? []).flatMap(namings)
    const targets = (index.get(indexOf(foreignTable, constraint, 'referenced')) ?? []).flatMap(namings)
    const make = (
      from: { view: QualifiedName; names: readonly string[] } | null,
      to: { view: QualifiedName; names: readonly string[] } | null,
    ): SimpleRelationship => ({
      ...relationship,
      table: from?.view ?? table,
      foreignTable: to?.view ?? foreignTable,
      isSelf: from !== null && to !== null && sameName(from.view, to.view),
      tableIsView: from !== null,
      foreignIsView: to !== null,
      cardinality: {
        ...cardinality,
        columns: cardinality.columns.map(
          ([column, foreign], position) => [from?.names[position] ?? column, to?.names[position] ?? foreign] as const,
        ),
      },
    })
    return [
      ...origins.map((from) => make(from, null)),
      ...targets.map((to) => make(null, to)),
      ...origins.flatMap((from) => targets.map((to) => make(from, to))),
    ]
  })
}

/** All combinations of names for a key's columns in a view that shows some of them more than once. */
const namings = ({ view, columns }: ViewKey): { view: QualifiedName; names: readonly string[] }[] =>
  columns
    .reduce<string[][]>((ways, [, names]) => ways.flatMap((way) => names.map((name) => [...way, name])), [[]])
    .map((names) => ({ view, names }))

const primaryKeys = (
  tables: ReadonlyMap<string, Table>,
  keys: readonly KeyRow[],
): ReadonlyMap<string, readonly string[]> =>
  new Map([
    ...[...tables].map(([key, { primaryKey }]) => [key, primaryKey] as const),
    ...keys
      .filter(({ type }) => type === 'p')
      .map(
        (key) =>
          [keyOf({ schema: key.tableSchema, name: key.tableName }), key.columns.map(({ name }) => name)] as const,
      ),
  ])

/** A table whose primary key contains two foreign keys is a junction of their tables. */
function throughJunctions(
  relationships: readonly SimpleRelationship[],
  primaryKeyOf: ReadonlyMap<string, readonly string[]>,
): ForeignRelationship[] {
  const toOne = relationships.filter(({ cardinality }) => cardinality.kind === 'many-to-one')
  const byOrigin = Map.groupBy(toOne, ({ table }) => keyOf(table))
  return toOne.flatMap((source) => {
    const junction = source.table
    const primaryKey = new Set(primaryKeyOf.get(keyOf(junction)))
    return (byOrigin.get(keyOf(junction)) ?? []).flatMap((target): ForeignRelationship[] => {
      if (source.cardinality.constraint === target.cardinality.constraint) return []
      const columns = [...source.cardinality.columns, ...target.cardinality.columns]
      if (!columns.every(([column]) => primaryKey.has(column))) return []
      return [
        {
          kind: 'foreign',
          table: source.foreignTable,
          foreignTable: target.foreignTable,
          isSelf: sameName(source.foreignTable, target.foreignTable),
          tableIsView: source.foreignIsView,
          foreignIsView: target.foreignIsView,
          cardinality: {
            kind: 'many-to-many',
            junction: {
              table: junction,
              sourceConstraint: source.cardinality.constraint,
              targetConstraint: target.cardinality.constraint,
              sourceColumns: swap(source.cardinality.columns),
              targetColumns: swap(target.cardinality.columns),
            },
          },
        },
      ]
    })
  })
}

const swap = (columns: ColumnPairs): ColumnPairs => columns.map(([one, other]) => [other, one] as const)

const inverses = (relationships: readonly ForeignRelationship[]): ForeignRelationship[] =>
  relationships.flatMap((relationship): ForeignRelationship[] => {
    const { cardinality } = relationship
    if (cardinality.kind === 'many-to-many') return []
    return [
      {
        kind: 'foreign',
        table: relationship.foreignTable,
        foreignTable: relationship.table,
        isSelf: relationship.isSelf,
        tableIsView: relationship.foreignIsView,
        foreignIsView: relationship.tableIsView,
        cardinality: {
          kind: cardinality.kind === 'one-to-one' ? 'one-to-one' : 'one-to-many',
          constraint: cardinality.constraint,
          columns: swap(cardinality.columns),
          isParent: cardinality.kind === 'one-to-one' && !cardinality.isParent,
        },
      },
    ]
  })

const CARDINALITY_ORDER = { 'one-to-many': 0, 'many-to-one': 1, 'one-to-one': 2, 'many-to-many': 3 } as const

function compareRelationships(one: Relationship, other: Relationship): number {
  const [left, right] = [sortKey(one), sortKey(other)]
  const at = left.findIndex((part, index) => part !== right[index])
  if (at === -1) return 0
  return (left[at] ?? '') < (right[at] ?? '') ? -1 : 1
}

function sortKey(relationship: Relationship): string[] {
  if (relationship.kind === 'computed') return ['1', relationship.function.schema, relationship.function.name]
  const { table, foreignTable, isSelf, cardinality } = relationship
  const head = ['0', table.schema, table.name, foreignTable.schema, foreignTable.name, isSelf ? '1' : '0']
  const rank = String(CARDINALITY_ORDER[cardinality.kind])
  if (cardinality.kind !== 'many-to-many') return [...head, rank, cardinality.constraint, ...cardinality.columns.flat()]
  const { junction } = cardinality
  return [
    ...head,
    rank,
    junction.table.schema,
    junction.table.name,
    junction.sourceConstraint,
    junction.targetConstraint,
  ]
}
