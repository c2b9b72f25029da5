import * as z from 'zod/mini'
import { ShelfFilter } from '../../../domain/document-filter.ts'
import { fieldSort } from '../../../domain/field-sort.ts'
import { msg } from '../../../lib/i18n/i18n.ts'
import { lenient } from '../../../lib/lenient.ts'

export const ShelfSearch = z.extend(ShelfFilter, {
  /** May be a field of the collection: see fieldSort. */
  sort: lenient(
    z.union([
      z.enum(['newest', 'oldest', 'title', 'changed']),
      z.string().check(z.refine((sort) => fieldSort(sort) !== undefined)),
    ]),
  ),
  view: lenient(z.enum(['grid', 'cards', 'list', 'board'])),
  /** The board's field; defaults to the first suitable one. */
  group: lenient(z.guid()),
})
export type ShelfSearch = z.infer<typeof ShelfSearch>

export type Shelf = Omit<ShelfSearch, 'view' | 'group'>

export const SORTS = [
  { value: 'newest', label: msg('Newest first'), column: 'created_at', ascending: false },
  { value: 'oldest', label: msg('Oldest first'), column: 'created_at', ascending: true },
  { value: 'changed', label: msg('Last changed'), column: 'updated_at', ascending: false },
  { value: 'title', label: msg('Title'), column: 'title', ascending: true },
] as const

/** The shelf's order: from the URL, or else the collection's. */
export const withDefaultSort = <Search extends Pick<Shelf, 'collection' | 'sort'>>(
  shelf: Search,
  collections: readonly { id: string; sort_field_id: string | null; sort_descending: boolean }[],
): Search => {
  const here = collections.find(({ id }) => id === shelf.collection)
  return shelf.sort !== undefined || !here?.sort_field_id
    ? shelf
    : { ...shelf, sort: `${here.sort_descending ? '-' : ''}${here.sort_field_id}` }
}

export const orderOf = (sort: Shelf['sort']) => SORTS.find(({ value }) => value === sort) ?? SORTS[0]

/** The last document's sort value, and its id as a tiebreaker. */
export type Cursor = { value: string | number | null; id: string }

/** PostgREST's filter for rows after a cursor. Values are quoted, because titles may contain operators. */
export function after({ column, ascending }: ReturnType<typeof orderOf>, { value, id }: Cursor): string {
  const quoted = `"${String(value).replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`
  return `${column}.${ascending ? 'gt' : 'lt'}.${quoted},and(${column}.eq.${quoted},id.gt.${id})`
}
