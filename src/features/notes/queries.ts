import { queryOptions } from '@tanstack/react-query'
import { keys } from '../../domain/keys.ts'
import { databaseQuery } from '../../lib/backend/database-query.ts'
import { supabase } from '../../lib/backend/supabase.ts'

/** The person's draft of a note, or null. */
export const draftQuery = (library: string, note: string) => ({
  ...databaseQuery(
    keys.draft(library, note),
    () => supabase.from('note_drafts').select('body, based_on, updated_at').eq('document_id', note),
    ([row]) => row ?? null,
  ),
  staleTime: 0,
})

/** A document's published versions, latest first, without texts. */
export const versionsQuery = (library: string, document: string) =>
  databaseQuery([...keys.document(library, document), 'versions'], () =>
    supabase
      .from('versions')
      .select(
        'id, number, size_bytes, created_at, author:profiles!versions_created_by_fkey(display_name), decider:profiles!versions_decided_by_fkey(display_name)',
      )
      .eq('document_id', document)
      .eq('is_published', true)
      .order('number', { ascending: false })
      .limit(500),
  )

const LATEST = 6

export const latestNotesQuery = (library: string) =>
  databaseQuery([...keys.titles(library), 'notes'], () =>
    supabase
      .from('documents')
      .select('id, title')
      .eq('library_id', library)
      .eq('kind', 'note')
      .is('deleted_at', null)
      .order('updated_at', { ascending: false })
      .limit(LATEST),
  )

/** A version's text, which never changes. */
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

/** The text to edit: the current version, or the change awaiting approval. @throws {PostgrestError} */
export async function latestVersion(note: string) {
  const { data } = await supabase
    .from('documents')
    .select('current_version_id, proposed_version_id')
    .eq('id', note)
    .single()
    .throwOnError()
  return readVersion(data.proposed_version_id ?? data.current_version_id ?? '')
}
