import { restError } from '../errors.ts'
import { isNamed, type MediaType, mediaTypeName } from '../media-type.ts'
import type { ApiRequest } from '../request/request.ts'
import {
  handlerKey,
  type MediaHandler,
  type QualifiedName,
  type ResolvedHandler,
  type Routine,
  returnsSingle,
  type SchemaCache,
  type Table,
} from '../schema-cache/model.ts'
import type { RestSettings } from '../settings.ts'
import { argumentNames, findRoutine, planCall } from './call.ts'
import type { Plan, ReadPlan, RoutineCall } from './model.ts'
import { planMutation } from './mutate.ts'
import { tableNotFound } from './not-found.ts'
import { planRead } from './read.ts'
import { tableOf } from './resolve.ts'
import { hasDefaultSelect } from './select-list.ts'

/** Plans a request: looks every name up in the schema cache.
 *  @throws PGRST1xx for a contradictory request, PGRST2xx for an unknown or ambiguous name. */
export function planRequest(request: ApiRequest, cache: SchemaCache, settings: RestSettings): Plan {
  const { action } = request
  const negotiateOptions = (target: QualifiedName, read: ReadPlan): NegotiateOptions => ({
    target,
    hasDefaultSelect: hasDefaultSelect(read),
    cache,
    settings,
  })
  switch (action.kind) {
    case 'read': {
      findTable(cache, action.target)
      const read = planRead(action.target, request, cache, settings)
      const resolved = negotiate(request, negotiateOptions(action.target, read))
      refuseInvalidPreferences(request)
      return { kind: 'read', target: action.target, headersOnly: action.headersOnly, read, ...resolved }
    }
    case 'mutate': {
      const table = findTable(cache, action.target)
      const read = planRead(action.target, request, cache, settings)
      const mutate = planMutation(request, { mutation: action.mutation, table, read, cache })
      refuseInvalidPreferences(request)
      const resolved = negotiate(request, negotiateOptions(action.target, read))
      return { kind: 'mutate', target: action.target, mutation: action.mutation, read, mutate, ...resolved }
    }
    case 'call': {
      const routine = routineFor(request, { target: action.target, isPost: action.method === 'POST' }, cache)
      const { returns } = routine
      const rows = { schema: routine.schema, name: returns.composite ? returns.type.name : routine.name }
      const read = planRead(rows, request, cache, settings)
      const call = planCall(routine, request, read)
      const resolved = negotiate(request, negotiateOptions(rows, read))
      refuseInvalidPreferences(request)
      const { maxAffected, handling } = request.preferences
      if (maxAffected !== null && handling === 'strict' && returnsSingle(routine)) throw restError('PGRST128', [])
      return { kind: 'call', target: action.target, method: action.method, read, call, ...resolved }
    }
    case 'inspect': {
      const acceptable = request.accepts.some(
        (media) => media.kind === 'any' || isNamed(media, 'application/openapi+json', 'application/json'),
      )
      if (!acceptable) throw restError('PGRST107', [request.accepts.map(mediaTypeName).join(', ')])
      return { kind: 'inspect', headersOnly: action.headersOnly }
    }
    case 'tableInfo':
      return { kind: 'info', allow: tableMethods(findTable(cache, action.target)) }
    case 'routineInfo': {
      const { volatility } = routineFor(request, { target: action.target, isPost: false }, cache)
      return { kind: 'info', allow: volatility === 'volatile' ? 'OPTIONS,POST' : 'OPTIONS,GET,HEAD,POST' }
    }
    case 'schemaInfo':
      return { kind: 'info', allow: 'OPTIONS,GET,HEAD' }
  }
}

function findTable(cache: SchemaCache, name: QualifiedName): Table {
  const table = tableOf(cache, name)
  if (!table) throw tableNotFound(cache, name)
  return table
}

const routineFor = (request: ApiRequest, call: Pick<RoutineCall, 'target' | 'isPost'>, cache: SchemaCache): Routine =>
  findRoutine({ ...call, argumentNames: argumentNames(request), contentType: request.contentType }, cache)

function refuseInvalidPreferences({ preferences }: ApiRequest): void {
  if (preferences.handling !== 'strict' || preferences.invalid.length === 0) return
  throw restError('PGRST122', [], { details: `Invalid preferences: ${preferences.invalid.join(', ')}` })
}

const tableMethods = ({ insertable, updatable, deletable, primaryKey }: Table): string =>
  [
    'OPTIONS,GET,HEAD',
    insertable && 'POST',
    insertable && updatable && primaryKey.length > 0 && 'PUT',
    updatable && 'PATCH',
    deletable && 'DELETE',
  ]
    .filter(Boolean)
    .join(',')

type NegotiateOptions = {
  readonly target: QualifiedName
  /** Whether the request selects the default columns, which the table's own handlers require. */
  readonly hasDefaultSelect: boolean
  readonly cache: SchemaCache
  readonly settings: RestSettings
}

/** Finds the first acceptable media type in which the result can be rendered. @throws PGRST107 */
function negotiate(
  { action, accepts, preferences }: ApiRequest,
  { target, hasDefaultSelect, cache, settings }: NegotiateOptions,
): ResolvedHandler {
  const lookup = (media: MediaType): ResolvedHandler | undefined => {
    const name = mediaTypeName(media)
    return (
      (hasDefaultSelect
        ? (cache.mediaHandlers.get(handlerKey(target, '*/*')) ?? cache.mediaHandlers.get(handlerKey(target, name)))
        : undefined) ?? cache.mediaHandlers.get(handlerKey(null, name))
    )
  }
  const builtIn = (media: MediaType): MediaHandler | null =>
    media.kind === 'object' || media.kind === 'strippedArray' ? media : null
  const match = (media: MediaType): ResolvedHandler | undefined => {
    const own = builtIn(media)
    if (own) return { handler: own, media }
    if (media.kind !== 'plan') return lookup(media)
    if (!settings.planEnabled) return undefined
    const handler = builtIn(media.of) ?? lookup(media.of)?.handler
    return handler && { handler, media }
  }
  const chosen = accepts.map(match).find((one) => one !== undefined)
  if (!chosen) throw restError('PGRST107', [accepts.map(mediaTypeName).join(', ')])
  const bodyless =
    (action.kind === 'mutate' && preferences.representation !== 'representation') ||
    (action.kind === 'read' && action.headersOnly) ||
    (action.kind === 'call' && action.method === 'HEAD')
  return bodyless ? { handler: { kind: 'none' }, media: chosen.media } : chosen
}
