import type { QueryClient } from '@tanstack/react-query'
import * as z from 'zod/mini'
import { keys } from '../../domain/keys.ts'
import { invalidateWithPending } from '../../lib/mutations.ts'
import { applyDocumentRows, DocumentRow } from './shelf-patches.ts'

/** A Realtime message about the channel itself. */
export const SystemMessage = z.object({ status: z.string() })

/** A message on a person's channel: their rights in a library have changed. */
export const AccessEvent = z.object({ library_id: z.guid(), may_be_less: z.boolean() })
export type AccessEvent = z.infer<typeof AccessEvent>

/** Refetches what is shown of a library with the current rights. If these may have shrunk, drops everything else, which
 *  could otherwise be read offline without a new check. */
export function applyAccess(queryClient: QueryClient, { library_id, may_be_less }: AccessEvent): Promise<void> {
  const queryKey = keys.library(library_id)
  if (may_be_less) queryClient.removeQueries({ queryKey, type: 'inactive' })
  void invalidateWithPending(queryClient, keys.libraries)
  return invalidateWithPending(queryClient, queryKey)
}

/** Tables that are refetched as a whole. */
const LISTS = {
  collections: keys.collections,
  tags: keys.tags,
  collection_fields: keys.fields,
  field_options: keys.fields,
} as const

export const RowChange = z.object({
  eventType: z.enum(['INSERT', 'UPDATE', 'DELETE']),
  table: z.enum(['documents', 'comments', 'collections', 'tags', 'collection_fields', 'field_options']),
  new: z.looseObject({ id: z.optional(z.guid()), document_id: z.optional(z.guid()) }),
  old: z.object({ id: z.optional(z.guid()), document_id: z.optional(z.guid()) }),
})
export type RowChange = z.infer<typeof RowChange>

/** Applies changed rows directly where possible and otherwise invalidates each query once, which refetches with the
 *  caller's rights.
 *  @returns whether document lists must be refetched (`invalidateLists`), the expensive part. The caller also handles
 *  indexing progress. */
export function applyRowChanges(queryClient: QueryClient, library: string, changes: readonly RowChange[]): boolean {
  const stale = new Map<string, readonly string[]>()
  const add = (queryKey: readonly string[]) => stale.set(queryKey.join(), queryKey)
  const rows = new Map<string, DocumentRow>()
  let mustFetchLists = false
  for (const { eventType, table, new: now, old } of changes) {
    if (table !== 'documents' && table !== 'comments') {
      add(LISTS[table](library))
      continue
    }
    const document = table === 'comments' ? (now.document_id ?? old.document_id) : (now.id ?? old.id)
    if (document) add(keys.document(library, document))
    if (table !== 'documents') continue
    const row = DocumentRow.safeParse(now)
    if (eventType === 'UPDATE' && row.success) rows.set(row.data.id, row.data)
    else mustFetchLists = true
  }
  if (applyDocumentRows(queryClient, library, [...rows.values()])) mustFetchLists = true
  for (const queryKey of stale.values()) void invalidateWithPending(queryClient, queryKey)
  return mustFetchLists
}

/** A message on a library's channel: documents with changed tags or fields; null for too many to name. */
export const DocumentsEvent = z.object({ ids: z.nullable(z.array(z.guid())) })
export type DocumentsEvent = z.infer<typeof DocumentsEvent>

/** Refetches open documents with changed tags or fields. The caller handles lists. */
export function applyDocumentsEvents(
  queryClient: QueryClient,
  library: string,
  events: readonly DocumentsEvent[],
): void {
  if (events.some(({ ids }) => ids === null)) void invalidateWithPending(queryClient, keys.openDocuments(library))
  for (const id of new Set(events.flatMap(({ ids }) => ids ?? [])))
    void invalidateWithPending(queryClient, keys.document(library, id))
}

export const invalidateLists = (queryClient: QueryClient, library: string): Promise<unknown> =>
  Promise.all(
    [keys.documents, keys.titles, keys.trash, keys.highlights].map((list) =>
      invalidateWithPending(queryClient, list(library)),
    ),
  )
