import type { InfiniteData, QueryClient } from '@tanstack/react-query'
import * as z from 'zod/mini'
import { keys } from '../../lib/keys.ts'

/** How far the reading of a document is, as the database tells everybody in the library's channel. */
export const IngestEvent = z.object({
  document_id: z.guid(),
  state: z.enum(['queued', 'extracting', 'embedding', 'ready', 'failed']),
  progress: z.number(),
  message: z.nullable(z.string()),
  page_count: z.nullable(z.number()),
})
export type IngestEvent = z.infer<typeof IngestEvent>

/** What the realtime service says about the channel itself. */
export const SystemMessage = z.object({ status: z.string() })

type Indexed = {
  id: string
  state: IngestEvent['state']
  progress: number
  state_message: string | null
  page_count: number | null
}
type ShelfData = InfiniteData<{ documents: readonly Indexed[] }>

const patch = <Document extends Indexed>(document: Document, event: IngestEvent): Document =>
  document.id === event.document_id
    ? {
        ...document,
        state: event.state,
        progress: event.progress,
        state_message: event.message,
        page_count: event.page_count ?? document.page_count,
      }
    : document

/** The one place where what is heard over a library's channel meets the query cache. */
export function applyIngestEvent(queryClient: QueryClient, library: string, event: IngestEvent): void {
  queryClient.setQueriesData<ShelfData>({ queryKey: keys.documents(library) }, (shelf) =>
    shelf
      ? {
          ...shelf,
          pages: shelf.pages.map((page) => ({
            ...page,
            documents: page.documents.map((document) => patch(document, event)),
          })),
        }
      : shelf,
  )
  if (event.state !== 'ready') return
  void queryClient.invalidateQueries({ queryKey: keys.document(library, event.document_id) })
  void queryClient.invalidateQueries({ queryKey: keys.search(library) })
}

export const RowChange = z.object({
  table: z.enum(['documents', 'comments']),
  new: z.object({ id: z.optional(z.guid()), document_id: z.optional(z.guid()) }),
  old: z.object({ id: z.optional(z.guid()), document_id: z.optional(z.guid()) }),
})
export type RowChange = z.infer<typeof RowChange>

/** A row was added, changed or removed: what shows it asks again, under the caller's own rights. */
export function applyRowChange(queryClient: QueryClient, library: string, change: RowChange): void {
  const document =
    change.table === 'comments' ? (change.new.document_id ?? change.old.document_id) : (change.new.id ?? change.old.id)
  if (document) void queryClient.invalidateQueries({ queryKey: keys.document(library, document) })
  if (change.table !== 'documents') return
  void queryClient.invalidateQueries({ queryKey: keys.documents(library) })
  void queryClient.invalidateQueries({ queryKey: keys.titles(library) })
}
