import {
  type Column,
  type ForeignRelationship,
  type Relationship,
  relationshipKey,
  type SchemaCache,
  type Table,
} from '../../schema-cache/model.ts'
import { itemsOf, openApiFormat, openApiType, withoutEmpty } from './types.ts'

/** Returns a JSON schema of a table's rows. */
export function tableDefinition(table: Table, cache: SchemaCache): Record<string, unknown> {
  const columns = [...table.columns.values()]
  const known = cache.relationships.get(relationshipKey(table, table.schema)) ?? []
  return withoutEmpty({
    description: table.description,
    required: columns.filter(({ nullable }) => !nullable).map(({ name }) => name),
    properties: Object.fromEntries(columns.map((column) => [column.name, property(table, column, known)])),
    type: 'object',
  })
}

function property(table: Table, column: Column, known: readonly Relationship[]): Record<string, unknown> {
  const described = notes(table, column, known)
  const value = column.default === null ? undefined : parseDefault(column.type, column.default)
  return {
    ...withoutEmpty({ description: described, format: openApiFormat(column.type) }),
    ...(value === undefined ? {} : { default: value }),
    ...withoutEmpty({ enum: column.enum, maxLength: column.maxLength, type: openApiType(column.type) }),
    ...itemsOf(column.type),
  }
}

/** The column's comment, and its keys in the form that client generators read. */
function notes(table: Table, column: Column, known: readonly Relationship[]): string | null {
  const foreign = known
    .filter((one): one is ForeignRelationship => one.kind === 'foreign')
    .sort((one, other) => Number(one.foreignIsView) - Number(other.foreignIsView))
    .flatMap(({ cardinality, foreignTable }) => {
      if (cardinality.kind === 'many-to-many' || cardinality.columns.length !== 1) return []
      if (cardinality.kind === 'one-to-many' || cardinality.isParent) return []
      const [own, target] = cardinality.columns[0] ?? ['', '']
      return own === column.name ? [{ table: foreignTable.name, column: target }] : []
    })[0]
  const lines = [
    ...(table.primaryKey.includes(column.name) ? ['This is a Primary Key.<pk/>'] : []),
    ...(foreign
      ? [
          `This is a Foreign Key to \`${foreign.table}.${foreign.column}\`.<fk table='${foreign.table}' column='${foreign.column}'/>`,
        ]
      : []),
  ]
  if (lines.length === 0) return column.description
  const before = column.description === null ? '' : `${column.description}\n\n`
  return `${before}Note:\n${lines.join('\n')}`
}

/** Only JSON defaults are shown; expressions of text types as text. */
function parseDefault(type: string, expression: string): unknown {
  if (openApiType(type) === 'string') {
    const suffix = `::${type}`
    const literal = expression.endsWith(suffix)
      ? expression.slice(0, -suffix.length).replace(/^'+|'+$/g, '')
      : expression
    return parseJson(`"${literal}"`)
  }
  return parseJson(expression)
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
