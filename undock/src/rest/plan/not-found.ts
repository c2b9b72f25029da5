import type { ServiceError } from '../../kernel/service-error.ts'
import { restError } from '../errors.ts'
import { FuzzySet } from '../fuzzy-set.ts'
import { isNamed } from '../media-type.ts'
import {
  type ForeignRelationship,
  keyOf,
  nameOfKey,
  type QualifiedName,
  type Relationship,
  type Routine,
  relationshipKey,
  type SchemaCache,
} from '../schema-cache/model.ts'
import type { EmbedReference, RoutineCall } from './model.ts'

/** Minimum score for suggesting tables and functions: hints must not reveal all names of a schema. */
const MIN_HINT_SCORE = 0.75
/** In larger schemas, building the search index costs more than the hint is worth. */
const MAX_HINT_TABLES = 500

const tableSets = new WeakMap<SchemaCache, Map<string, FuzzySet>>()

/** @param alias The embedded resource's alias, if any. */
export const notEmbedded = (name: string, alias: string | null = null): ServiceError =>
  restError(
    'PGRST108',
    [name],
    alias === null
      ? { hint: `Verify that '${name}' is included in the 'select' query parameter.` }
      : {
          details: 'Target names are not allowed in filters if they have an alias',
          hint: `Change '${name}' to '${alias}' in filters, orders or limits.`,
        },
  )

export function tableNotFound(cache: SchemaCache, { schema, name }: QualifiedName): ServiceError {
  const sets = tableSets.get(cache) ?? new Map<string, FuzzySet>()
  tableSets.set(cache, sets)
  let set = sets.get(schema)
  if (!set) {
    const names = [...cache.tables.values()].filter((table) => table.schema === schema).map((table) => table.name)
    set = new FuzzySet(names.length < MAX_HINT_TABLES ? names : [])
    sets.set(schema, set)
  }
  const [best] = set.get(name, MIN_HINT_SCORE)
  const hint = best ? `Perhaps you meant the table '${schema}.${best.entry}'` : null
  return restError('PGRST205', [`${schema}.${name}`], { hint })
}

export function relationshipNotFound(cache: SchemaCache, reference: EmbedReference): ServiceError {
  const { schema, origin: parent, target: child, hint } = reference
  const between = `'${parent}' and '${child}'${hint === null ? '' : ` using the hint '${hint}'`}`
  const suggestion = suggestRelationship(cache, reference)
  return restError('PGRST200', [parent, child], {
    details: `Searched for a foreign key relationship between ${between} in the schema '${schema}', but no matches were found.`,
    hint: suggestion === null ? null : `Perhaps you meant ${suggestion}.`,
  })
}

function suggestRelationship(cache: SchemaCache, reference: EmbedReference): string | null {
  const { schema, origin: parent, target: child } = reference
  const relationships = cache.relationships.get(relationshipKey({ schema, name: parent }, schema))
  if (relationships) {
    const [best] = new FuzzySet(relationships.map(({ foreignTable }) => foreignTable.name))
      .get(child)
      .filter(({ score }) => score < 1)
    return best ? `'${best.entry}' instead of '${child}'` : null
  }
  const parents = [...cache.relationships.keys()].flatMap((key) => {
    const [, name = '', foreignSchema] = key.split('\u0000')
    return foreignSchema === schema ? [name] : []
  })
  const [best] = new FuzzySet(parents).get(parent)
  return best ? `'${best.entry}' instead of '${parent}'` : null
}

export function relationshipAmbiguous(parent: string, child: string, found: readonly Relationship[]): ServiceError {
  const foreign = found.filter((one) => one.kind === 'foreign')
  const choices = foreign.map((one) => `'${one.foreignTable.name}!${distinguishing(one)}'`).join(', ')
  return restError('PGRST201', [parent, child], {
    details: foreign.map(describeRelationship),
    hint: `Try changing '${child}' to one of the following: ${choices}. Find the desired relationship in the 'details' key.`,
  })
}

