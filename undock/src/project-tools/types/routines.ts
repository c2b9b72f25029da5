import { type Argument, type Catalog, compareNames, type Relation, type Routine, type Type } from './catalog.ts'

/** Finds a type by name and schema; null if the catalog doesn't list it. */
export type TypeName = { readonly type: string; readonly typeSchema: string } | null

/** One signature of a function that the Data API can call.
 *  @property relation The table or view whose row it returns.
 *  @property table The columns of `returns table`.
 *  @property embedding How its rows can be embedded, as a relation's.
 *  @property computedFieldOf The relation that it is a computed field of.
 *  @property error Why PostgREST cannot call it. */
export type Overload = {
  readonly args: readonly { readonly name: string; readonly type: TypeName; readonly hasDefault: boolean }[]
  readonly returns: TypeName
  readonly relation: number | null
  readonly table: readonly { readonly name: string; readonly type: TypeName }[]
  readonly returnsSet: boolean
  readonly embedding: { from: string; to: string; isOneToOne: boolean; isSet: boolean } | null
  readonly computedFieldOf: number | null
  readonly error: string | null
}

export type CallableFunction = {
  readonly schema: string
  readonly name: string
  readonly overloads: readonly Overload[]
}

type Candidate = { readonly routine: Routine; readonly inputs: readonly Argument[] }

/** The types of a single unnamed argument that receives the request's body: json, jsonb, text. */
const BODY_TYPES = [114, 3802, 25]

/** The functions of a catalog's schemas, by schema and name. */
export function callableFunctions({ relations, columns, types, routines }: Catalog): CallableFunction[] {
  const typeOf = new Map(types.map((type) => [type.id, type]))
  const relationOf = new Map(relations.map((relation) => [relation.id, relation]))
  const columnNames = new Set(columns.map(({ table, name }) => `${table}.${name}`))
  const rowTypeOf = (id: number): Type | undefined => {
    const type = typeOf.get(id)
    return type?.relation === null ? undefined : type
  }
  const nameOf = (id: number): TypeName => {
    const type = typeOf.get(id)
    return type ? { type: type.name, typeSchema: type.schema } : null
  }

  const isCallable = ({ inputs }: Candidate): boolean => {
    const [first, ...others] = inputs
    return (
      first === undefined ||
      inputs.every(({ name }) => name !== '') ||
      inputs.every(({ name, hasDefault, type }) => name !== '' || (hasDefault && BODY_TYPES.includes(type))) ||
      (others.length === 0 && (BODY_TYPES.includes(first.type) || rowTypeOf(first.type) !== undefined))
    )
  }

  /** Returns the relation that a function extends with a computed field, unless a column has its name. */
  function computedFieldOf({ routine, inputs: [first, ...others] }: Candidate): number | null {
    if (!first || others.length > 0) return null
    const row = rowTypeOf(first.type)
    let relation: Relation | undefined
    if (row) relation = relationOf.get(row.relation ?? 0)
    else if (!typeOf.has(first.type))
      relation = relations.find(({ schema, name }) => schema === routine.schema && name === routine.argumentsText)
    if (!relation || relation.schema !== routine.schema) return null
    return columnNames.has(`${relation.id}.${routine.name}`) ? null : relation.id
  }

  const typeText = (id: number): string => typeOf.get(id)?.name ?? 'unknown'
  const chooseText = (candidates: string): string =>
    `Could not choose the best candidate function between: ${candidates}. Try renaming the parameters or the function itself in the database so function overloading can be resolved`

  function errorOf(candidate: Candidate, all: readonly Candidate[]): string | null {
    const { routine, inputs } = candidate
    const full = `${routine.schema}.${routine.name}`
    const [first] = inputs
    const others = all.filter((one) => one !== candidate)
    const single = inputs.length === 1 ? first : undefined
    if (inputs.length === 0) {
      const rival = others.find(
        ({ inputs: [only, ...more] }) => more.length === 0 && only?.name === '' && only.hasDefault,
      )
      if (rival) return chooseText(`${full}(), ${full}( => ${typeText(rival.routine.returnType)})`)
    }
    if (single && single.name !== '') {
      const rivals = others.filter(
        ({ inputs: [only, ...more] }) => more.length === 0 && only?.name === single.name && only.type !== single.type,
      )
      if (rivals.length > 0)
        return chooseText(
          [candidate, ...rivals]
            .sort((a, b) => (a.inputs[0]?.type ?? 0) - (b.inputs[0]?.type ?? 0))
            .map((one) => `${full}(${one.inputs.map(({ name, type }) => `${name} => ${typeText(type)}`).join(', ')})`)
            .join(', '),
        )
    }
    if (single && single.name === '' && rowTypeOf(single.type))
      return `the function ${full} with parameter or with a single unnamed json/jsonb parameter, but no matches were found in the schema cache`
    return null
  }

  function embeddingOf({ args, returnType, returnRelation, returnsSet, rows }: Routine): Overload['embedding'] {
    if (returnRelation === null) return null
    const to = relationOf.get(returnRelation)?.name ?? rowTypeOf(returnType)?.name
    if (to === undefined) return null
    const [only, ...more] = args
    const source = only && more.length === 0 ? rowTypeOf(only.type) : undefined
    const isOneToOne = (source !== undefined && !returnsSet) || !(rows !== null && rows > 1)
    return { from: source?.text ?? '*', to, isOneToOne, isSet: returnsSet }
  }

  const named = ({ name, type }: Argument) => ({ name, type: nameOf(type) })
  const byName = (a: { name: string }, b: { name: string }): number => compareNames(a.name, b.name)
  const overloadOf = (candidate: Candidate, all: readonly Candidate[]): Overload => {
    const { routine, inputs } = candidate
    const { args, returnType, returnRelation, returnsSet } = routine
    return {
      args: inputs.map((one) => ({ ...named(one), hasDefault: one.hasDefault })).sort(byName),
      returns: nameOf(returnType),
      relation: returnRelation !== null && relationOf.has(returnRelation) ? returnRelation : null,
      table: args
        .filter(({ mode }) => mode === 't')
        .map(named)
        .sort(byName),
      returnsSet,
      embedding: embeddingOf(routine),
      computedFieldOf: computedFieldOf(candidate),
      error: errorOf(candidate, all),
    }
  }

  const candidates = routines
    .map((routine): Candidate => ({ routine, inputs: routine.args.filter(({ mode }) => 'ibv'.includes(mode)) }))
    .filter(isCallable)
    .sort(
      ({ routine: a }, { routine: b }) =>
        compareNames(a.schema, b.schema) ||
        compareNames(a.name, b.name) ||
        compareNames(a.argumentsText, b.argumentsText) ||
        compareNames(a.returnText, b.returnText) ||
        a.id - b.id,
    )
  const groups = Map.groupBy(candidates, ({ routine }) => JSON.stringify([routine.schema, routine.name]))
  return [...groups.values()].flatMap((all) => {
    const [first] = all
    if (!first) return []
    const { schema, name } = first.routine
    return [{ schema, name, overloads: all.map((one) => overloadOf(one, all)) }]
  })
}
