export type Collection = { id: string; name: string; parent_id: string | null }
export type Branch = Collection & { depth: number; children: Branch[] }

/** The database's own limit on how deep collections can be nested. */
export const DEEPEST = 20

/** Collections as a tree. One whose parent the caller cannot see is at the top. */
export function treeOf(collections: readonly Collection[]): Branch[] {
  const known = new Set(collections.map(({ id }) => id))
  const byParent = Map.groupBy(collections, ({ parent_id }) => (parent_id && known.has(parent_id) ? parent_id : null))
  const grow = (parent: string | null, depth: number): Branch[] =>
    depth > DEEPEST
      ? []
      : (byParent.get(parent) ?? []).map((collection) => ({
          ...collection,
          depth,
          children: grow(collection.id, depth + 1),
        }))
  return grow(null, 1)
}

/** A tree as one list, each collection followed by those inside it. */
export const flatten = (branches: readonly Branch[]): Branch[] =>
  branches.flatMap((branch) => [branch, ...flatten(branch.children)])

/** A collection and everything inside it, outermost first. */
export function within(collections: readonly Collection[], collection: string): string[] {
  const branch = flatten(treeOf(collections)).find(({ id }) => id === collection)
  return branch ? flatten([branch]).map(({ id }) => id) : []
}

/** From the top down to a collection, itself included. */
export function pathTo(collections: readonly Collection[], collection: string | undefined): Collection[] {
  const path: Collection[] = []
  let next = collections.find(({ id }) => id === collection)
  while (next && path.length < DEEPEST) {
    path.unshift(next)
    const parent: string | null = next.parent_id
    next = collections.find(({ id }) => id === parent)
  }
  return path
}

const heightOf = (branch: Branch): number => 1 + Math.max(0, ...branch.children.map(heightOf))

/** Where a collection may go: not into itself, not where it already is, and never deeper than the limit. */
export function moveTargets(collections: readonly Collection[], collection: string): Branch[] {
  const all = flatten(treeOf(collections))
  const moved = all.find(({ id }) => id === collection)
  if (!moved) return []
  const inside = new Set(within(collections, collection))
  return all.filter(({ id, depth }) => !inside.has(id) && depth + heightOf(moved) <= DEEPEST)
}

/** All collections in the order of the tree, each named by the way to it: "Lamps / Oil". */
export const pathsOf = (collections: readonly Collection[]): { id: string; name: string }[] =>
  flatten(treeOf(collections)).map(({ id }) => ({
    id,
    name: pathTo(collections, id)
      .map(({ name }) => name)
      .join(' / '),
  }))
