import { supabase } from '../../lib/backend/supabase.ts'
import type { ExportedDocument, ExportedField, Manifest } from './manifest.ts'

type MadeField = ExportedField & { made: string; optionIds: ReadonlyMap<string, string> }
/** Imported fields by old id, and members by name. */
export type ImportedFields = { fields: ReadonlyMap<string, MadeField>; people: ReadonlyMap<string, string> }

const NAME = 60

/** Creates an import's fields in its new collections. @param collections New ids by old. */
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
        // Null for a new field, which the generated types don't allow.
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

/** Sets an imported document's fields. Skips non-members and fields that don't apply to its collection. */
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

function isAround(collections: Manifest['collections'], outer: string, inner: string | null): boolean {
  const seen = new Set<string>()
  for (let next = inner; next !== null && !seen.has(next); ) {
    if (next === outer) return true
    seen.add(next)
    next = collections.find(({ id }) => id === next)?.parent_id ?? null
  }
  return false
}
