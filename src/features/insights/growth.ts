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

/** The numbers beside a chart: from 0 to the first at or above `most`, in at most five equal steps of 1, 2 or 5, or ten, a hundred
 *  … times as much. */
export function ticks(most: number): number[] {
  const power = 10 ** Math.max(0, Math.ceil(Math.log10(Math.max(1, most) / 5)) - 1)
  const step = [1, 2, 5, 10].map((times) => times * power).find((one) => one * 5 >= most) ?? 10 * power
  const count = Math.max(1, Math.ceil(most / step))
  return Array.from({ length: count + 1 }, (_, index) => index * step)
}
