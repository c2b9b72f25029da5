import { isJsonObject } from '../../kernel/json.ts'
import { empty, join, keyword, type Sql, sql } from '../../kernel/sql.ts'
import { type StorageError, storageError } from '../errors.ts'

/** Nesting depth: each level costs stack here and in Postgres' parser. */
const MAX_DEPTH = 32
const MAX_CONDITIONS = 1000

const COMPARISONS = new Map(Object.entries({ $gt: '>', $gte: '>=', $lt: '<', $lte: '<=' }))

/** Converts a metadata filter to a condition on the column `metadata`; names and values are always bound.
 *  @param nonFilterable Keys that the index stores but can't search.
 *  @throws {StorageError} InvalidParameter
 *  @see storage-api src/storage/protocols/vector/adapter/pgvector/filter.ts */
export function filterToSql(filter: unknown, nonFilterable: ReadonlySet<string>): Sql {
  let conditions = 0

  function clause(value: unknown, depth: number): Sql {
    if (depth > MAX_DEPTH) throw invalid('Filter is nested too deeply')
    if (!isJsonObject(value)) throw invalid('Filter must be an object')
    const entries = Object.entries(value)
    if (entries.length === 0) throw invalid('Filter must contain at least one clause')
    const logical = entries.find(([name]) => name === '$and' || name === '$or')
    if (!logical) return and(entries.map(([name, wanted]) => field(name, wanted)))
    if (entries.length > 1) {
      throw invalid(`Logical operator must be the only key, got: ${entries.map(([name]) => name).join(', ')}`)
    }
    const [operator, parts] = logical
    if (!Array.isArray(parts) || parts.length === 0) throw invalid(`${operator} requires a non-empty array`)
    const clauses = parts.map((part) => sql`(${clause(part, depth + 1)})`)
    return operator === '$and' ? and(clauses) : join(clauses, ' or ')
  }

  function field(name: string, wanted: unknown): Sql {
    if (name.startsWith('$')) throw invalid(`Unexpected operator "${name}" at field position`)
    if (nonFilterable.has(name)) throw invalid(`Metadata key "${name}" is configured as non-filterable`)
    if (!isJsonObject(wanted)) return condition(name, '$eq', wanted)
    const operators = Object.entries(wanted)
    if (operators.length === 0) throw invalid(`Empty operator object for field "${name}"`)
    return and(operators.map(([operator, value]) => condition(name, operator, value)))
  }

  function condition(name: string, operator: string, value: unknown): Sql {
    if (++conditions > MAX_CONDITIONS) throw invalid(`Filter must not hold more than ${MAX_CONDITIONS} conditions`)
    const stored = sql`(metadata -> ${name}::text)`
    switch (operator) {
      // `@>`: a list contains its values, and a single value contains itself.
      case '$eq':
        return sql`${stored} @> ${primitive(value)}::jsonb`
      case '$ne':
        return sql`not (${stored} @> ${primitive(value)}::jsonb)`
      case '$in':
        return sql`${stored} @> any (${list(name, operator, value)}::jsonb[])`
      case '$nin':
        return sql`not (${stored} @> any (${list(name, operator, value)}::jsonb[]))`
      case '$exists':
        if (typeof value !== 'boolean') throw invalid(`$exists requires a boolean for "${name}"`)
        return sql`${value ? empty : keyword('not')} jsonb_exists(metadata, ${name})`
      default:
        return comparison(name, operator, value, stored)
    }
  }

  return clause(filter, 0)
}

function comparison(name: string, operator: string, value: unknown, stored: Sql): Sql {
  const sign = COMPARISONS.get(operator)
  if (sign === undefined) throw invalid(`Unsupported field operator: ${operator}`)
  if (typeof value !== 'number') throw invalid(`${operator} requires a number for "${name}"`)
  // jsonb compares numbers exactly and needs no cast; the type check excludes everything else.
  return sql`(jsonb_typeof(${stored}) = 'number' and ${stored} ${keyword(sign)} ${primitive(value)}::jsonb)`
}

function primitive(value: unknown): string {
  const fits = typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value)
  if (!fits) throw invalid(`Unsupported filter value type: ${typeof value}`)
  return JSON.stringify(value)
}

function list(name: string, operator: string, value: unknown): string[] {
  if (!Array.isArray(value) || value.length === 0 || value.length > MAX_CONDITIONS) {
    throw invalid(`${operator} requires a non-empty array for "${name}"`)
  }
  return value.map(primitive)
}

const and = (parts: readonly Sql[]): Sql => join(parts, ' and ')

const invalid = (message: string): StorageError => storageError('InvalidParameter', { message })
