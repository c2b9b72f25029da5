import { queryOptions } from '@tanstack/react-query'
import { describeFailure } from '../../domain/failure.ts'
import { keys } from '../../domain/keys.ts'
import { type DataOf, databaseQuery, presentRow } from '../../lib/backend/database-query.ts'
import { supabase } from '../../lib/backend/supabase.ts'
import { withCachedFile } from '../../lib/offline/file-cache.ts'
import { pageTexts } from './pdf/page-texts.ts'

export const documentQuery = (library: string, document: string) =>
  databaseQuery(
    [...keys.document(library, document), 'itself'],
    () =>
      supabase
        .from('documents')
        .select(
          'id, title, kind, url, reference, dated, written_by:author, state, problem, progress, recognition, recognition_problem, page_count, size_bytes, created_at, deleted_at, verified_until, verified_at, verifier:profiles!documents_verifier_id_fkey(id, display_name), author:profiles!documents_created_by_fkey(display_name), width, height, collection:collections(id, name), tags:document_tags(tag:tags(id, name, color)), values:field_values(field_id, text_value, number_value, date_value, person_id, option_id), mail:document_mails(sender_name, sender_address, sent_at), version:versions!documents_current_version_id_fkey(id, number, storage_path, rendition_path, body, file_name, mime_type, created_at, pages_without_text, recognized_pages(page)), proposed:versions!documents_proposed_version_id_fkey(id, storage_path, body, file_name, mime_type, size_bytes, created_at, returned_words, decider:profiles!versions_decided_by_fkey(display_name), authors(display_name))',
        )
        .eq('library_id', library)
        .eq('id', document),
    (rows) => presentRow(rows[0]),
  )
export type OpenDocument = DataOf<typeof documentQuery>

type Saved = { id: string; body: string; isPublished: boolean }

/** Returns a note with a version just saved, unless it needs approval. The next response has the rest. */
export const withSavedVersion = <Note extends Pick<OpenDocument, 'version'>>(
  note: Note,
  { isPublished, ...saved }: Saved,
): Note => (note.version === null || !isPublished ? note : { ...note, version: { ...note.version, ...saved } })

/** A stored file. Never stale, because a path's content never changes. */
export const fileQuery = (path: string) =>
  queryOptions({
    queryKey: ['file', path],
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 10 * 60_000,
    queryFn: ({ signal }) =>
      withCachedFile(
        path,
        async () => {
          const { data, error } = await supabase.storage.from('documents').download(path, {}, { signal })
          if (error) throw error
          return data
        },
        (error) => describeFailure(error).worthRetrying,
      ),
  })

type Wanted = { passage: string | undefined; quote: string | undefined }

const MAX_BACKLINKS = 100

/** Characters: long enough to be unique, short enough to be within the passage. */
const FINDING = 60

/** A passage by id or, after reindexing, by quote. */
export const passageQuery = (library: string, document: string, { passage, quote }: Wanted) =>
  queryOptions({
    queryKey: [...keys.document(library, document), 'passage', passage, quote],
    queryFn: async ({ signal }) => {
      const passages = () =>
        supabase.from('passages').select('id, page, heading, content, ordinal, recognized').eq('document_id', document)
      const { data: known } = passage
        ? await passages().eq('id', passage).abortSignal(signal).maybeSingle().throwOnError()
        : { data: null }
      if (known || !quote) return known
      const words = quote.slice(0, FINDING).replaceAll(/[\\%_]/g, '\\$&')
      const { data: found } = await passages()
        .ilike('content', `%${words}%`)
        .order('ordinal')
        .limit(1)
        .abortSignal(signal)
        .maybeSingle()
        .throwOnError()
      return found
    },
  })

/** The API's row limit. */
const BATCH = 1000

/** A document's text by page, without overlaps of passages. */
export const pageTextsQuery = (library: string, document: string) =>
  queryOptions({
    queryKey: [...keys.document(library, document), 'page-texts'],
    queryFn: async ({ signal }) => {
      const passages: { page: number | null; heading: string | null; content: string }[] = []
      for (let full = true; full; ) {
        const { data } = await supabase
          .from('passages')
          .select('page, heading, content')
          .eq('document_id', document)
          .order('ordinal')
          .range(passages.length, passages.length + BATCH - 1)
          .abortSignal(signal)
          .throwOnError()
        passages.push(...data)
        full = data.length === BATCH
      }
      return pageTexts(passages)
    },
  })

/** The language of a document's first passage (ISO 639-1), or null. */
export const languageQuery = (library: string, document: string) =>
  databaseQuery(
    [...keys.document(library, document), 'language'],
    () => supabase.from('passages').select('language').eq('document_id', document).order('ordinal').limit(1),
    ([row]) => row?.language ?? null,
  )

export type Passage = NonNullable<DataOf<typeof passageQuery>>

export const relatedQuery = (library: string, document: string) => ({
  ...databaseQuery([...keys.document(library, document), 'related'], () =>
    supabase.rpc('related_documents', { document }),
  ),
  staleTime: 5 * 60_000,
})

export const backlinksQuery = (library: string, document: string) =>
  databaseQuery(
    [...keys.document(library, document), 'backlinks'],
    () =>
      supabase
        .from('document_links')
        .select('source:documents!document_links_source_id_library_id_fkey!inner(id, title)')
        .eq('target_id', document)
        .is('source.deleted_at', null)
        .limit(MAX_BACKLINKS),
    (data) => data.map(({ source }) => source).toSorted((a, b) => a.title.localeCompare(b.title)),
  )

export const commentsQuery = (library: string, document: string) =>
  databaseQuery([...keys.document(library, document), 'comments'], () =>
    supabase
      .from('comments')
      .select(
        'id, parent_id, body, quote, color, page, start_offset, passage_id, resolved_at, edited_at, created_at, created_by, author:profiles!comments_created_by_fkey(display_name, avatar_path)',
      )
      .eq('document_id', document)
      .order('created_at'),
  )
export type Comment = DataOf<typeof commentsQuery>[number]

/** The person's reading position; null if they never opened the document. */
export const positionQuery = (library: string, document: string) => ({
  ...databaseQuery(
    [...keys.library(library), 'position', document],
    () => supabase.from('reading_positions').select('page, share').eq('document_id', document),
    ([row]) => row ?? null,
  ),
  staleTime: Number.POSITIVE_INFINITY,
})

/** The backend's row limit. */
const MAX_POSITIONS = 1000

/** The person's reading positions in a library: one response for the whole shelf. */
export const positionsQuery = (library: string) =>
  databaseQuery(keys.positions(library), () =>
    supabase
      .from('reading_positions')
      .select('document_id, page, share')
      .eq('library_id', library)
      .order('updated_at', { ascending: false })
      .limit(MAX_POSITIONS),
  )
