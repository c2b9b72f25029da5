import { type Catalog, compareNames, type Relation } from './catalog.ts'
import { HELPER_TYPES } from './helper-types.ts'
import { type Relationship, relationshipsOf } from './relationships.ts'
import { type CallableFunction, callableFunctions, type Overload, type TypeName } from './routines.ts'
import { withNullability } from './view-trees.ts'

const quote = (text: string): string => JSON.stringify(text)

const STRINGS = [
  ...['bytea', 'bpchar', 'varchar', 'date', 'text', 'citext', 'time', 'timetz', 'timestamp', 'timestamptz', 'uuid'],
  ...['vector', 'interval'],
]
const SCALARS = new Map([
  ['bool', 'boolean'],
  ...['int2', 'int4', 'int8', 'float4', 'float8', 'numeric'].map((name) => [name, 'number'] as const),
  ...STRINGS.map((name) => [name, 'string'] as const),
  ['json', 'Json'],
  ['jsonb', 'Json'],
  ['void', 'undefined'],
  ['record', 'Record<string, unknown>'],
])

/** Returns a database's TypeScript types, byte for byte like `supabase gen types --lang typescript --local`, which leaves formatting to a
 *  formatter. @param extraSearchPath `[api] extra_search_path`: schemas whose views are resolved.
 *  @see @supabase/postgrest-typegen, `generateTypescript`, as supabase 3.1 contains it */
