import { queryOptions } from '@tanstack/react-query'
import { keys } from '../../domain/keys.ts'
import { supabase } from '../../lib/backend/supabase.ts'

/** This person's draft of a note; null when there is none. */
export const draftQuery = (library: string, note: string) =>
  queryOptions({
    queryKey: keys.draft(library, note),
    staleTime: 0,
    queryFn: async ({ signal }) => {
      const { data } = await supabase
        .from('note_drafts')
        .select('body, based_on, updated_at')
        .eq('document_id', note)
        .abortSignal(signal)
        .maybeSingle()
        .throwOnError()
      return data
    },
  })

/** Every version of a document that others see, the latest first, without their texts. */
export const versionsQuery = (library: string, document: string) =>
  queryOptions({
    queryKey: [...keys.document(library, document), 'versions'],
    queryFn: async ({ signal }) => {
      const { data } = await supabase
        .from('versions')
        .select(
          'id, number, size_bytes, created_at, author:profiles!versions_created_by_fkey(display_name), decider:profiles!versions_decided_by_fkey(display_name)',
        )
        .eq('document_id', document)
        .eq('is_published', true)
        .order('number', { ascending: false })
        .limit(500)
        .abortSignal(signal)
        .throwOnError()
      return data
    },
  })

/** Notes among which somebody looks for the one that they write in. */
const LATEST = 6

/** The notes of a library that were written last. */
export const latestNotesQuery = (library: string) =>
  queryOptions({
    queryKey: [...keys.titles(library), 'notes'],
    queryFn: async ({ signal }) => {
      const { data } = await supabase
        .from('documents')
        .select('id, title')
        .eq('library_id', library)
        .eq('kind', 'note')
        .is('deleted_at', null)
        .order('updated_at', { ascending: false })
        .limit(LATEST)
        .abortSignal(signal)
        .throwOnError()
      return data
    },
  })

/** A version's text. It never changes. */
export const versionBodyQuery = (version: string) =>
  queryOptions({
    queryKey: ['version', version],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: ({ signal }) => readVersion(version, signal),
  })

/** @throws {PostgrestError} */
export async function readVersion(version: string, signal?: AbortSignal) {
  const reading = supabase.from('versions').select('id, number, body').eq('id', version)
  const { data } = await (signal ? reading.abortSignal(signal) : reading).single().throwOnError()
  return data
}

/** The text that is written on: what everybody sees now, or the change that waits to be approved.
 *  @throws {PostgrestError} */
export async function latestVersion(note: string) {
  const { data } = await supabase
    .from('documents')
    .select('current_version_id, proposed_version_id')
    .eq('id', note)
    .single()
    .throwOnError()
  return readVersion(data.proposed_version_id ?? data.current_version_id ?? '')
}