const distinguishing = ({ cardinality }: ForeignRelationship): string =>
  cardinality.kind === 'many-to-many' ? cardinality.junction.table.name : cardinality.constraint

function describeRelationship({ table, foreignTable, cardinality }: ForeignRelationship): Record<string, string> {
  const list = (columns: readonly string[]): string => `(${columns.join(', ')})`
  const second = (pairs: readonly (readonly [string, string])[]): string[] => pairs.map(([, column]) => column)
  let relationship: string
  if (cardinality.kind === 'many-to-many') {
    const { junction } = cardinality
    const source = `${junction.sourceConstraint}${list(second(junction.sourceColumns))}`
    const target = `${junction.targetConstraint}${list(second(junction.targetColumns))}`
    relationship = `${junction.table.name} using ${source} and ${target}`
  } else {
    const own = `${table.name}${list(cardinality.columns.map(([column]) => column))}`
    relationship = `${cardinality.constraint} using ${own} and ${foreignTable.name}${list(second(cardinality.columns))}`
  }
  return { cardinality: cardinality.kind, embedding: `${table.name} with ${foreignTable.name}`, relationship }
}

const WHOLE_BODY: Readonly<Record<string, string>> = {
  'text/plain': 'text',
  'text/xml': 'xml',
  'application/octet-stream': 'bytea',
}

export function routineNotFound(
  cache: SchemaCache,
  { target, argumentNames, contentType, isPost }: RoutineCall,
): ServiceError {
  const called = `${target.schema}.${target.name}`
  const wholeBodyType = isPost && contentType.kind === 'named' ? WHOLE_BODY[contentType.name] : undefined
  const names = argumentNames.join(', ')
  const withNames =
    argumentNames.length === 0
      ? ' without parameters'
      : ` with parameter${argumentNames.length > 1 ? 's' : ''} ${names}`
  const searched =
    wholeBodyType !== undefined
      ? ` with a single unnamed ${wholeBodyType} parameter`
      : isPost && isNamed(contentType, 'application/json')
        ? `${withNames} or with a single unnamed json/jsonb parameter`
        : withNames
  const listed = argumentNames.length === 0 ? ' without parameters' : `(${names})`
  const suggestion = wholeBodyType === undefined ? suggestRoutine(cache, target, argumentNames) : null
  return restError('PGRST202', [`${called}${wholeBodyType === undefined ? listed : ''}`], {
    details: `Searched for the function ${called}${searched}, but no matches were found in the schema cache.`,
    hint: suggestion === null ? null : `Perhaps you meant to call the function ${suggestion}`,
  })
}

function suggestRoutine(cache: SchemaCache, target: QualifiedName, argumentNames: readonly string[]): string | null {
  const overloads = cache.routines.get(keyOf(target)) ?? []
  if (overloads.length === 0) {
    const names = [...cache.routines.keys()].map(nameOfKey).filter(({ schema }) => schema === target.schema)
    const [best] = new FuzzySet(names.map(({ name }) => name)).get(target.name, MIN_HINT_SCORE)
    return best ? `${target.schema}.${best.entry}` : null
  }
  const listed = (names: readonly string[]): string => `(${[...names].sort().join(', ')})`
  const signatures = overloads.map(({ parameters }) => listed(parameters.map(({ name }) => name)))
  const [best] = new FuzzySet(signatures).get(listed(argumentNames))
  return best ? `${target.schema}.${target.name}${best.entry}` : null
}

export function routineAmbiguous(candidates: readonly Routine[]): ServiceError {
  const listed = candidates.map(({ schema, name, parameters }) => {
    const signature = parameters.map((parameter) => `${parameter.name} => ${parameter.type}`)
    return `${schema}.${name}(${signature.join(', ')})`
  })
  return restError('PGRST203', [listed.join(', ')], {
    hint: 'Try renaming the parameters or the function itself in the database so function overloading can be resolved',
  })
}
