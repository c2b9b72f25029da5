import type { Routine, RoutineParameter, Table } from '../../schema-cache/model.ts'
import { elementType, itemsOf, openApiFormat, openApiType, summaryOf, withoutEmpty } from './types.ts'

type Json = Record<string, unknown>

const reference = (name: string): Json => ({ $ref: `#/parameters/${name}` })

export const ROOT_PATH: Json = {
  get: {
    tags: ['Introspection'],
    summary: 'OpenAPI description (this document)',
    produces: ['application/openapi+json', 'application/json'],
    responses: { 200: { description: 'OK' } },
  },
}

/** Returns a table's or view's operations by HTTP method. */
export function tablePath(table: Table): Json {
  const { name } = table
  const base = withoutEmpty({ tags: [name], ...summaryOf(table.description) })
  const filters = [...table.columns.keys()].map((column) => reference(`rowFilter.${name}.${column}`))
  const body = reference(`body.${name}`)
  const read = ['select', 'order', 'range', 'rangeUnit', 'offset', 'limit', 'preferCount'].map(reference)
  const rows = { description: 'OK', schema: { items: { $ref: `#/definitions/${name}` }, type: 'array' } }
  const path: Json = {
    get: {
      ...base,
      parameters: [...filters, ...read],
      responses: { 200: rows, 206: { description: 'Partial Content' } },
    },
  }
  if (!(table.insertable || table.updatable || table.deletable)) return path
  const noContent = { 204: { description: 'No Content' } }
  return {
    ...path,
    post: {
      ...base,
      parameters: [body, reference('select'), reference('preferPost')],
      responses: { 201: { description: 'Created' } },
    },
    delete: { ...base, parameters: [...filters, reference('preferReturn')], responses: noContent },
    patch: { ...base, parameters: [...filters, body, reference('preferReturn')], responses: noContent },
  }
}

/** Returns a function's operations: GET only if it changes nothing. */
export function routinePath(routine: Routine): Json {
  const base = withoutEmpty({
    tags: [`(rpc) ${routine.name}`],
    ...summaryOf(routine.description),
    produces: [
      'application/json',
      'application/vnd.pgrst.object+json;nulls=stripped',
      'application/vnd.pgrst.object+json',
    ],
  })
  const responses = { 200: { description: 'OK' } }
  const post = {
    ...base,
    parameters: [
      { required: true, schema: argumentsSchema(routine), in: 'body', name: 'args' },
      reference('preferParams'),
    ],
    responses,
  }
  if (routine.volatility === 'volatile') return { post }
  return { get: { ...base, parameters: routine.parameters.map(queryParameter), responses }, post }
}

const argumentsSchema = ({ description, parameters }: Routine): Json =>
  withoutEmpty({
    description,
    required: parameters.filter(({ required }) => required).map(({ name }) => name),
    properties: Object.fromEntries(
      parameters.map(({ name, type }) => [
        name,
        { ...withoutEmpty({ format: openApiFormat(type), type: openApiType(type) }), ...itemsOf(type) },
      ]),
    ),
    type: 'object',
  })

function queryParameter({ name, type, required, variadic }: RoutineParameter): Json {
  const kind = openApiType(type) ?? 'string'
  if (!variadic) {
    const shown = kind === 'array' ? 'string' : kind
    return { required, in: 'query', name, format: openApiFormat(type), type: shown }
  }
  const element = elementType(type)
  return {
    required,
    in: 'query',
    name,
    type: kind,
    collectionFormat: 'multi',
    items: withoutEmpty({ type: openApiType(element), format: openApiFormat(element) }),
  }
}
