import {
  type ForeignRelationship,
  isToOne,
  type QualifiedName,
  type Relationship,
  relationshipKey,
  type SchemaCache,
} from '../schema-cache/model.ts'
import type { EmbedReference, JoinCondition, ReadPlan } from './model.ts'
import { relationshipAmbiguous, relationshipNotFound } from './not-found.ts'

/** The CTE with the query of a read, mutation or call. */
export const SOURCE_CTE = 'pgrst_source'

export type AddRelationshipsOptions = {
  readonly schema: string
  readonly isFromSource: boolean
}

/** Finds each embedded resource's relationship to its parent. */
export function addRelationships(
  root: ReadPlan,
  cache: SchemaCache,
  { schema, isFromSource }: AddRelationshipsOptions,
): ReadPlan {
  const plan = isFromSource ? { ...root, from: { schema: '', name: SOURCE_CTE }, fromAlias: root.from.name } : root
  return { ...plan, children: plan.children.map((child) => relate(child, plan, schema, cache)) }
}

function relate(plan: ReadPlan, parent: ReadPlan, schema: string, cache: SchemaCache): ReadPlan {
  // Only the root's alias is a table name; other aliases are generated.
  const origin = plan.depth === 1 ? (parent.fromAlias ?? parent.from.name) : parent.from.name
  const relationship = findRelationship(cache, { schema, origin, target: plan.name, hint: plan.hint })
  const alias = `${relationship.foreignTable.name}_${plan.depth}`
  const isJunction = relationship.kind === 'foreign' && relationship.cardinality.kind === 'many-to-many'
  const fromAlias = isJunction ? null : alias
  const related: ReadPlan = {
    ...plan,
    from: relationship.foreignTable,
    fromAlias,
    relationship,
    computedFrom:
      relationship.kind === 'computed'
        ? parent.fromAlias === null
          ? relationship.table
          : { schema: '', name: parent.fromAlias }
        : null,
    aggregateAlias: `${relationship.table.name}_${plan.alias ?? plan.name}_${plan.depth}`,
    joinConditions: joinConditions(relationship, fromAlias, parent.fromAlias),
    spread:
      plan.spread !== null && !isToOne(relationship) ? { kind: 'to-many', extraSelect: [], order: [] } : plan.spread,
  }
  return { ...related, children: plan.children.map((child) => relate(child, related, schema, cache)) }
}

function joinConditions(
  relationship: Relationship,
  alias: string | null,
  parentAlias: string | null,
): readonly JoinCondition[] {
  if (relationship.kind === 'computed') return []
  const { table, foreignTable, cardinality } = relationship
  const named = (given: string | null, name: QualifiedName): QualifiedName =>
    given === null ? { schema: table.schema, name: name.name } : { schema: '', name: given }
  if (cardinality.kind !== 'many-to-many') {
    return cardinality.columns.map(([own, foreign]) => [
      { table: named(parentAlias, table), column: own },
      { table: named(alias, foreignTable), column: foreign },
    ])
  }
  const { junction } = cardinality
  return [
    ...junction.targetColumns.map(
      ([target, own]): JoinCondition => [
        { table: named(null, foreignTable), column: target },
        { table: named(null, junction.table), column: own },
      ],
    ),
    ...junction.sourceColumns.map(
      ([source, own]): JoinCondition => [
        { table: named(parentAlias, table), column: source },
        { table: named(null, junction.table), column: own },
      ],
    ),
  ]
}

/** @throws PGRST200 if no relationship matches, PGRST201 if several do. */
function findRelationship(cache: SchemaCache, reference: EmbedReference): Relationship {
  const { schema, origin, target, hint } = reference
  const candidates = cache.relationships.get(relationshipKey({ schema, name: origin }, schema)) ?? []
  const matching = candidates.filter((relationship) =>
    relationship.kind === 'computed' ? relationship.function.name === target : matches(relationship, target, hint),
  )
  const [first] = matching
  if (first === undefined) throw relationshipNotFound(cache, reference)
  if (matching.length > 1) throw relationshipAmbiguous(origin, target, matching)
  return first
}

function matches(relationship: ForeignRelationship, target: string, hint: string | null): boolean {
  const { cardinality, foreignTable, foreignIsView, isSelf } = relationship
  const isTable = target === foreignTable.name
  const isOneToMany = cardinality.kind === 'one-to-many'
  if (isSelf) {
    // A foreign key goes both ways: the table's name means the children, the column's name the parent.
    if (hint !== null) return isTable && isOneToMany && isForeignColumn(relationship, hint)
    return (isTable && isOneToMany) || (cardinality.kind === 'many-to-one' && isOwnColumn(relationship, target))
  }
  if (hint === null) {
    return isTable || (!foreignIsView && (isConstraint(relationship, target) || isOwnColumn(relationship, target)))
  }
  return (
    isTable &&
    (isConstraint(relationship, hint) ||
      isOwnColumn(relationship, hint) ||
      isForeignColumn(relationship, hint) ||
      (cardinality.kind === 'many-to-many' && cardinality.junction.table.name === hint))
  )
}

const isConstraint = ({ cardinality }: ForeignRelationship, name: string): boolean =>
  cardinality.kind !== 'many-to-many' && cardinality.constraint === name

const isOwnColumn = ({ cardinality }: ForeignRelationship, name: string): boolean =>
  cardinality.kind !== 'many-to-many' && cardinality.columns.length === 1 && cardinality.columns[0]?.[0] === name

const isForeignColumn = ({ cardinality }: ForeignRelationship, name: string): boolean =>
  cardinality.kind !== 'many-to-many' && cardinality.columns.length === 1 && cardinality.columns[0]?.[1] === name
