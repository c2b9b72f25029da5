import { supabase } from '../../lib/backend/supabase.ts'
import type { ExportedDocument, ExportedField, Manifest } from './manifest.ts'

type MadeField = ExportedField & { made: string; optionIds: ReadonlyMap<string, string> }
/** What an import's fields have become: by their old ids, and the members by their names. */
export type ImportedFields = { fields: ReadonlyMap<string, MadeField>; people: ReadonlyMap<string, string> }

const NAME = 60

/** Makes the fields of an import in the collections that were made for it.
 *  @param collections The new id of each collection. */
export async function makeFields(
  library: string,
  { fields = [] }: Manifest,
  collections: ReadonlyMap<string, string>,
): Promise<ImportedFields> {
  const made = new Map<string, MadeField>()
  for (const field of fields) {
    const collection = collections.get(field.collection_id)
    if (!collection) continue
    const { data } = await supabase
      .rpc('save_field', {
        collection,
        // The parameter is null for a new field; the generated types do not say so.
        field: null as unknown as string,
        name: field.name.slice(0, NAME),
        kind: field.kind,
        takes_several: field.takes_several,
        options: field.options.map(({ name, color }) => ({ name: name.slice(0, NAME), color })),
      })
      .throwOnError()
    const { data: options } = await supabase
      .from('field_options')
      .select('id, name')
      .eq('field_id', data.id)
      .throwOnError()
    made.set(field.id, { ...field, made: data.id, optionIds: new Map(options.map(({ id, name }) => [name, id])) })
  }
  if (made.size === 0) return { fields: made, people: new Map() }
  const { data: members } = await supabase
    .from('members')
    .select('user_id, profile:profiles!inner(display_name)')
    .eq('library_id', library)
    .throwOnError()
  return { fields: made, people: new Map(members.map(({ user_id, profile }) => [profile.display_name, user_id])) }
}

/** Sets the fields of an imported document. People who are no members here are left out, and so are values of fields that do not
 *  hold where the document is: nobody would see them. */
export async function setFields(
  document: string,
  { fields: values = [], collection_id }: ExportedDocument,
  { fields, people }: ImportedFields,
  collections: Manifest['collections'],
): Promise<void> {
  for (const { field_id, values: of } of values) {
    const field = fields.get(field_id)
    if (!field || !isAround(collections, field.collection_id, collection_id)) continue
    const named = field.kind === 'person' ? people : field.kind === 'choice' ? field.optionIds : undefined
    const items = named ? of.flatMap((name) => named.get(String(name)) ?? []) : of
    if (items.length === 0) continue
    await supabase.rpc('set_field_value', { documents: [document], field: field.made, value: items }).throwOnError()
  }
}

/** Whether one collection is the other, or around it. */
function isAround(collections: Manifest['collections'], outer: string, inner: string | null): boolean {
  const seen = new Set<string>()
  for (let next = inner; next !== null && !seen.has(next); ) {
    if (next === outer) return true
    seen.add(next)
    next = collections.find(({ id }) => id === next)?.parent_id ?? null
  }
  return false
}
