/** A day in milliseconds. */
export const DAY_MS = 86_400_000

export type DayRange = { readonly from: string | undefined; readonly to: string | undefined }

/** Returns the first and last day of a date range, as `YYYY-MM-DD`.
 *  @param text A day, month or year ("2026-03-05", "2026-03", "2026"),
 *  or a range ("2019..2021", "2019..", "..2021").
 *  @returns undefined if it's invalid or ends before it begins. */
export function dayRange(text: string): DayRange | undefined {
  const [start = '', end = start, ...others] = text.split('..')
  const from = dayOf(start, 'first')
  const to = dayOf(end, 'last')
  const isMissing = (start !== '' && !from) || (end !== '' && !to) || (!from && !to)
  return others.length > 0 || isMissing || (from && to && from > to) ? undefined : { from, to }
}

function dayOf(date: string, which: 'first' | 'last'): string | undefined {
  const [, year, month, day] = /^(?!0000)(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?$/.exec(date) ?? []
  if (year === undefined) return undefined
  const inMonth = month === undefined ? (which === 'first' ? 1 : 12) : Number(month)
  const lastOfMonth = new Date(0)
  // Day 0 is the last of the previous month; months count from 0.
  lastOfMonth.setUTCFullYear(Number(year), inMonth, 0)
  const daysOfMonth = lastOfMonth.getUTCDate()
  const onDay = day === undefined ? (which === 'first' ? 1 : daysOfMonth) : Number(day)
  if (inMonth < 1 || inMonth > 12 || onDay < 1 || onDay > daysOfMonth) return undefined
  return [year, String(inMonth).padStart(2, '0'), String(onDay).padStart(2, '0')].join('-')
}
