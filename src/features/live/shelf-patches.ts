import type { InfiniteData, QueryClient } from '@tanstack/react-query'
import * as z from 'zod/mini'
import { keys } from '../../domain/keys.ts'

const State = z.enum(['queued', 'extracting', 'embedding', 'ready', 'failed'])

/** The indexing progress of a document, as the database broadcasts it in the library's channel. */
export const IngestEvent = z.object({
  document_id: z.guid(),
  state: State,
  progress: z.number(),
  message: z.nullable(z.string()),
  page_count: z.nullable(z.number()),
})
export type IngestEvent = z.infer<typeof IngestEvent>

/** A changed document, as Realtime reports it. */
export const DocumentRow = z.object({
  id: z.guid(),
  title: z.string(),
  collection_id: z.nullable(z.string()),
  current_version_id: z.nullable(z.string()),
  deleted_at: z.nullable(z.string()),
  created_at: z.string(),
  updated_at: z.string(),
  state: State,
  state_message: z.nullable(z.string()),
  progress: z.number(),
  page_count: z.nullable(z.number()),
  summary: z.nullable(z.string()),
  excerpt: z.nullable(z.string()),
})
export type DocumentRow = z.infer<typeof DocumentRow>

type Card = Omit<DocumentRow, 'current_version_id' | 'deleted_at'> & { version: { id: string } | null }
type ShelfData = InfiniteData<{ documents: readonly Card[] }>

/** Changes cards on every cached shelf. What does not change stays the same object, so that its card is not rendered again. */
function patchCards(
  queryClient: QueryClient,
  library: string,
  patches: ReadonlyMap<string, (card: Card) => Partial<Card>>,
): void {
  const patched = (card: Card): Card => {
    const patch = patches.get(card.id)
    return patch ? { ...card, ...patch(card) } : card
  }
  queryClient.setQueriesData<ShelfData>({ queryKey: keys.documents(library) }, (shelf) => {
    if (!shelf?.pages.some(({ documents }) => documents.some(({ id }) => patches.has(id)))) return shelf
    return {
      ...shelf,
      pages: shelf.pages.map((page) =>
        page.documents.some(({ id }) => patches.has(id)) ? { ...page, documents: page.documents.map(patched) } : page,
      ),
    }
  })
}

/** Shows how far documents are read. Of several events of one document the last counts. */
export function applyIngestEvents(queryClient: QueryClient, library: string, events: readonly IngestEvent[]): void {
  const patches = new Map(
    events.map(({ document_id, state, progress, message, page_count }) => [
      document_id,
      (card: Card): Partial<Card> => ({
        state,
        progress,
        state_message: message,
        page_count: page_count ?? card.page_count,
      }),
    ]),
  )
  patchCards(queryClient, library, patches)
  for (const { document_id, state } of events) {
    if (state === 'ready') void queryClient.invalidateQueries({ queryKey: keys.document(library, document_id) })
  }
}

/** Shows changed documents on the cached shelves, as far as their places there stay as they are.
 *  @returns whether a shelf must be fetched again, because a document may have come, gone or moved. */
export function applyDocumentRows(queryClient: QueryClient, library: string, rows: readonly DocumentRow[]): boolean {
  const shelves = queryClient.getQueriesData<ShelfData>({ queryKey: keys.documents(library) })
  const cards = Map.groupBy(
    shelves.flatMap(([, shelf]) => shelf?.pages.flatMap(({ documents }) => documents) ?? []),
    ({ id }) => id,
  )
  const patches = new Map<string, () => Partial<Card>>()
  let mustFetch = false
  for (const row of rows) {
    if (!isInPlace(row, cards.get(row.id))) {
      mustFetch = true
      continue
    }
    const { state, state_message, progress, page_count, summary, excerpt, updated_at } = row
    patches.set(row.id, () => ({ state, state_message, progress, page_count, summary, excerpt, updated_at }))
  }
  patchCards(queryClient, library, patches)
  return mustFetch
}

/** Whether a change leaves a document where it is: only its reading went on. One that is on no cached shelf is below what has been
 *  fetched, if it is as it was added; else it may have been moved here.
 *  @param cards The document on each shelf that has it: of those that are not on screen some may be outdated. */
function isInPlace(row: DocumentRow, cards: readonly Card[] | undefined): boolean {
  if (row.deleted_at !== null) return false
  if (!cards) return isSameMoment(row.updated_at, row.created_at)
  return cards.every(
    (card) =>
      row.title === card.title &&
      row.collection_id === card.collection_id &&
      row.current_version_id === (card.version?.id ?? null) &&
      // The time of the change tells of every column that decides where a document stands, and of the summary, which reading writes.
      (isSameMoment(row.updated_at, card.updated_at) || row.summary !== card.summary),
  )
}

/** PostgREST and Realtime write moments differently. */
const isSameMoment = (one: string, other: string): boolean => Date.parse(one) === Date.parse(other)
