/** A request's syntax tree, as written by the client: no name has been looked up yet. */

export type JsonOperation = {
  readonly arrow: '->' | '->>'
  /** An index keeps its sign (`+1`, `-2`), like in Postgres. */
  readonly operand: { readonly kind: 'key' | 'index'; readonly value: string }
}

export type Field = { readonly name: string; readonly path: readonly JsonOperation[] }

export type AggregateFunction = 'sum' | 'avg' | 'max' | 'min' | 'count'

export type FieldItem = {
  readonly kind: 'field'
  readonly field: Field
  readonly aggregate: AggregateFunction | null
  readonly aggregateCast: string | null
  readonly cast: string | null
  readonly alias: string | null
}

export type JoinType = 'inner' | 'left'

export type RelationItem = {
  readonly kind: 'relation'
  readonly name: string
  readonly alias: string | null
  readonly hint: string | null
  readonly join: JoinType | null
  readonly spread: boolean
  readonly select: readonly SelectItem[]
}

export type SelectItem = FieldItem | RelationItem

/** Names of operators. The first match wins, so names come before their prefixes. */
export const SIMPLE_OPERATORS = ['neq', 'cs', 'cd', 'ov', 'sl', 'sr', 'nxr', 'nxl', 'adj'] as const
export const QUANTIFIABLE_OPERATORS = ['eq', 'gte', 'gt', 'lte', 'lt', 'like', 'ilike', 'match', 'imatch'] as const
export const TEXT_SEARCH_OPERATORS = ['fts', 'plfts', 'phfts', 'wfts'] as const
export type SimpleOperator = (typeof SIMPLE_OPERATORS)[number]
export type QuantifiableOperator = (typeof QUANTIFIABLE_OPERATORS)[number]
export type TextSearchOperator = (typeof TEXT_SEARCH_OPERATORS)[number]
export type IsOperand = 'null' | 'not_null' | 'true' | 'false' | 'unknown'

export type Operation =
  | { readonly kind: 'simple'; readonly operator: SimpleOperator; readonly value: string }
  | {
      readonly kind: 'quantified'
      readonly operator: QuantifiableOperator
      readonly quantifier: 'any' | 'all' | null
      readonly value: string
    }
  | { readonly kind: 'in'; readonly values: readonly string[] }
  | { readonly kind: 'is'; readonly operand: IsOperand }
  | { readonly kind: 'isdistinct'; readonly value: string }
  | {
      readonly kind: 'fts'
      readonly operator: TextSearchOperator
      readonly language: string | null
      readonly value: string
    }

export type Condition = { readonly not: boolean; readonly operation: Operation }

export type Filter = { readonly field: Field } & Condition

export type LogicTree =
  | { readonly kind: 'filter'; readonly filter: Filter }
  | {
      readonly kind: 'logic'
      readonly not: boolean
      readonly operator: 'and' | 'or'
      readonly operands: readonly LogicTree[]
    }

export type OrderTerm = {
  /** The embedded to-one resource to order by; null for the resource itself. */
  readonly relation: string | null
  readonly field: Field
  readonly direction: 'asc' | 'desc' | null
  readonly nulls: 'first' | 'last' | null
}

/** Embedded resources from the root, by name or alias; empty for the root. */
export type EmbedPath = readonly string[]

export type AtPath<T> = { readonly path: EmbedPath; readonly value: T }
