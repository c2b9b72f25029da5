import type { InfiniteData, QueryClient } from '@tanstack/react-query'
import * as z from 'zod/mini'
import { keys } from '../../domain/keys.ts'

/** The indexing progress of a document, as the database broadcasts it in the library's channel. */
export const IngestEvent = z.object({
  document_id: z.guid(),
  state: z.enum(['queued', 'extracting', 'embedding', 'ready', 'failed']),
  progress: z.number(),
  message: z.nullable(z.string()),
  page_count: z.nullable(z.number()),
})
export type IngestEvent = z.infer<typeof IngestEvent>

/** A message of the Realtime service about the channel itself. */
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

/** Applies an indexing event to the query cache. */
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
  if (event.state === 'ready') invalidateWithPending(queryClient, keys.document(library, event.document_id))
}

/** Invalidates queries, including those whose first answer is pending: it may not contain the change, and invalidating a
 *  pending query does not fetch it again. */
export function invalidateWithPending(queryClient: QueryClient, queryKey: readonly string[]): void {
  for (const { state, promise, queryKey: one } of queryClient.getQueryCache().findAll({ queryKey })) {
    if (state.data !== undefined || state.fetchStatus === 'idle') continue
    const again = () => queryClient.invalidateQueries({ queryKey: one, exact: true })
    void promise?.then(again, () => {})
  }
  void queryClient.invalidateQueries({ queryKey })
}

/** Tables that are shown, and fetched again, as a whole. */
const LISTS = { collections: keys.collections, tags: keys.tags } as const

export const RowChange = z.object({
  table: z.enum(['documents', 'comments', 'collections', 'tags']),
  new: z.object({ id: z.optional(z.guid()), document_id: z.optional(z.guid()) }),
  old: z.object({ id: z.optional(z.guid()), document_id: z.optional(z.guid()) }),
})
export type RowChange = z.infer<typeof RowChange>

/** Invalidates the queries that show changed rows, each once; they are fetched again with the caller's own rights. */
export function applyRowChanges(queryClient: QueryClient, library: string, changes: readonly RowChange[]): void {
  const stale = new Map<string, readonly string[]>()
  const add = (queryKey: readonly string[]) => stale.set(queryKey.join(), queryKey)
  for (const { table, new: now, old } of changes) {
    if (table === 'collections' || table === 'tags') {
      add(LISTS[table](library))
      continue
    }
    const document = table === 'comments' ? (now.document_id ?? old.document_id) : (now.id ?? old.id)
    if (document) add(keys.document(library, document))
    if (table === 'documents')
      for (const list of [keys.documents, keys.titles, keys.trash, keys.indexing]) add(list(library))
  }
  for (const queryKey of stale.values()) invalidateWithPending(queryClient, queryKey)
}
