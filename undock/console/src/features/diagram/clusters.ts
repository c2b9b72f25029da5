/** The maximum number of tables in a cluster, so that it's easy to read. */
const MAX_CLUSTER_TABLES = 12

type Tie = { readonly from: string; readonly to: string }

/** Divides tables into clusters with many ties within and few between them: greedy merging by modularity (Newman, 2004).
 *  @returns the clusters, largest first. A table without ties, or whose clusters are full, is alone. */
export function clustersOf(members: readonly string[], ties: readonly Tie[]): string[][] {
  const known = new Set(members)
  const edges = ties.filter(({ from, to }) => from !== to && known.has(from) && known.has(to))
  const clusters = new Map(members.map((member) => [member, [member]]))
  const clusterOf = new Map(members.map((member) => [member, member]))
  const degrees = new Map<string, number>()
  for (const { from, to } of edges) for (const end of [from, to]) degrees.set(end, (degrees.get(end) ?? 0) + 1)
  for (;;) {
    const outside = new Map<string, number>()
    const between = new Map<string, { a: string; b: string; count: number }>()
    for (const { from, to } of edges) {
      const [a = from, b = to] = [clusterOf.get(from) ?? from, clusterOf.get(to) ?? to].sort()
      if (a === b) continue
      const pair = between.get(`${a}\u0000${b}`) ?? { a, b, count: 0 }
      pair.count += 1
      for (const end of [a, b]) outside.set(end, (outside.get(end) ?? 0) + 1)
      between.set(`${a}\u0000${b}`, pair)
    }
    let best: { a: string; b: string; share: number; gain: number } | undefined
    for (const { a, b, count } of between.values()) {
      const [left = [], right = []] = [clusters.get(a), clusters.get(b)]
      if (left.length + right.length > MAX_CLUSTER_TABLES) continue
      const gain = count / edges.length - ((degrees.get(a) ?? 0) * (degrees.get(b) ?? 0)) / (2 * edges.length ** 2)
      // A table on its own would show none of its ties.
      if (gain <= 0 && left.length > 1 && right.length > 1) continue
      const share = count / Math.min(outside.get(a) ?? 1, outside.get(b) ?? 1)
      if (!best || share > best.share || (share === best.share && gain > best.gain)) best = { a, b, share, gain }
    }
    if (!best) break
    const { a, b } = best
    const joined = clusters.get(b) ?? []
    for (const member of joined) clusterOf.set(member, a)
    clusters.set(a, [...(clusters.get(a) ?? []), ...joined])
    clusters.delete(b)
    degrees.set(a, (degrees.get(a) ?? 0) + (degrees.get(b) ?? 0))
  }
  return [...clusters.values()].sort((left, right) => right.length - left.length)
}
