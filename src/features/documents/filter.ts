import * as z from 'zod/mini'
import { msg } from '../../lib/i18n.ts'

const absent = <Shape extends z.ZodMiniType>(shape: Shape) => z.catch(z.optional(shape), undefined)

/** What the shelf shows, as it stands in the address: a filter that somebody typed wrong is no filter. */
export const ShelfSearch = z.object({
  collection: absent(z.guid()),
  tag: absent(z.guid()),
  kind: absent(z.enum(['file', 'note', 'link'])),
  person: absent(z.guid()),
  since: absent(z.enum(['week', 'month', 'year'])),
  sort: absent(z.enum(['newest', 'oldest', 'title', 'changed'])),
  view: absent(z.enum(['grid', 'list'])),
})
export type ShelfSearch = z.infer<typeof ShelfSearch>

export type Shelf = Pick<ShelfSearch, 'collection' | 'tag' | 'kind' | 'person' | 'since' | 'sort'>

const DAYS = { week: 7, month: 30, year: 365 } as const

/** The moment before which a document is too old, as an ISO timestamp: a whole day, so that a shelf's key stays the same
 *  from one minute to the next. */
export function earliest(since: NonNullable<Shelf['since']>, now: number = Date.now()): string {
  const day = 86_400_000
  return new Date(Math.floor(now / day) * day - DAYS[since] * day).toISOString()
}

export const SORTS = [
  { value: 'newest', label: msg('Newest first'), column: 'created_at', ascending: false },
  { value: 'oldest', label: msg('Oldest first'), column: 'created_at', ascending: true },
  { value: 'changed', label: msg('Last changed'), column: 'updated_at', ascending: false },
  { value: 'title', label: msg('Title'), column: 'title', ascending: true },
] as const

export const orderOf = (sort: Shelf['sort']) => SORTS.find(({ value }) => value === sort) ?? SORTS[0]

/** Where a page of the shelf ended: the last document's place in the order, and its id for those that share it. */
export type Cursor = { value: string; id: string }

/** What comes after a cursor, in PostgREST's own words. Values are quoted, because a title may hold any of its signs. */
export function after({ column, ascending }: ReturnType<typeof orderOf>, { value, id }: Cursor): string {
  const quoted = `"${value.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`
  return `${column}.${ascending ? 'gt' : 'lt'}.${quoted},and(${column}.eq.${quoted},id.gt.${id})`
}
