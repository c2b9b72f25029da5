import { supabase } from '../../lib/backend/supabase.ts'

/** What the fields of these collections are: so much is deleted with them. */
export async function countFields(collections: readonly string[]): Promise<{ fields: number; values: number }> {
  const [fields, values] = await Promise.all([
    supabase
      .from('collection_fields')
      .select('*', { count: 'exact', head: true })
      .in('collection_id', collections)
      .throwOnError(),
    supabase
      .from('field_values')
      .select('id, field:collection_fields!inner(collection_id)', { count: 'exact', head: true })
      .in('field.collection_id', collections)
      .throwOnError(),
  ])
  return { fields: fields.count ?? 0, values: values.count ?? 0 }
}
