import { isNamed, type MediaType } from '../media-type.ts'
import { type JsonText, sortedSet } from '../request/payload.ts'
import type { ApiRequest } from '../request/request.ts'
import { keyOf, type Routine, type SchemaCache } from '../schema-cache/model.ts'
import type { Argument, CallPlan, ReadPlan, RoutineCall, WhereTree } from './model.ts'
import { routineAmbiguous, routineNotFound } from './not-found.ts'
import { columnsNeeded } from './select-list.ts'

/** Returns the names of a request's arguments. */
export const argumentNames = ({ action, query, columns }: ApiRequest): readonly string[] =>
  action.kind === 'call' && action.method === 'POST' ? columns : sortedSet(query.arguments.map(([name]) => name))

const NO_ARGUMENTS: JsonText = { text: Buffer.from('{}'), isObject: true }

/** Chooses the overload for these arguments, otherwise one that takes the whole body as its only argument.
 *  @throws PGRST202 if no overload fits, PGRST203 if several do. */
export function findRoutine(call: RoutineCall, cache: SchemaCache): Routine {
  const { target, contentType, isPost } = call
  const overloads = cache.routines.get(keyOf(target)) ?? []
  const byName = overloads.filter((routine) => takesArguments(routine, call))
  const fallback = overloads.filter(
    (routine) => !byName.includes(routine) && isPost && takesWholeBody(routine, contentType),
  )
  const candidates = byName.length > 0 ? byName : fallback
  const [first] = candidates
  if (first === undefined) throw routineNotFound(cache, call)
  if (candidates.length > 1) throw routineAmbiguous(candidates)
  return first
}

function takesArguments({ parameters }: Routine, { argumentNames: names, contentType, isPost }: RoutineCall): boolean {
  if (parameters.length === 0) {
    const hasWholeBody = isPost && isNamed(contentType, 'application/octet-stream', 'text/plain', 'text/xml')
    return names.length === 0 && !hasWholeBody
  }
  const known = new Set(parameters.map(({ name }) => name))
  const given = new Set(names)
  return (
    names.every((name) => known.has(name)) && parameters.every(({ name, required }) => !required || given.has(name))
  )
}

/** Parameter types that accept a whole body, by media type. */
const WHOLE_BODY_TYPES: readonly (readonly [media: string, types: readonly string[]])[] = [
  ['application/json', ['json', 'jsonb']],
  ['text/plain', ['text']],
  ['text/xml', ['xml']],
  ['application/octet-stream', ['bytea']],
]

function takesWholeBody({ parameters }: Routine, contentType: MediaType): boolean {
  const [only] = parameters
  if (parameters.length !== 1 || only === undefined || only.name !== '') return false
  return WHOLE_BODY_TYPES.some(([media, types]) => isNamed(contentType, media) && types.includes(only.type))
}

export function planCall(routine: Routine, request: ApiRequest, read: ReadPlan): CallPlan {
  const names = new Set(argumentNames(request))
  const [only] = routine.parameters
  return {
    routine,
    parameters:
      routine.parameters.length === 1 && only?.name === ''
        ? { kind: 'whole', parameter: only }
        : { kind: 'named', given: routine.parameters.filter(({ name }) => names.has(name)) },
    arguments: callArguments(routine, request),
    filterFields: filterFields(read),
    returning: columnsNeeded(read, []),
  }
}

function callArguments(routine: Routine, { action, query, payload }: ApiRequest): CallPlan['arguments'] {
  if (action.kind === 'call' && action.method !== 'POST')
    return { kind: 'direct', values: collect(routine, query.arguments) }
  switch (payload?.kind) {
    case 'form':
      return { kind: 'direct', values: collect(routine, payload.pairs) }
    case 'raw':
      return { kind: 'raw', bytes: payload.bytes }
    default:
      return { kind: 'json', body: payload ?? NO_ARGUMENTS }
  }
}

/** The last value of a repeated argument wins; a variadic argument takes all. */
function collect(routine: Routine, pairs: readonly (readonly [string, string])[]): ReadonlyMap<string, Argument> {
  const values = new Map<string, Argument>()
  for (const [name, value] of pairs) {
    const variadic = routine.parameters.some((parameter) => parameter.name === name && parameter.variadic)
    const known = values.get(name)
    values.set(name, variadic ? [...(Array.isArray(known) ? known : []), value] : value)
  }
  return values
}

function filterFields(plan: ReadPlan): readonly string[] {
  const ofTree = (tree: WhereTree): string[] =>
    tree.kind === 'logic' ? tree.operands.flatMap(ofTree) : [tree.kind === 'filter' ? tree.field.name : tree.alias]
  const ofPlan = (one: ReadPlan): string[] => [...one.where.flatMap(ofTree), ...one.children.flatMap(ofPlan)]
  return sortedSet(ofPlan(plan))
}
