import { queryOptions } from '@tanstack/react-query'
import { keys } from '../../lib/keys.ts'
import { supabase } from '../../lib/supabase.ts'

export const documentQuery = (library: string, document: string) =>
  queryOptions({
    queryKey: [...keys.document(library, document), 'itself'],
    queryFn: async ({ signal }) => {
      const { data } = await supabase
        .from('documents')
        .select(
          'id, title, kind, url, state, state_message, progress, page_count, size_bytes, created_at, deleted_at, author:profiles!documents_created_by_fkey(display_name), version:versions!documents_current_version_id_fkey(id, number, storage_path, body, file_name, mime_type, created_at)',
        )
        .eq('library_id', library)
        .eq('id', document)
        .abortSignal(signal)
        .single()
        .throwOnError()
      return data
    },
  })
export type OpenDocument = Awaited<ReturnType<NonNullable<ReturnType<typeof documentQuery>['queryFn']>>>

/** A stored file's bytes. A path never gets other contents, so they are good for as long as they are kept. */
export const fileQuery = (path: string) =>
  queryOptions({
    queryKey: ['file', path],
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 10 * 60_000,
    queryFn: async ({ signal }) => {
      const { data, error } = await supabase.storage.from('documents').download(path, {}, { signal })
      if (error) throw error
      return data
    },
  })

export const passageQuery = (library: string, document: string, passage: string) =>
  queryOptions({
    queryKey: [...keys.document(library, document), 'passage', passage],
    queryFn: async ({ signal }) => {
      const { data } = await supabase
        .from('passages')
        .select('id, page, heading, content, ordinal')
        .eq('id', passage)
        .eq('document_id', document)
        .abortSignal(signal)
        .maybeSingle()
        .throwOnError()
      return data
    },
  })

export const relatedQuery = (library: string, document: string) =>
  queryOptions({
    queryKey: [...keys.document(library, document), 'related'],
    staleTime: 5 * 60_000,
    queryFn: async ({ signal }) => {
      const { data } = await supabase.rpc('related_documents', { document }).abortSignal(signal).throwOnError()
      return data
    },
  })

export const commentsQuery = (library: string, document: string) =>
  queryOptions({
    queryKey: [...keys.document(library, document), 'comments'],
    queryFn: async ({ signal }) => {
      const { data } = await supabase
        .from('comments')
        .select(
          'id, body, quote, page, passage_id, resolved_at, created_at, created_by, author:profiles!comments_created_by_fkey(display_name, avatar_path)',
        )
        .eq('document_id', document)
        .order('created_at')
        .abortSignal(signal)
        .throwOnError()
      return data
    },
  })
