export type Collection = { id: string; name: string; parent_id: string | null }
export type Branch = Collection & { depth: number; children: Branch[] }

/** The database's nesting limit. */
export const MAX_DEPTH = 20

/** Builds the tree. A collection whose parent is hidden is at the top level. */
export function treeOf(collections: readonly Collection[]): Branch[] {
  const known = new Set(collections.map(({ id }) => id))
  const byParent = Map.groupBy(collections, ({ parent_id }) => (parent_id && known.has(parent_id) ? parent_id : null))
  const grow = (parent: string | null, depth: number): Branch[] =>
    depth > MAX_DEPTH
      ? []
      : (byParent.get(parent) ?? []).map((collection) => ({
          ...collection,
          depth,
          children: grow(collection.id, depth + 1),
        }))
  return grow(null, 1)
}

export const flatten = (branches: readonly Branch[]): Branch[] =>
  branches.flatMap((branch) => [branch, ...flatten(branch.children)])

/** Returns a collection and its descendants, outermost first. */
export function within(collections: readonly Collection[], collection: string): string[] {
  const branch = flatten(treeOf(collections)).find(({ id }) => id === collection)
  return branch ? flatten([branch]).map(({ id }) => id) : []
}

/** Returns the path from the top to a collection, inclusive. */
export function pathTo(collections: readonly Collection[], collection: string | undefined): Collection[] {
  const path: Collection[] = []
  let next = collections.find(({ id }) => id === collection)
  while (next && path.length < MAX_DEPTH) {
    path.unshift(next)
    const parent: string | null = next.parent_id
    next = collections.find(({ id }) => id === parent)
  }
  return path
}

const heightOf = (branch: Branch): number => 1 + Math.max(0, ...branch.children.map(heightOf))

/** Returns where a collection can move: not into itself, not where it is, and not too deep. */
export function moveTargets(collections: readonly Collection[], collection: string): Branch[] {
  const all = flatten(treeOf(collections))
  const moved = all.find(({ id }) => id === collection)
  if (!moved) return []
  const inside = new Set(within(collections, collection))
  return all.filter(({ id, depth }) => !inside.has(id) && depth + heightOf(moved) <= MAX_DEPTH)
}

/** Returns all collections in tree order with their paths: "Lamps / Oil". */
export const pathsOf = (collections: readonly Collection[]): { id: string; name: string }[] =>
  flatten(treeOf(collections)).map(({ id }) => ({
    id,
    name: pathTo(collections, id)
      .map(({ name }) => name)
      .join(' / '),
  }))