export function typescriptOf(catalog: Catalog, extraSearchPath: readonly string[]): string {
  const { relations, types } = catalog
  const byPlace = (a: { schema: string; name: string; id: number }, b: { schema: string; name: string; id: number }) =>
    compareNames(a.schema, b.schema) || compareNames(a.name, b.name) || a.id - b.id
  const schemas = catalog.schemas.toSorted(compareNames)
  const ordered = types.toSorted(byPlace)
  const kinds = (...some: Relation['kind'][]) =>
    some.flatMap((kind) => relations.filter((one) => one.kind === kind).toSorted(byPlace))
  const [tables, views] = [kinds('r', 'f'), kinds('v', 'm')]
  const relationById = new Map(relations.map((one) => [one.id, one]))
  const columns = withNullability(catalog.columns, catalog.views).sort((a, b) => compareNames(a.name, b.name))
  const columnsOf = Map.groupBy(columns, ({ table }) => table)
  const relationships = Map.groupBy(relationshipsOf(catalog, extraSearchPath), ({ schema, relation }) =>
    JSON.stringify([schema, relation]),
  )
  const functions = callableFunctions(catalog)
  const typeById = new Map(types.map((type) => [type.id, type]))

  /** The one in the schema, else the first with that name. */
  const nearest = <T extends { schema: string }>(found: readonly T[], schema: string): T | undefined =>
    found.find((one) => one.schema === schema) ?? found[0]

  const relationTypeOf = (name: string, schema: string): string | null => {
    const found = nearest(
      [...tables, ...views].filter((one) => one.name === name),
      schema,
    )
    if (!found || !schemas.includes(found.schema)) return null
    return `Database[${quote(found.schema)}]['${'rf'.includes(found.kind) ? 'Tables' : 'Views'}'][${quote(found.name)}]`
  }

  function typeText(name: string, schema: string): string {
    const scalar = SCALARS.get(name)
    if (scalar !== undefined) return scalar
    if (name.startsWith('_')) return `(${typeText(name.slice(1), schema)})[]`
    const named = ordered.filter((type) => type.name === name)
    const place = (kind: string, type: { schema: string }): string =>
      `Database[${quote(type.schema)}]['${kind}'][${quote(name)}]`
    const enumeration = nearest(
      named.filter(({ enums }) => enums.length > 0),
      schema,
    )
    if (enumeration)
      return schemas.includes(enumeration.schema) ? place('Enums', enumeration) : enumeration.enums.map(quote).join('|')
    const composite = nearest(
      named.filter(({ attributes }) => attributes.length > 0),
      schema,
    )
    if (composite) return schemas.includes(composite.schema) ? place('CompositeTypes', composite) : 'unknown'
    const relation = relationTypeOf(name, schema)
    return relation ? `${relation}['Row']` : 'unknown'
  }

  const typeOf = (type: TypeName): string => (type ? typeText(type.type, type.typeSchema) : 'unknown')

  const orNull = (type: string, isNullable: boolean): string => {
    if (type === 'Json' && !isNullable) return 'NonNullable<Json>'
    return type === 'unknown' || !isNullable ? type : `${type} | null`
  }

  const columnText = (
    { name, type, typeSchema }: { name: string; type: string; typeSchema: string },
    { isNullable, isOptional = false }: { isNullable: boolean; isOptional?: boolean },
  ): string => `${quote(name)}${isOptional ? '?' : ''}: ${orNull(typeText(type, typeSchema), isNullable)}`
  const never = ({ name }: { name: string }): string => `${quote(name)}?: never`

  const rowOf = (relation: number): string[] => (columnsOf.get(relation) ?? []).map((one) => columnText(one, one))

  const returnsText = (schema: string, { table, relation, returns }: Overload): string => {
    if (table.length > 0)
      return `{
              ${table.map(({ name, type }) => `${quote(name)}: ${typeOf(type)}`)}
            }`
    if (relation !== null && relationById.get(relation)?.schema === schema)
      return `{
              ${rowOf(relation).join(',\n')}
            }`
    return typeOf(returns)
  }

  const argumentText = ({ name, type, hasDefault }: Overload['args'][number]): string => {
    const text = typeOf(type)
    const relation = name !== '' && type ? relationTypeOf(type.type, type.typeSchema) : null
    const isRow = relation !== null && text === `${relation}['Row']`
    return `${quote(name)}${hasDefault ? '?' : ''}: ${isRow ? `Omit<${text}, ${relation}['ComputedFields']>` : text}`
  }

  function overloadText(schema: string, overload: Overload): string {
    const { args, error, embedding, returnsSet } = overload
    const inputs = args.length > 0 ? `{ ${args.map(argumentText)} }` : 'Record<PropertyKey, never>'
    const returns = error === null ? returnsText(schema, overload) : `{ error: true } & ${quote(error)}`
    const isArray = error === null && returnsSet && embedding?.isOneToOne !== true
    const options = embedding
      ? `SetofOptions: {
        from: ${quote(embedding.from)}
        to: ${quote(embedding.to)}
        isOneToOne: ${embedding.isOneToOne}
        isSetofReturn: ${embedding.isSet}
      }`
      : ''
    return `{ Args: ${inputs}; Returns: ${returns}${isArray ? '[]' : ''}
                          ${options} }`
  }

  const functionText = ({ schema, name, overloads }: CallableFunction): string =>
    `${quote(name)}:\n${overloads.map((one) => overloadText(schema, one)).join(' |\n')}`

  const relationshipText = (one: Relationship): string => `{
      foreignKeyName: ${quote(one.name)}
      columns: ${JSON.stringify(one.columns)}
isOneToOne: ${one.isOneToOne}
      referencedRelation: ${quote(one.referencedRelation)}
      referencedColumns: ${JSON.stringify(one.referencedColumns)}
    }`

  const computedFieldsOf = (own: readonly CallableFunction[], { id }: Relation) =>
    own.flatMap(({ name, overloads }) => {
      const found = overloads.find(({ computedFieldOf }) => computedFieldOf === id)
      return found ? [{ name, overload: found }] : []
    })

  /** Parts of tables and views before and after the writable columns. */
  function relationText(own: readonly CallableFunction[], relation: Relation, writable: string): string {
    const computed = computedFieldsOf(own, relation)
    const fields = computed.map(
      ({ name, overload }) => `${quote(name)}: ${orNull(returnsText(relation.schema, overload), true)}`,
    )
    const related = relationships.get(JSON.stringify([relation.schema, relation.name])) ?? []
    return `${quote(relation.name)}: {
                  Row: {
                    ${[...rowOf(relation.id), ...fields]}
                  }
                  ComputedFields: ${computed.length === 0 ? 'never' : computed.map(({ name }) => quote(name)).join(' | ')}
                  ${writable}Relationships: [
                    ${related.filter(({ referencedSchema }) => referencedSchema === relation.schema).map(relationshipText)}
                  ]
                }`
  }

  function tableText(own: readonly CallableFunction[], table: Relation): string {
    const all = columnsOf.get(table.id) ?? []
    const written = (isOptional: (column: (typeof all)[number]) => boolean): string[] =>
      all.map((one) => (one.isAlwaysGenerated ? never(one) : columnText(one, { ...one, isOptional: isOptional(one) })))
    return relationText(
      own,
      table,
      `Insert: {
                    ${written((one) => one.isNullable || one.isIdentity || one.hasDefault)}
                  }
                  Update: {
                    ${written(() => true)}
                  }
                  `,
    )
  }

  function viewText(own: readonly CallableFunction[], view: Relation): string {
    const all = columnsOf.get(view.id) ?? []
    const written = all.map((one) =>
      one.isUpdatable ? columnText(one, { isNullable: true, isOptional: true }) : never(one),
    )
    const part = (name: string, isThere: boolean): string =>
      isThere
        ? `${name}: {
                           ${written}
                         }
                        `
        : ''
    return relationText(own, view, part('Insert', view.takesInsert) + part('Update', view.takesUpdate))
  }

  const compositeText = ({ name, attributes }: (typeof types)[number]): string =>
    `${quote(name)}: {
                        ${attributes.map((one) => {
                          const type = typeById.get(one.type)
                          return `${quote(one.name)}: ${type ? orNull(typeText(type.name, type.schema), true) : 'unknown'}`
                        })}
                      }`

  const list = (texts: readonly string[]): string => (texts.length === 0 ? '[_ in never]: never' : texts.join(','))

  const schemaText = (schema: string): string => {
    const isHere = (one: { schema: string }): boolean => one.schema === schema
    const own = functions.filter(isHere)
    const byName = (a: { name: string }, b: { name: string }): number => compareNames(a.name, b.name)
    return `${quote(schema)}: {
          Tables: {
            ${list(
              tables
                .filter(isHere)
                .sort(byName)
                .map((one) => tableText(own, one)),
            )}
          }
          Views: {
            ${list(
              views
                .filter(isHere)
                .sort(byName)
                .map((one) => viewText(own, one)),
            )}
          }
          Functions: {
            ${own.length === 0 ? list([]) : own.map(functionText).join(',\n')}
          }
          Enums: {
            ${list(enumsOf(schema).map(({ name, enums }) => `${quote(name)}: ${enums.map(quote).join('|')}`))}
          }
          CompositeTypes: {
            ${list(ordered.filter((one) => isHere(one) && one.attributes.length > 0).map(compositeText))}
          }
        }`
  }

  const enumsOf = (schema: string) => ordered.filter((one) => one.schema === schema && one.enums.length > 0)

  const constantsText = (schema: string): string =>
    `${quote(schema)}: {
          Enums: {
            ${enumsOf(schema).map(({ name, enums }) => `${quote(name)}: [${enums.map(quote).join(', ')}]`)}
          }
        }`

  return `
export type Json = string | number | boolean | null | { [key: string]: Json | undefined } | Json[]

export type Database = {
  
  ${schemas.map(schemaText)}
}

type DatabaseWithoutInternals = Omit<Database, '__InternalSupabase'>

type DefaultSchema = DatabaseWithoutInternals[Extract<keyof Database, ${quote(schemas.includes('public') ? 'public' : (schemas[0] ?? 'public'))}>]

${HELPER_TYPES}
export const Constants = {
  ${schemas.map(constantsText)}
} as const
`
}
