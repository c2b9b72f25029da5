import { failureText } from '../../domain/failure.ts'
import { supabase } from '../../lib/backend/supabase.ts'
import { t } from '../../lib/i18n/i18n.ts'
import type { Export, ExportedDocument, ExportedField, Manifest } from './manifest.ts'
import { storableName } from './paths.ts'

export type FieldValues = (document: ExportedDocument) => { field: string; value: (string | number)[] }[]
type MadeField = ExportedField & { made: string; optionIds: ReadonlyMap<string, string> }

/** Quotation marks enclose a field's name in a search. */
const fieldName = (name: string) => storableName(name.replaceAll('"', ' '), 60)
const nameKey = (name: string) => fieldName(name).toLowerCase()

/** Creates an import's missing fields and options. @param collections New ids by old.
 *  @returns a function for a document's values. It skips non-members and fields that don't apply to its collection. */
export async function makeFields(
  library: string,
  manifest: Manifest,
  collections: ReadonlyMap<string, string>,
  problems: Export['problems'],
): Promise<FieldValues> {
  const { fields = [] } = manifest
  if (fields.length === 0) return () => []
  const made = new Map<string, MadeField>()
  const { data: known } = await supabase
    .from('collection_fields')
    .select('id, collection_id, name, kind, options:field_options(id, name, color)')
    .eq('library_id', library)
    .throwOnError()
  for (const field of fields) {
    const collection = collections.get(field.collection_id)
    if (!collection) continue
    const same = known.find((one) => one.collection_id === collection && nameKey(one.name) === nameKey(field.name))
    try {
      if (same && same.kind !== field.kind) throw new Error(t('This field has another type in this library.'))
      const options = new Map(same?.options.map((option) => [nameKey(option.name), option]))
      const added = field.options.filter(({ name }) => !options.has(nameKey(name)))
      const { data } = await supabase
        .rpc('save_field', {
          collection,
          // Null for a new field, which the generated types don't allow.
          field: same?.id ?? (null as unknown as string),
          name: same?.name ?? fieldName(field.name),
          kind: field.kind,
          takes_several: field.takes_several,
          options: [...options.values(), ...added.map(({ name, color }) => ({ name: fieldName(name), color }))],
        })
        .throwOnError()
      const { data: saved } = await supabase
        .from('field_options')
        .select('id, name')
        .eq('field_id', data.id)
        .throwOnError()
      const optionIds = new Map(saved.map(({ id, name }) => [nameKey(name), id]))
      made.set(field.id, { ...field, made: data.id, optionIds })
    } catch (error) {
      problems.push({ title: field.name, reason: failureText(error) })
    }
  }
  const { data: members } = await supabase
    .from('members')
    .select('user_id, profile:profiles!inner(display_name)')
    .eq('library_id', library)
    .throwOnError()
  const people = new Map(members.map(({ user_id, profile }) => [profile.display_name, user_id]))
  return ({ fields: values = [], collection_id }) =>
    values.flatMap(({ field_id, values: of }) => {
      const field = made.get(field_id)
      if (!field || !isAround(manifest.collections, field.collection_id, collection_id)) return []
      const { kind, optionIds } = field
      const value = of.flatMap((item) => {
        if (kind === 'choice') return optionIds.get(nameKey(String(item))) ?? []
        return kind === 'person' ? (people.get(String(item)) ?? []) : item
      })
      return value.length > 0 ? [{ field: field.made, value }] : []
    })
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
