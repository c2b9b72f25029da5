import { queryOptions } from '@tanstack/react-query'
import * as z from 'zod/mini'
import { keys } from '../../domain/keys.ts'
import { type DataOf, databaseQuery } from '../../lib/backend/database-query.ts'
import { invoke } from '../../lib/backend/edge-functions.ts'
import { supabase } from '../../lib/backend/supabase.ts'

/** A document's share links, newest first; empty for readers. */
export const shareLinksQuery = (library: string, document: string) =>
  databaseQuery([...keys.document(library, document), 'links'], () =>
    supabase
      .from('share_links')
      .select(
        'id, expires_at, revoked_at, view_count, created_at, author:profiles!share_links_created_by_fkey(display_name)',
      )
      .eq('document_id', document)
      .order('created_at', { ascending: false }),
  )
export type ShareLink = DataOf<typeof shareLinksQuery>[number]

export const audienceQuery = (library: string, document: string) =>
  databaseQuery([...keys.document(library, document), 'audience'], () =>
    supabase.rpc('document_audience', { document }),
  )

/** The document behind a share link, or null. Fetched once, because each request counts as a view. */
export const sharedQuery = (token: string) => ({
  ...databaseQuery(
    ['shared', token],
    () => supabase.rpc('open_share_link', { token }),
    (data) => data[0] ?? null,
  ),
  staleTime: Number.POSITIVE_INFINITY,
})
/** Null for some documents, which the generated types don't show. */
export type SharedDocument = { [Name in 'mime_type' | 'file_name' | 'url' | 'body']: string | null } & {
  title: string
  size_bytes: number | null
  has_copy: boolean | null
}

const SharedFile = z.object({ url: z.url() })

/** The file behind a share link, or its readable copy. */
export const sharedFileQuery = (token: string, copy: boolean) =>
  queryOptions({
    queryKey: ['shared', token, copy ? 'copy' : 'file'],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async ({ signal }) => {
      const { url } = await invoke('shared-file', { token, copy }, SharedFile)
      const response = await fetch(url, { signal })
      if (!response.ok) throw Object.assign(new Error(response.statusText), { status: response.status })
      return await response.blob()
    },
  })
