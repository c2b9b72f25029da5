import { queryOptions } from '@tanstack/react-query'
import { keys } from '../../domain/keys.ts'
import { presentRow } from '../../lib/backend/database-query.ts'
import { supabase } from '../../lib/backend/supabase.ts'

/** The backend's row limit. */
const PAGE = 1000
/** Passages compared: about 5,000 printed pages. */
const MAX_PASSAGES = 10_000

/** @property isCut There are more passages than are compared. */
export type ComparedDocument = Awaited<ReturnType<typeof readDocument>>

/** A document with its text: a note's Markdown, or all passages in order. */
export const comparedDocumentQuery = (library: string, document: string) =>
  queryOptions({
    queryKey: [...keys.document(library, document), 'compared'],
    // Texts are large and only needed on screen.
    gcTime: 60_000,
    queryFn: ({ signal }) => readDocument(library, document, signal),
  })

async function readDocument(library: string, document: string, signal: AbortSignal) {
  const { data } = await supabase
    .from('documents')
    .select('id, title, kind, mime_type, state, version:versions!documents_current_version_id_fkey(id, body)')
    .eq('library_id', library)
    .eq('id', document)
    .abortSignal(signal)
    .maybeSingle()
    .throwOnError()
  const { version, ...about } = presentRow(data)
  const passages = version ? await readPassages(version.id, signal) : []
  return {
    ...about,
    body: about.kind === 'note' ? (version?.body ?? '') : null,
    passages: passages.slice(0, MAX_PASSAGES),
    isCut: passages.length > MAX_PASSAGES,
  }
}

async function readPassages(version: string, signal: AbortSignal) {
  const passages: { id: string; ordinal: number; heading: string | null; content: string }[] = []
  for (;;) {
    const { data } = await supabase
      .from('passages')
      .select('id, ordinal, heading, content')
      .eq('version_id', version)
      .gt('ordinal', passages.at(-1)?.ordinal ?? -1)
      .order('ordinal')
      .limit(PAGE)
      .abortSignal(signal)
      .throwOnError()
    passages.push(...data)
    if (data.length < PAGE || passages.length > MAX_PASSAGES) return passages
  }
}
