type Week = { week: string; documents: number }
export type Point = { week: string; added: number; total: number }

const WEEK_MS = 7 * 86_400_000
/** Weeks that a chart shows without overlapping labels. */
const MOST = 52

/** The library's growth week by week over the last year, including weeks without new documents.
 *  @param weeks Those with documents, by their Monday ("2026-01-05"), in order. */
export function growth(weeks: readonly Week[], now: number = Date.now()): Point[] {
  const first = weeks[0]
  if (!first) return []
  const added = new Map(weeks.map(({ week, documents }) => [week, documents]))
  const points: Point[] = []
  let total = 0
  // The week before the first is the starting point.
  for (let time = Date.parse(`${first.week}T00:00:00Z`) - WEEK_MS; time <= now; time += WEEK_MS) {
    const week = new Date(time).toISOString().slice(0, 10)
    total += added.get(week) ?? 0
    points.push({ week, added: added.get(week) ?? 0, total })
  }
  return points.slice(-MOST)
}
