import * as z from 'zod/mini'
import { DocumentFilter } from '../../../domain/document-filter.ts'
import { fieldSort } from '../../../domain/field-sort.ts'
import { VERIFICATION_FILTERS } from '../../../domain/verification.ts'
import { msg } from '../../../lib/i18n/i18n.ts'
import { lenient } from '../../../lib/lenient.ts'

export const STATES = ['failed', 'proposed'] as const

/** What the shelf shows, as it is in the address. */
export const ShelfSearch = z.extend(DocumentFilter, {
  /** Of a collection also one of its fields: see fieldSort. */
  sort: lenient(
    z.union([
      z.enum(['newest', 'oldest', 'title', 'changed']),
      z.string().check(z.refine((sort) => fieldSort(sort) !== undefined)),
    ]),
  ),
  view: lenient(z.enum(['grid', 'cards', 'list', 'board'])),
  /** The field whose values are the columns of a board; the first that can be, if it is none of them. */
  group: lenient(z.guid()),
  /** Until when it is verified. */
  verified: lenient(z.enum(VERIFICATION_FILTERS)),
  /** What somebody has to look at: what could not be read, and changes that wait to be approved. */
  state: lenient(z.enum(STATES)),
})
export type ShelfSearch = z.infer<typeof ShelfSearch>

export type Shelf = DocumentFilter & Pick<ShelfSearch, 'sort' | 'verified' | 'state'>

export const SORTS = [
  { value: 'newest', label: msg('Newest first'), column: 'created_at', ascending: false },
  { value: 'oldest', label: msg('Oldest first'), column: 'created_at', ascending: true },
  { value: 'changed', label: msg('Last changed'), column: 'updated_at', ascending: false },
  { value: 'title', label: msg('Title'), column: 'title', ascending: true },
] as const

/** The order of a shelf: that of the address, or else that of its collection. */
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

/** Where a page of the shelf ended: the last document's place in the order, and its id for those that share it. */
export type Cursor = { value: string | number | null; id: string }

/** PostgREST's filter for the rows after a cursor. Values are quoted, because a title may contain its operators. */
export function after({ column, ascending }: ReturnType<typeof orderOf>, { value, id }: Cursor): string {
  const quoted = `"${String(value).replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`
  return `${column}.${ascending ? 'gt' : 'lt'}.${quoted},and(${column}.eq.${quoted},id.gt.${id})`
}
