import type { QueryClient } from '@tanstack/react-query'
import { keys } from '../../domain/keys.ts'
import { batched } from '../../lib/batched.ts'
import { invalidateWithPending } from '../../lib/mutations.ts'
import { applyDocumentsEvents, applyRowChanges, DocumentsEvent, invalidateLists, RowChange } from './library-events.ts'
import { applyIngestEvents, IngestEvent } from './shelf-patches.ts'

/** Milliseconds before and between updates: a thousand added files cause a thousand messages. */
const SOON = 60
const PACE = 250
/** Milliseconds between progress refetches. */
const PROGRESS_PACE = 1000
/** Milliseconds between checks of saved searches while documents are read. */
const SEARCH_PACE = 5000
/** Lists are refetched at most once a second, and for at most a tenth of the time. */
const LIST_PACE = 1000
const LIST_SHARE = 10
const MEMBER_KEYS = [keys.channels, keys.members, keys.openInvitations, keys.grants, keys.groups]

/** Updates what is shown of a library from its channel's messages, ignoring unknown ones.
 *  @returns a handler for each kind of message, and a cleanup function. */
export function libraryUpdates(queryClient: QueryClient, library: string) {
  const refresh = (key: readonly string[]) => void invalidateWithPending(queryClient, key)
  const lists = paced(() => invalidateLists(queryClient, library), 0)
  const highlights = paced(() => invalidateWithPending(queryClient, keys.highlights(library)), SOON)
  const progress = batched<void>(() => refresh(keys.indexing(library)), SOON, PROGRESS_PACE)
  const rows = batched<RowChange>(
    (all) => {
      if (applyRowChanges(queryClient, library, all)) lists.add()
      if (all.some(({ table }) => table === 'documents')) progress.add()
      if (all.some(({ table }) => table === 'comments')) highlights.add()
    },
    SOON,
    PACE,
  )
  const arranged = batched<DocumentsEvent>(
    (all) => {
      applyDocumentsEvents(queryClient, library, all)
      lists.add()
    },
    SOON,
    PACE,
  )
  const facets = paced(() => invalidateWithPending(queryClient, keys.facets(library)), SOON)
  const readings = batched<IngestEvent>((all) => applyIngestEvents(queryClient, library, all), SOON, PACE)
  const found = batched<string>(() => refresh(keys.search(library)), SOON, SEARCH_PACE)
  return {
    onRow(change: unknown) {
      const parsed = RowChange.safeParse(change)
      if (parsed.success) rows.add(parsed.data)
    },
    onReading(payload: unknown) {
      const parsed = IngestEvent.safeParse(payload)
      if (!parsed.success) return
      const { state, document_id } = parsed.data
      readings.add(parsed.data)
      if (state === 'ready') found.add(document_id)
      // Reading finds authors and dates, or fails.
      if (state === 'ready' || state === 'failed') facets.add()
    },
    onDocuments(payload: unknown) {
      const parsed = DocumentsEvent.safeParse(payload)
      if (parsed.success) arranged.add(parsed.data)
    },
    onMembers() {
      for (const key of MEMBER_KEYS) refresh(key(library))
      // It contains the person's own role.
      refresh(keys.libraries)
    },
    onRequests() {
      refresh(keys.fileRequests(library))
    },
    cancel() {
      for (const batch of [rows, arranged, readings, facets, lists, highlights, progress, found]) batch.cancel()
    },
  }
}

function paced(fetchLists: () => Promise<unknown>, soon: number) {
  let cost = 0
  const fetchOnce = async () => {
    const start = performance.now()
    await fetchLists()
    cost = performance.now() - start
  }
  return batched<void>(
    () => void fetchOnce(),
    soon,
    () => Math.max(LIST_PACE, LIST_SHARE * cost),
  )
}
