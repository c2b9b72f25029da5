import type { Table } from '../../schema-cache/model.ts'
import { withoutEmpty } from './types.ts'

type Json = Record<string, unknown>

const PREFERENCES = {
  count: ['count=none'],
  return: ['return=representation', 'return=minimal', 'return=none'],
  resolution: ['resolution=ignore-duplicates', 'resolution=merge-duplicates'],
} as const

const prefer = (...kinds: (keyof typeof PREFERENCES)[]): Json =>
  withoutEmpty({
    name: 'Prefer',
    description: 'Preference',
    required: false,
    enum: kinds.flatMap((kind) => PREFERENCES[kind]),
    in: 'header',
    type: 'string',
  })

const text = (name: string, description: string, place: 'query' | 'header'): Json => ({
  name,
  description,
  required: false,
  in: place,
  type: 'string',
})

/** The parameters that the paths refer to. */
export const sharedParameters = (tables: readonly Table[]): Json => ({
  preferParams: prefer(),
  preferReturn: prefer('return'),
  preferCount: prefer('count'),
  preferPost: prefer('return', 'resolution'),
  select: text('select', 'Filtering Columns', 'query'),
  on_conflict: text('on_conflict', 'On Conflict', 'query'),
  order: text('order', 'Ordering', 'query'),
  range: text('Range', 'Limiting and Pagination', 'header'),
  rangeUnit: { ...text('Range-Unit', 'Limiting and Pagination', 'header'), default: 'items' },
  offset: text('offset', 'Limiting and Pagination', 'query'),
  limit: text('limit', 'Limiting and Pagination', 'query'),
  ...Object.fromEntries(tables.flatMap(tableParameters)),
})

const tableParameters = ({ name, columns }: Table): [string, Json][] => [
  [`body.${name}`, { name, description: name, required: false, in: 'body', schema: { $ref: `#/definitions/${name}` } }],
  ...[...columns.values()].map((column): [string, Json] => [
    `rowFilter.${name}.${column.name}`,
    withoutEmpty({ name: column.name, description: column.description, required: false, in: 'query', type: 'string' }),
  ]),
]
