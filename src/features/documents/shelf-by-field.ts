import { dayRange } from '../../domain/day-range.ts'
import { periodStart } from '../../domain/document-filter.ts'
import { fieldSort } from '../../domain/field-sort.ts'
import { verifiedRange } from '../../domain/verification.ts'
import { supabase } from '../../lib/backend/supabase.ts'
import { cardsById, FIRST, PAGE, type ShelfPage } from './card.ts'
import { type Cursor, orderOf, type Shelf } from './shelf/shelf-search.ts'

/** A page of a shelf where fields decide what is on it, or its order: the database lists the documents first. */
export async function fetchShelfByField(
  library: string,
  { collection, tag, kind, person, since, author, dated, verified, state, fields, sort }: Shelf,
  cursor: Cursor | null,
  signal: AbortSignal,
): Promise<ShelfPage> {
  const days = dated === undefined ? undefined : dayRange(dated)
  const { from, to } = verifiedRange(verified)
  const byField = fieldSort(sort)
  const order = orderOf(sort)
  const size = cursor ? PAGE : FIRST
  const { data: listed } = await supabase
    .rpc('shelf_page', {
      library,
      filters: {
        ...(collection ? { place: collection } : {}),
        ...(fields ? { fields } : {}),
        ...(tag ? { tags: [tag] } : {}),
        ...(kind ? { kinds: [kind] } : {}),
        ...(person ? { people: [person] } : {}),
        ...(since ? { since: periodStart(since) } : {}),
        ...(author ? { author } : {}),
        ...(days?.from ? { dated_from: days.from } : {}),
        ...(days?.to ? { dated_to: days.to } : {}),
        ...(from ? { verified_from: from } : {}),
        ...(to ? { verified_to: to } : {}),
        ...(state ? { state } : {}),
      },
      ...(byField ? { field: byField.field } : {}),
      // By the field, or as by default where it does not hold.
      sort: order.column,
      descending: byField ? byField.descending : !order.ascending,
      ...(cursor ? { after: cursor } : {}),
      max_results: size,
    })
    .abortSignal(signal)
    .throwOnError()
  const ids = listed.map(({ document_id }) => document_id)
  const batches = Array.from({ length: Math.ceil(ids.length / FIRST) }, (_, n) => ids.slice(n * FIRST, (n + 1) * FIRST))
  const answers = await Promise.all(batches.map((batch) => cardsById(batch).abortSignal(signal).throwOnError()))
  const cards = new Map(answers.flatMap(({ data }) => data).map((card) => [card.id, card]))
  const last = listed.length === size ? listed.at(-1) : undefined
  return {
    documents: ids.flatMap((id) => cards.get(id) ?? []),
    total: cursor ? null : (listed[0]?.total ?? 0),
    next: last && (last.place as Cursor),
  }
}
