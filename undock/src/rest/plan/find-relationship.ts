import {
  type ForeignRelationship,
  type Relationship,
  relationshipKey,
  type SchemaCache,
} from '../schema-cache/model.ts'
import { relationshipAmbiguous, relationshipNotFound } from './not-found.ts'

/** The one relationship from a resource to what its request calls `target`: a table or view, a foreign key's name or
 *  column, a computed relationship. A hint names the key, one of its columns, or the junction.
 *  @throws PGRST200 when there is none, PGRST201 when there are several. */
export function findRelationship(
  cache: SchemaCache,
  schema: string,
  origin: string,
  target: string,
  hint: string | null,
): Relationship {
  const known = cache.relationships.get(relationshipKey({ schema, name: origin }, schema)) ?? []
  const found = known.filter((relationship) =>
    relationship.kind === 'computed' ? relationship.function.name === target : matches(relationship, target, hint),
  )
  const [first] = found
  if (first === undefined) throw relationshipNotFound(cache, schema, origin, target, hint)
  if (found.length > 1) throw relationshipAmbiguous(origin, target, found)
  return first
}

function matches(relationship: ForeignRelationship, target: string, hint: string | null): boolean {
  const { cardinality, foreignTable, foreignIsView, isSelf } = relationship
  const isTable = target === foreignTable.name
  const isOneToMany = cardinality.kind === 'one-to-many'
  if (isSelf) {
    // One key stands for both directions: the table's name means its children, the column's name the parent.
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
