import {
  type ForeignRelationship,
  type Relationship,
  relationshipKey,
  type SchemaCache,
} from '../schema-cache/model.ts'
import type { EmbedReference } from './model.ts'
import { relationshipAmbiguous, relationshipNotFound } from './not-found.ts'

/** @throws PGRST200 when no relationship matches, PGRST201 when several do. */
export function findRelationship(cache: SchemaCache, reference: EmbedReference): Relationship {
  const { schema, origin, target, hint } = reference
  const candidates = cache.relationships.get(relationshipKey({ schema, name: origin }, schema)) ?? []
  const found = candidates.filter((relationship) =>
    relationship.kind === 'computed' ? relationship.function.name === target : matches(relationship, target, hint),
  )
  const [first] = found
  if (first === undefined) throw relationshipNotFound(cache, reference)
  if (found.length > 1) throw relationshipAmbiguous(origin, target, found)
  return first
}

function matches(relationship: ForeignRelationship, target: string, hint: string | null): boolean {
  const { cardinality, foreignTable, foreignIsView, isSelf } = relationship
  const isTable = target === foreignTable.name
  const isOneToMany = cardinality.kind === 'one-to-many'
  if (isSelf) {
    // One foreign key is both directions: the table's name means the children, the column's name the parent.
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
