import type { MediaType } from '../media-type.ts'

/** A name with its schema, which is empty for generated names such as aliases. */
export type QualifiedName = { readonly schema: string; readonly name: string }

export type Column = {
  readonly name: string
  readonly description: string | null
  readonly nullable: boolean
  /** The type, or a domain's built-in base type. Built-in types have no modifiers. */
  readonly type: string
  readonly nominalType: string
  readonly maxLength: number | null
  /** An SQL expression, as Postgres prints it. */
  readonly default: string | null
  readonly enum: readonly string[]
}

export type Table = QualifiedName & {
  readonly description: string | null
  readonly isView: boolean
  readonly insertable: boolean
  readonly updatable: boolean
  readonly deletable: boolean
  readonly primaryKey: readonly string[]
  readonly columns: ReadonlyMap<string, Column>
}

/** Pairs of equal columns: the origin's and the target's. */
export type ColumnPairs = readonly (readonly [string, string])[]

type Junction = {
  readonly table: QualifiedName
  readonly sourceConstraint: string
  readonly targetConstraint: string
  /** Column of the origin, column of the junction. */
  readonly sourceColumns: ColumnPairs
  readonly targetColumns: ColumnPairs
}

type Cardinality =
  | {
      readonly kind: 'one-to-many' | 'many-to-one' | 'one-to-one'
      readonly constraint: string
      readonly columns: ColumnPairs
      readonly isParent: boolean
    }
  | { readonly kind: 'many-to-many'; readonly junction: Junction }

export type ForeignRelationship = {
  readonly kind: 'foreign'
  readonly table: QualifiedName
  readonly foreignTable: QualifiedName
  readonly isSelf: boolean
  readonly cardinality: Cardinality
  readonly tableIsView: boolean
  readonly foreignIsView: boolean
}

export type ComputedRelationship = {
  readonly kind: 'computed'
  readonly function: QualifiedName
  readonly table: QualifiedName
  readonly foreignTable: QualifiedName
  readonly isToOne: boolean
  readonly isSelf: boolean
}

export type Relationship = ForeignRelationship | ComputedRelationship

export const isToOne = (relationship: Relationship): boolean =>
  relationship.kind === 'computed'
    ? relationship.isToOne
    : relationship.cardinality.kind === 'many-to-one' || relationship.cardinality.kind === 'one-to-one'

export type RoutineParameter = {
  readonly name: string
  readonly type: string
  /** The type for values of any length (`bit varying` for `bit`). */
  readonly unlimitedType: string
  readonly required: boolean
  readonly variadic: boolean
}

export type Routine = QualifiedName & {
  readonly description: string | null
  readonly parameters: readonly RoutineParameter[]
  readonly returns: { readonly type: QualifiedName; readonly set: boolean; readonly composite: boolean }
  readonly volatility: 'volatile' | 'stable' | 'immutable'
  readonly hasVariadic: boolean
  readonly isolation: 'read committed' | 'repeatable read' | 'serializable' | null
  /** `set name to value` settings of its definition that apply to the whole transaction. */
  readonly settings: Readonly<Record<string, string>>
}

export const returnsSingle = ({ returns }: Routine): boolean => !returns.set
export const returnsScalar = ({ returns }: Routine): boolean => !returns.set && !returns.composite
export const returnsSetOfScalar = ({ returns }: Routine): boolean => returns.set && !returns.composite
export const returnsSingleComposite = ({ returns }: Routine): boolean => !returns.set && returns.composite
export const returnsVoid = (routine: Routine): boolean =>
  returnsScalar(routine) && routine.returns.type.schema === 'pg_catalog' && routine.returns.type.name === 'void'

export type MediaHandler =
  | { readonly kind: 'json' | 'csv' | 'geojson' | 'none' }
  | { readonly kind: 'strippedArray' }
  | { readonly kind: 'object'; readonly stripNulls: boolean }
  | {
      readonly kind: 'custom'
      readonly function: QualifiedName
      readonly target: QualifiedName | null
      /** Converts the body to bytes, in Postgres' binary format; null if its text is sent. */
      readonly send: QualifiedName | null
    }

export type ResolvedHandler = { readonly handler: MediaHandler; readonly media: MediaType }

export type SchemaCache = {
  readonly schemas: readonly string[]
  readonly tables: ReadonlyMap<string, Table>
  /** By origin and the target's schema, see `relationshipKey`. */
  readonly relationships: ReadonlyMap<string, readonly Relationship[]>
  readonly routines: ReadonlyMap<string, readonly Routine[]>
  /** The function that converts one type to another, by `representationKey`. */
  readonly representations: ReadonlyMap<string, string>
  readonly mediaHandlers: ReadonlyMap<string, ResolvedHandler>
}

const SEPARATOR = '\u0000'

export const keyOf = ({ schema, name }: QualifiedName): string => `${schema}${SEPARATOR}${name}`
export const nameOfKey = (key: string): QualifiedName => {
  const [schema = '', name = ''] = key.split(SEPARATOR)
  return { schema, name }
}
export const relationshipKey = (origin: QualifiedName, foreignSchema: string): string =>
  `${keyOf(origin)}${SEPARATOR}${foreignSchema}`
export const representationKey = (source: string, target: string): string => `${source}${SEPARATOR}${target}`
/** @param target The handler's argument type; null for any. */
export const handlerKey = (target: QualifiedName | null, mediaType: string): string =>
  `${target === null ? '' : keyOf(target)}${SEPARATOR}${mediaType}`

export const sameName = (one: QualifiedName, other: QualifiedName): boolean =>
  one.schema === other.schema && one.name === other.name
