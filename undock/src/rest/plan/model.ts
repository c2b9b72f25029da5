import type { MediaType } from '../media-type.ts'
import { isAllRows, type RowRange } from '../range.ts'
import type { AggregateFunction, Condition, JoinType, JsonOperation } from '../request/ast.ts'
import type { JsonText } from '../request/payload.ts'
import type { Mutation } from '../request/request.ts'
import {
  isToOne,
  type MediaHandler,
  type QualifiedName,
  type Relationship,
  type Routine,
  type RoutineParameter,
} from '../schema-cache/model.ts'

/** A request's field with its metadata from the schema cache. */
export type ResolvedField = {
  readonly name: string
  readonly path: readonly JsonOperation[]
  /** Whether to cast the column to jsonb before applying arrows. */
  readonly toJson: boolean
  /** Wraps columns of other types in to_tsvector, for text search. */
  readonly textSearch: { readonly language: string | null } | null
  readonly type: string
  readonly baseType: string
  /** The function that converts the value to or from its representation. */
  readonly transform: string | null
  readonly default: string | null
  readonly fullRow: boolean
}

export const unknownField = (name: string, path: readonly JsonOperation[] = []): ResolvedField => ({
  name,
  path,
  toJson: false,
  textSearch: null,
  type: '',
  baseType: '',
  transform: null,
  default: null,
  fullRow: false,
})

export type SelectField = {
  readonly field: ResolvedField
  readonly aggregate: AggregateFunction | null
  readonly aggregateCast: string | null
  readonly cast: string | null
  readonly alias: string | null
}

export const plainSelect = (field: ResolvedField, alias: string | null = null): SelectField => ({
  field,
  aggregate: null,
  aggregateCast: null,
  cast: null,
  alias,
})

export type WhereTree =
  | {
      readonly kind: 'logic'
      readonly not: boolean
      readonly operator: 'and' | 'or'
      readonly operands: readonly WhereTree[]
    }
  | { readonly kind: 'filter'; readonly field: ResolvedField; readonly condition: Condition }
  /** Tests whether an embedded resource has no rows; `alias` is its aggregate alias. */
  | { readonly kind: 'embedIsNull'; readonly not: boolean; readonly alias: string }

export type OrderBy = {
  /** The aggregate alias of the embedded to-one resource to order by; null for the resource itself. */
  readonly relation: string | null
  readonly field: ResolvedField
  readonly direction: 'asc' | 'desc' | null
  readonly nulls: 'first' | 'last' | null
}

export type JoinCondition = readonly [left: ColumnOf, right: ColumnOf]
type ColumnOf = { readonly table: QualifiedName; readonly column: string }

export type SpreadField = {
  readonly name: string
  readonly aggregate: AggregateFunction | null
  readonly aggregateCast: string | null
  readonly alias: string | null
}

export type RelationSelect =
  | { readonly kind: 'object' | 'array'; readonly name: string; readonly alias: string; readonly empty: boolean }
  | { readonly kind: 'spread'; readonly alias: string; readonly fields: readonly SpreadField[] }

type Spread =
  | { readonly kind: 'to-one' }
  | {
      readonly kind: 'to-many'
      /** Columns that the inner query only selects for ordering the aggregate. */
      readonly extraSelect: readonly { readonly relation: string | null; readonly item: SelectField }[]
      readonly order: readonly OrderBy[]
    }

/** A resource of a read, with its embedded resources. */
export type ReadPlan = {
  readonly select: readonly SelectField[]
  readonly from: QualifiedName
  readonly fromAlias: string | null
  readonly where: readonly WhereTree[]
  readonly order: readonly OrderBy[]
  readonly range: RowRange
  /** The name in the request; in the result `alias` replaces it. */
  readonly name: string
  readonly alias: string | null
  /** Whether a parameter names this resource by the name that its alias replaces. */
  readonly isNamedDespiteAlias: boolean
  readonly hint: string | null
  readonly join: JoinType | null
  readonly relationship: Relationship | null
  /** The table or CTE whose row is passed to a computed relationship's function. */
  readonly computedFrom: QualifiedName | null
  readonly joinConditions: readonly JoinCondition[]
  readonly aggregateAlias: string
  readonly spread: Spread | null
  readonly relationSelect: readonly RelationSelect[]
  readonly depth: number
  readonly children: readonly ReadPlan[]
}

/** Returns whether the resource is the single row of a foreign key, without its own range. */
export const isOneRow = ({ relationship, range }: ReadPlan): boolean =>
  relationship?.kind === 'foreign' && isToOne(relationship) && !relationship.foreignIsView && isAllRows(range)

export type MutatePlan =
  | {
      readonly kind: 'insert'
      readonly into: QualifiedName
      readonly columns: readonly ResolvedField[]
      readonly body: JsonText
      readonly onConflict: {
        readonly resolution: 'merge-duplicates' | 'ignore-duplicates'
        readonly columns: readonly string[]
      } | null
      readonly where: readonly WhereTree[]
      readonly returning: readonly string[]
      readonly primaryKey: readonly string[]
      readonly applyDefaults: boolean
    }
  | {
      readonly kind: 'update'
      readonly table: QualifiedName
      readonly columns: readonly ResolvedField[]
      readonly body: JsonText
      readonly where: readonly WhereTree[]
      readonly returning: readonly string[]
      readonly applyDefaults: boolean
    }
  | {
      readonly kind: 'delete'
      readonly from: QualifiedName
      readonly where: readonly WhereTree[]
      readonly returning: readonly string[]
    }

/** A variadic parameter's repeated argument is a list. */
export type Argument = string | readonly string[]

export type CallPlan = {
  readonly routine: Routine
  readonly parameters:
    | { readonly kind: 'named'; readonly given: readonly RoutineParameter[] }
    | { readonly kind: 'whole'; readonly parameter: RoutineParameter }
  readonly arguments:
    | { readonly kind: 'direct'; readonly values: ReadonlyMap<string, Argument> }
    | { readonly kind: 'json'; readonly body: JsonText }
    | { readonly kind: 'raw'; readonly bytes: Buffer }
  readonly filterFields: readonly string[]
  readonly returning: readonly string[]
}

/** The root's required number of rows; otherwise the request is rolled back. */
export type RowCountGuard =
  | { readonly kind: 'single' }
  | { readonly kind: 'matchesKey' }
  | { readonly kind: 'maxAffected'; readonly maxRows: number }

type PlanBase = { readonly read: ReadPlan; readonly handler: MediaHandler; readonly media: MediaType }

export type Plan =
  | (PlanBase & { readonly kind: 'read'; readonly target: QualifiedName; readonly headersOnly: boolean })
  | (PlanBase & {
      readonly kind: 'mutate'
      readonly target: QualifiedName
      readonly mutation: Mutation
      readonly mutate: MutatePlan
    })
  | (PlanBase & {
      readonly kind: 'call'
      readonly target: QualifiedName
      readonly method: 'GET' | 'HEAD' | 'POST'
      readonly call: CallPlan
    })
  | { readonly kind: 'inspect'; readonly headersOnly: boolean }
  | { readonly kind: 'info'; readonly allow: string }

export type QueryPlan = Extract<Plan, { kind: 'read' | 'mutate' | 'call' }>

export type RoutineCall = {
  readonly target: QualifiedName
  readonly argumentNames: readonly string[]
  readonly contentType: MediaType
  readonly isPost: boolean
}

export type EmbedReference = {
  readonly schema: string
  readonly origin: string
  /** A table or view, a foreign key's name or column, or a computed relationship. */
  readonly target: string
  /** The foreign key, one of its columns, or the junction table. */
  readonly hint: string | null
}
