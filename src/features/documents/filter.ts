import * as z from 'zod/mini'

const absent = <Shape extends z.ZodMiniType>(shape: Shape) => z.catch(z.optional(shape), undefined)

/** What the shelf shows, as it stands in the address: a filter that somebody typed wrong is no filter. */
export const ShelfSearch = z.object({
  collection: absent(z.guid()),
  tag: absent(z.guid()),
  kind: absent(z.enum(['file', 'note', 'link'])),
  sort: absent(z.enum(['newest', 'oldest', 'title', 'changed'])),
  view: absent(z.enum(['grid', 'list'])),
})
export type ShelfSearch = z.infer<typeof ShelfSearch>

export type Shelf = Pick<ShelfSearch, 'collection' | 'tag' | 'kind' | 'sort'>

export const SORTS = [
  { value: 'newest', label: 'Newest first', column: 'created_at', ascending: false },
  { value: 'oldest', label: 'Oldest first', column: 'created_at', ascending: true },
  { value: 'changed', label: 'Last changed', column: 'updated_at', ascending: false },
  { value: 'title', label: 'Title', column: 'title', ascending: true },
] as const

export const orderOf = (sort: Shelf['sort']) => SORTS.find(({ value }) => value === sort) ?? SORTS[0]
