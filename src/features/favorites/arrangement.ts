import type { Favorite } from './queries.ts'

export type FavoriteOrder = 'own' | 'newest'

/** @param before The favorite to move before; undefined for the end. */
export function moved<Item extends { id: string }>(
  items: readonly Item[],
  id: string,
  before: string | undefined,
): Item[] {
  const item = items.find((one) => one.id === id)
  const others = items.filter((one) => one.id !== id)
  const place = others.findIndex((one) => one.id === before)
  return item ? others.toSpliced(place === -1 ? others.length : place, 0, item) : others
}

/** Returns the favorite that follows an item moved between two positions. */
export const follower = (items: readonly { id: string }[], from: number, to: number): string | undefined =>
  (from < to ? items[to + 1] : items[to])?.id

export const inOrder = (favorites: readonly Favorite[], order: FavoriteOrder): readonly Favorite[] =>
  order === 'own' ? favorites : favorites.toSorted((a, b) => b.created_at.localeCompare(a.created_at))
