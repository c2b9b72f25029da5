import { empty, identifier, join, type Sql, sql } from '../../kernel/sql.ts'
import type { JoinCondition, ResolvedField, WhereTree } from '../plan/model.ts'
import type { IsOperand, Operation, QuantifiableOperator, SimpleOperator, TextSearchOperator } from '../request/ast.ts'
import type { QualifiedName } from '../schema-cache/model.ts'
import { callFunction, column, field } from './fields.ts'

const SIMPLE: Record<SimpleOperator, Sql> = {
  neq: sql`<>`,
  cs: sql`@>`,
  cd: sql`<@`,
  ov: sql`&&`,
  sl: sql`<<`,
  sr: sql`>>`,
  nxr: sql`&<`,
  nxl: sql`&>`,
  adj: sql`-|-`,
}

const QUANTIFIABLE: Record<QuantifiableOperator, Sql> = {
  eq: sql`=`,
  gte: sql`>=`,
  gt: sql`>`,
  lte: sql`<=`,
  lt: sql`<`,
  like: sql`like`,
  ilike: sql`ilike`,
  match: sql`~`,
  imatch: sql`~*`,
}

const TEXT_SEARCH: Record<TextSearchOperator, Sql> = {
  fts: sql`to_tsquery`,
  plfts: sql`plainto_tsquery`,
  phfts: sql`phraseto_tsquery`,
  wfts: sql`websearch_to_tsquery`,
}

// Keywords can't be parameters, so the parser accepts only these.
const IS: Record<IsOperand, Sql> = {
  null: sql`null`,
  not_null: sql`not null`,
  true: sql`true`,
  false: sql`false`,
  unknown: sql`unknown`,
}

const LOGIC = { and: ' and ', or: ' or ' } as const

/** Writes an `embedIsNull` condition: a test of the join in a read, a subquery in a count. */
export type EmbedTest = (not: boolean, alias: string) => Sql

const joinedEmbed: EmbedTest = (not, alias) =>
  not ? sql`${identifier(alias)} is distinct from null` : sql`${identifier(alias)} is not distinct from null`

export function where(table: QualifiedName, tree: WhereTree, embedTest: EmbedTest = joinedEmbed): Sql {
  switch (tree.kind) {
    case 'logic': {
      const operands = tree.operands.map((operand) => where(table, operand, embedTest))
      return sql`${tree.not ? sql`not ` : empty}(${join(operands, LOGIC[tree.operator])})`
    }
    case 'embedIsNull':
      return embedTest(tree.not, tree.alias)
    case 'filter': {
      const { not, operation } = tree.condition
      return sql`${not ? sql`not ` : empty}${field(table, tree.field)} ${comparison(operation, tree.field)}`
    }
  }
}

function comparison(operation: Operation, compared: ResolvedField): Sql {
  switch (operation.kind) {
    case 'simple':
      return sql`${SIMPLE[operation.operator]} ${parsed(sql`${operation.value}`, compared)}`
    case 'quantified': {
      const isLike = operation.operator === 'like' || operation.operator === 'ilike'
      // In a URL `*` needs no encoding, `%` does.
      const value = isLike ? sql`${operation.value.replaceAll('*', '%')}` : parsed(sql`${operation.value}`, compared)
      return sql`${QUANTIFIABLE[operation.operator]} ${quantified(value, operation.quantifier)}`
    }
    case 'in':
      return isEmptyList(operation.values) ? sql`= any('{}')` : sql`= any(${listOf(operation.values, compared)})`
    case 'is':
      return sql`is ${IS[operation.operand]}`
    case 'isdistinct':
      return sql`is distinct from ${operation.value}`
    case 'fts': {
      const query =
        operation.language === null ? sql`${operation.value}` : sql`${operation.language}, ${operation.value}`
      return sql`@@ ${TEXT_SEARCH[operation.operator]}(${query})`
    }
  }
}

const quantified = (value: Sql, quantifier: 'any' | 'all' | null): Sql =>
  quantifier === null ? value : quantifier === 'any' ? sql`any(${value})` : sql`all(${value})`

/** A domain may have a function that parses its values from text. */
const parsed = (value: Sql, { transform }: ResolvedField): Sql =>
  transform === null ? value : callFunction(transform, value)

const isEmptyList = (values: readonly string[]): boolean => values.length === 1 && values[0] === ''

/** Passes all values as one parameter, so that the statement doesn't depend on their number. */
function listOf(values: readonly string[], { transform }: ResolvedField): Sql {
  const literal = arrayLiteral(values)
  return transform === null
    ? sql`${literal}`
    : sql`(select ${callFunction(transform, sql`unnest(${literal}::text[])`)})`
}

/** Writes an array in Postgres' text format, which infers the element type from the comparison's other side. */
const arrayLiteral = (values: readonly string[]): string =>
  `{${values.map((value) => `"${value.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`).join(',')}}`

export const joinCondition = ([left, right]: JoinCondition): Sql =>
  sql`${column(left.table, left.column)} = ${column(right.table, right.column)}`
