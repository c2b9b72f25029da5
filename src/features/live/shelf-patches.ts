import type { InfiniteData, QueryClient } from '@tanstack/react-query'
import * as z from 'zod/mini'
import { Constants } from '../../../supabase/functions/_shared/database.ts'
import { keys } from '../../domain/keys.ts'

const State = z.enum(Constants.public.Enums.indexing_state)

export const IngestEvent = z.object({
  document_id: z.guid(),
  state: State,
  progress: z.number(),
  problem: z.unknown(),
  page_count: z.nullable(z.number()),
})
export type IngestEvent = z.infer<typeof IngestEvent>

export const DocumentRow = z.object({
  id: z.guid(),
  title: z.string(),
  collection_id: z.nullable(z.string()),
  current_version_id: z.nullable(z.string()),
  deleted_at: z.nullable(z.string()),
  created_at: z.string(),
  updated_at: z.string(),
  state: State,
  problem: z.unknown(),
  progress: z.number(),
  recognition: z.nullable(z.enum(Constants.public.Enums.recognition_state)),
  recognition_problem: z.unknown(),
  page_count: z.nullable(z.number()),
  summary: z.nullable(z.string()),
  excerpt: z.nullable(z.string()),
})
export type DocumentRow = z.infer<typeof DocumentRow>

type Card = Omit<DocumentRow, 'current_version_id' | 'deleted_at'> & { version: { id: string } | null }
type ShelfData = InfiniteData<{ documents: readonly Card[]; next?: unknown }>

/** Changes cards on all cached shelves. Unchanged cards keep their identity, so that they don't rerender. */
function patchCards(
  queryClient: QueryClient,
  library: string,
  patches: ReadonlyMap<string, (card: Card) => Partial<Card>>,
): void {
  const patched = (card: Card): Card => {
    const patch = patches.get(card.id)
    return patch ? { ...card, ...patch(card) } : card
  }
  for (const query of queryClient.getQueryCache().findAll({ queryKey: keys.documents(library) })) {
    const shelf = query.state.data as ShelfData | undefined
    if (!shelf?.pages.some(({ documents }) => documents.some(({ id }) => patches.has(id)))) continue
    const pages = shelf.pages.map((page) =>
      page.documents.some(({ id }) => patches.has(id)) ? { ...page, documents: page.documents.map(patched) } : page,
    )
    // Not setQueryData, which would mark a stale response as fresh.
    query.setState({ data: { ...shelf, pages } })
  }
}

/** Shows reading progress. The last event of each document counts. */
export function applyIngestEvents(queryClient: QueryClient, library: string, events: readonly IngestEvent[]): void {
  const patches = new Map(
    events.map(({ document_id, state, progress, problem, page_count }) => [
      document_id,
      (card: Card): Partial<Card> => ({
        state,
        progress,
        problem,
        page_count: page_count ?? card.page_count,
      }),
    ]),
  )
  patchCards(queryClient, library, patches)
  for (const { document_id, state } of events) {
    if (state === 'ready') void queryClient.invalidateQueries({ queryKey: keys.document(library, document_id) })
  }
}

/** Applies changed documents to cached shelves, if their positions stay the same.
 *  @returns whether a shelf must be refetched, because a document may have been added, removed or moved. */
export function applyDocumentRows(queryClient: QueryClient, library: string, rows: readonly DocumentRow[]): boolean {
  const shelves = queryClient
    .getQueriesData<ShelfData>({ queryKey: keys.documents(library) })
    .map(([queryKey, data]) => readShelf(queryKey, data))
  const patches = new Map<string, () => Partial<Card>>()
  let mustFetch = false
  for (const row of rows) {
    if (!shelves.every((shelf) => isInPlace(row, shelf))) {
      mustFetch = true
      continue
    }
    const { state, problem, progress, recognition, recognition_problem, page_count, summary, excerpt, updated_at } = row
    const read = { state, problem, progress, recognition, recognition_problem, page_count }
    patches.set(row.id, () => ({ ...read, summary, excerpt, updated_at }))
  }
  patchCards(queryClient, library, patches)
  return mustFetch
}

type Shelf = {
  /** Undefined during the first fetch, whose response may be older than the change. */
  cards: ReadonlyMap<string, Card> | undefined
  /** Undefined for all collections. */
  collection: string | undefined
  /** Whether it has all documents of its collection, so that a missing one isn't in it. */
  isWhole: boolean
}

/** @param queryKey Its last part has the shelf's filter and order. */
function readShelf(queryKey: readonly unknown[], data: ShelfData | undefined): Shelf {
  const { collection, sort, ...filters } = queryKey.at(-1) as Record<string, string | undefined>
  const isNarrowed = Object.values(filters).some((value) => value !== undefined)
  const cards = data?.pages.flatMap(({ documents }) => documents.map((card) => [card.id, card] as const))
  return {
    cards: cards && new Map(cards),
    collection,
    isWhole: !isNarrowed && !data?.pages.at(-1)?.next,
  }
}

/** Whether a document keeps its position, because only its reading progressed. */
function isInPlace(row: DocumentRow, { cards, collection, isWhole }: Shelf): boolean {
  if (!cards) return false
  const card = cards.get(row.id)
  const belongs = row.deleted_at === null && (collection === undefined || row.collection_id === collection)
  if (!card) return !(belongs && isWhole) && (!belongs || isSameMoment(row.updated_at, row.created_at))
  return (
    belongs &&
    row.title === card.title &&
    row.collection_id === card.collection_id &&
    row.current_version_id === (card.version?.id ?? null) &&
    // The timestamp covers all columns that affect the position, and the summary, which reading writes.
    (isSameMoment(row.updated_at, card.updated_at) || row.summary !== card.summary)
  )
}

/** PostgREST and Realtime format times differently. */
const isSameMoment = (one: string, other: string): boolean => Date.parse(one) === Date.parse(other)
