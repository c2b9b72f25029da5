type Week = { week: string; documents: number }
export type Point = { week: string; added: number; total: number }

const WEEK_MS = 7 * 86_400_000
/** Weeks that fit without overlapping labels. */
const MAX_WEEKS = 52

/** Returns the library's weekly growth over the last year, including empty weeks.
 *  @param weeks Weeks with documents, by Monday ("2026-01-05"), in order. */
export function growth(weeks: readonly Week[], now: number = Date.now()): Point[] {
  const first = weeks[0]
  if (!first) return []
  const added = new Map(weeks.map(({ week, documents }) => [week, documents]))
  const points: Point[] = []
  let total = 0
  for (let time = Date.parse(`${first.week}T00:00:00Z`) - WEEK_MS; time <= now; time += WEEK_MS) {
    const week = new Date(time).toISOString().slice(0, 10)
    total += added.get(week) ?? 0
    points.push({ week, added: added.get(week) ?? 0, total })
  }
  return points.slice(-MAX_WEEKS)
}

/** Returns axis ticks from 0 to at least `most`, in at most five equal steps of 1, 2 or 5 times a power of ten. */
export function ticks(most: number): number[] {
  const power = 10 ** Math.max(0, Math.ceil(Math.log10(Math.max(1, most) / 5)) - 1)
  const step = [1, 2, 5, 10].map((times) => times * power).find((one) => one * 5 >= most) ?? 10 * power
  const count = Math.max(1, Math.ceil(most / step))
  return Array.from({ length: count + 1 }, (_, index) => index * step)
}
