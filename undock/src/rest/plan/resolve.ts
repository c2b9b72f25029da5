import type { Condition, Field, Filter, LogicTree, OrderTerm } from '../request/ast.ts'
import {
  type Column,
  keyOf,
  type QualifiedName,
  representationKey,
  type SchemaCache,
  type Table,
} from '../schema-cache/model.ts'
import { type OrderBy, type ResolvedField, unknownField, type WhereTree } from './model.ts'

export type Scope = { readonly cache: SchemaCache; readonly table: QualifiedName }

export const columnField = (column: Column): ResolvedField => ({
  ...unknownField(column.name),
  type: column.nominalType,
  baseType: column.type,
  default: column.default,
})

/** A name that isn't a column may be a computed column, which gets no type. */
function resolveField(
  { cache, table }: Scope,
  field: Field,
  textSearch: ResolvedField['textSearch'] = null,
): ResolvedField {
  const column = cache.tables.get(keyOf(table))?.columns.get(field.name)
  const found = column ? { ...columnField(column), textSearch } : unknownField(field.name)
  // json and jsonb columns aren't cast, so that indexes on such expressions apply.
  const toJson = found.type !== 'json' && found.type !== 'jsonb'
  return { ...found, path: field.path, toJson, textSearch: found.baseType === 'tsvector' ? null : found.textSearch }
}

const withTransform = ({ cache }: Scope, source: string, target: string, field: ResolvedField): ResolvedField => {
  const transform = cache.representations.get(representationKey(source, target))
  return transform === undefined ? field : { ...field, type: source, transform }
}

export const withOutputFormat = (scope: Scope, field: ResolvedField): ResolvedField =>
  withTransform(scope, field.type, 'json', field)

const withTextParser = (scope: Scope, field: ResolvedField): ResolvedField =>
  withTransform(scope, 'text', field.type, field)

export const withJsonParser = (scope: Scope, field: ResolvedField): ResolvedField =>
  withTransform(scope, 'json', field.type, field)

export const resolveOutput = (scope: Scope, field: Field): ResolvedField =>
  withOutputFormat(scope, resolveField(scope, field))

export function resolveFilter(scope: Scope, { field, ...condition }: Filter): WhereTree {
  return { kind: 'filter', field: withTextParser(scope, resolveField(scope, field, searchOf(condition))), condition }
}

const searchOf = ({ operation }: Condition): ResolvedField['textSearch'] =>
  operation.kind === 'fts' ? { language: operation.language } : null

export const resolveLogic = (scope: Scope, tree: LogicTree): WhereTree =>
  tree.kind === 'filter'
    ? resolveFilter(scope, tree.filter)
    : { ...tree, operands: tree.operands.map((operand) => resolveLogic(scope, operand)) }

export const resolveOrder = (scope: Scope, { relation, field, direction, nulls }: OrderTerm): OrderBy => ({
  relation,
  field: relation === null ? resolveField(scope, field) : unknownField(field.name, field.path),
  direction,
  nulls,
})

export const columnsOf = ({ cache, table }: Scope): readonly Column[] => [
  ...(cache.tables.get(keyOf(table))?.columns.values() ?? []),
]

export const tableOf = (cache: SchemaCache, name: QualifiedName): Table | undefined => cache.tables.get(keyOf(name))
