import { restError } from '../errors.ts'
import { isNamed, mediaTypeName } from '../media-type.ts'
import type { ApiRequest } from '../request/request.ts'
import { type QualifiedName, type Routine, returnsSingle, type SchemaCache, type Table } from '../schema-cache/model.ts'
import type { RestSettings } from '../settings.ts'
import { argumentNames, findRoutine, planCall } from './call.ts'
import type { Plan } from './model.ts'
import { planMutation } from './mutate.ts'
import { negotiate } from './negotiate.ts'
import { tableNotFound } from './not-found.ts'
import { planRead } from './read.ts'
import { tableOf } from './resolve.ts'
import { hasDefaultSelect } from './select-list.ts'

/** Looks up every name of a request.
 *  @throws PGRST1xx for what makes no sense, PGRST2xx for what is not there or not unique. */
export function planRequest(request: ApiRequest, cache: SchemaCache, settings: RestSettings): Plan {
  const { action } = request
  switch (action.kind) {
    case 'read': {
      findTable(cache, action.target)
      const read = planRead(action.target, request, cache, settings)
      const resolved = negotiate(request, action.target, hasDefaultSelect(read), cache, settings)
      refuseInvalidPreferences(request)
      return { kind: 'read', target: action.target, headersOnly: action.headersOnly, read, ...resolved }
    }
    case 'mutate': {
      const table = findTable(cache, action.target)
      const read = planRead(action.target, request, cache, settings)
      const mutate = planMutation(action.mutation, table, request, cache, read)
      refuseInvalidPreferences(request)
      const resolved = negotiate(request, action.target, hasDefaultSelect(read), cache, settings)
      return { kind: 'mutate', target: action.target, mutation: action.mutation, read, mutate, ...resolved }
    }
    case 'call': {
      const routine = routineFor(request, action.target, cache, action.method === 'POST')
      const { returns } = routine
      const rows = { schema: routine.schema, name: returns.composite ? returns.type.name : routine.name }
      const read = planRead(rows, request, cache, settings)
      const call = planCall(routine, request, read)
      const resolved = negotiate(request, rows, hasDefaultSelect(read), cache, settings)
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
      const { volatility } = routineFor(request, action.target, cache, false)
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

const routineFor = (request: ApiRequest, target: QualifiedName, cache: SchemaCache, isPost: boolean): Routine =>
  findRoutine(target, argumentNames(request), cache, request.contentType, isPost)

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
