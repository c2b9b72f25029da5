import type { Field, FieldInput, FieldOption } from '../../domain/fields.ts'
import { keys } from '../../domain/keys.ts'
import { supabase } from '../../lib/backend/supabase.ts'
import { defineMutation } from '../../lib/mutations.ts'
import type { Columns } from './columns.ts'

/** The database's limit per call. */
const MAX_DOCUMENTS_PER_CALL = 1000

type InCollection = { library: string; collection: string }

export type FieldDraft = Pick<Field, 'name' | 'kind' | 'takes_several'> & {
  /** Undefined for a new field. */
  id?: string | undefined
  /** In order; new ones have no id. */
  options: readonly (Omit<FieldOption, 'id'> & { id?: string | undefined })[]
}

/** Creates a field, or renames one and replaces its options. */
export const saveField = defineMutation({
  mutationFn: async ({ collection, field }: InCollection & { field: FieldDraft }) => {
    const { id, name, kind, takes_several, options } = field
    await supabase
      .rpc('save_field', {
        collection,
        // Null for a new field, which the generated types don't allow.
        field: (id ?? null) as string,
        name,
        kind,
        takes_several,
        options: options.map(({ id: option, name: called, color }) => ({
          ...(option ? { id: option } : {}),
          name: called,
          color,
        })),
      })
      .throwOnError()
  },
  invalidates: ({ library }) => [keys.fields(library), keys.documents(library)],
})

export const deleteField = defineMutation({
  mutationFn: ({ field }: { library: string; field: string }) =>
    supabase.from('collection_fields').delete().eq('id', field).throwOnError(),
  invalidates: ({ library }) => [keys.fields(library), keys.documents(library), keys.collections(library)],
})

export const orderFields = defineMutation({
  mutationFn: ({ collection, fields }: InCollection & { fields: string[] }) =>
    supabase.rpc('order_fields', { collection, fields }).throwOnError(),
  invalidates: ({ library }) => [keys.fields(library)],
})

/** Sets a collection's default order; null for newest first. */
export const setCollectionSort = defineMutation({
  mutationFn: ({ collection, field, descending }: InCollection & { field: string | null; descending: boolean }) =>
    supabase
      .from('collections')
      .update({ sort_field_id: field, sort_descending: descending })
      .eq('id', collection)
      .throwOnError(),
  invalidates: ({ library }) => [keys.collections(library), keys.documents(library)],
})

export type FieldChange = { library: string; documents: readonly string[]; field: Field; value: FieldInput }

/** Sets a field of documents; null clears it. */
export const setFieldValue = defineMutation({
  mutationFn: async ({ documents, field, value }: FieldChange) => {
    for (let first = 0; first < documents.length; first += MAX_DOCUMENTS_PER_CALL) {
      await supabase
        .rpc('set_field_value', {
          documents: documents.slice(first, first + MAX_DOCUMENTS_PER_CALL),
          field: field.id,
          value: Array.isArray(value) ? [...value] : (value as string),
        })
        .throwOnError()
    }
  },
  invalidates: ({ library, documents }) => [
    keys.documents(library),
    keys.search(library),
    keys.titles(library),
    ...documents.slice(0, 1).map((document) => keys.document(library, document)),
  ],
})

/** Saves the person's columns of a collection's list; undefined resets them. */
export const saveView = defineMutation({
  mutationFn: async ({ library, collection, columns }: InCollection & { columns: Columns | undefined }) => {
    if (!columns) {
      await supabase.from('collection_views').delete().eq('collection_id', collection).throwOnError()
      return
    }
    await supabase
      .from('collection_views')
      .upsert({ library_id: library, collection_id: collection, columns }, { onConflict: 'user_id,collection_id' })
      .throwOnError()
  },
})
