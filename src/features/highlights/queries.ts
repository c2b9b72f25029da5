import { infiniteQueryOptions } from '@tanstack/react-query'
import { periodStart } from '../../domain/document-filter.ts'
import { keys } from '../../domain/keys.ts'
import { supabase } from '../../lib/backend/supabase.ts'
import type { HighlightFilter } from './filter.ts'

const PAGE = 200

const parametersOf = ({ q, person, color, collection, document, since }: HighlightFilter) => ({
  ...(q ? { words: q } : {}),
  ...(person ? { person } : {}),
  ...(color ? { color } : {}),
  ...(collection ? { collection } : {}),
  ...(document ? { document } : {}),
  ...(since ? { since: periodStart(since) } : {}),
})

type Position = { id?: string; created_at?: string }
const BEGINNING: Position = {}

/** A page of visible highlights after a cursor, newest first. */
export async function fetchHighlights(
  library: string,
  filter: HighlightFilter,
  { after, size = PAGE, signal }: { after: Position | undefined; size?: number; signal?: AbortSignal },
) {
  const request = supabase
    .rpc('find_highlights', {
      library,
      ...parametersOf(filter),
      ...(after?.id && after.created_at ? { before_time: after.created_at, before_id: after.id } : {}),
      max_results: size,
    })
    .select(
      'id, quote, body, color, page, start_offset, resolved_at, created_at, document_id, author:profiles!comments_created_by_fkey(display_name), document:documents!inner(title)',
    )
    .order('created_at', { ascending: false })
    .order('id', { ascending: false })
  return (await (signal ? request.abortSignal(signal) : request).throwOnError()).data
}
export type Highlight = Awaited<ReturnType<typeof fetchHighlights>>[number]

export const highlightsQuery = (library: string, filter: HighlightFilter) =>
  infiniteQueryOptions({
    queryKey: [...keys.highlights(library), filter],
    initialPageParam: BEGINNING,
    queryFn: ({ pageParam: after, signal }) => fetchHighlights(library, filter, { after, signal }),
    getNextPageParam: (page) => (page.length === PAGE ? page.at(-1) : undefined),
  })
