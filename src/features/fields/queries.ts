import { queryOptions } from '@tanstack/react-query'
import { FIELD_KINDS, type Field } from '../../domain/fields.ts'
import { keys } from '../../domain/keys.ts'
import { databaseQuery } from '../../lib/backend/database-query.ts'
import { supabase } from '../../lib/backend/supabase.ts'
import { Columns } from './columns.ts'

const FIELD = 'id, collection_id, name, kind, takes_several, position, options:field_options(id, name, color, position)'

type Row = Omit<Field, 'options'> & {
  position: number
  options: { id: string; name: string; color: string; position: number }[]
}

const inOrder = (rows: readonly Row[]): Field[] =>
  rows
    .toSorted((one, other) => one.position - other.position)
    .map(({ position, options, ...field }) => ({
      ...field,
      options: options.toSorted((one, other) => one.position - other.position),
    }))

/** The fields that apply in a collection, own and inherited. */
export const fieldsQuery = (library: string, collection: string) =>
  queryOptions({
    queryKey: [...keys.fields(library), collection],
    queryFn: async ({ signal }) => {
      const { data } = await supabase.rpc('fields_of', { collection }).select(FIELD).abortSignal(signal).throwOnError()
      // Inherited fields first, in their order.
      return inOrder(data).toSorted(
        (one, other) => Number(one.collection_id === collection) - Number(other.collection_id === collection),
      )
    },
  })

export const libraryFieldsQuery = (library: string) =>
  databaseQuery(
    [...keys.fields(library), 'all'],
    () => supabase.from('collection_fields').select(FIELD).eq('library_id', library).order('name'),
    inOrder,
  )

/** Counts the values of a field or option that would be deleted. */
export async function countValues(by: 'field_id' | 'option_id', id: string): Promise<number> {
  const { count } = await supabase
    .from('field_values')
    .select('*', { count: 'exact', head: true })
    .eq(by, id)
    .throwOnError()
  return count ?? 0
}

/** The person's columns of a collection's list; undefined for the default. */
export const viewQuery = (library: string, collection: string) =>
  databaseQuery(
    [...keys.fields(library), 'view', collection],
    () => supabase.from('collection_views').select('columns').eq('collection_id', collection),
    ([row]) => (row ? Columns.parse(row.columns) : null),
  )

export const kindLabel = (kind: Field['kind']): string => FIELD_KINDS.find(({ value }) => value === kind)?.label ?? kind
