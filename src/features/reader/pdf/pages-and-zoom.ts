import { latinDigits } from '../../../lib/i18n/digits.ts'
import { withoutGroups } from '../../../lib/i18n/i18n.ts'

/** 1 fills the column. */
const ZOOMS = [0.5, 0.75, 1, 1.25, 1.5, 2, 3]

/** The next larger or smaller zoom; null where there is none. */
export const zoomed = (zoom: number, by: 1 | -1): number | null => {
  const index = ZOOMS.indexOf(zoom)
  return index === -1 ? null : (ZOOMS[index + by] ?? null)
}

/** What is printed on the pages, where that is not their number: "iv" or "149". A label that several pages have names none. */
export type PageLabels = readonly string[] | null

/** The labels of a PDF, as far as they say more than the numbers of its pages. */
export const usefulLabels = (labels: readonly string[] | null): PageLabels =>
  labels?.some((label, index) => label !== '' && label !== String(index + 1)) ? labels : null

/** What a page is called. */
export const labelOf = (page: number, labels: PageLabels): string => labels?.[page - 1] || withoutGroups(page)

/** The page that a person typed: the one with that label, else the nearest one to that number; null for what is neither. */
export function pageOf(typed: string, pages: number, labels: PageLabels = null): number | null {
  const written = latinDigits(typed).trim()
  const named = labels?.findIndex((label) => label.toLowerCase() === written.toLowerCase()) ?? -1
  if (named !== -1) return named + 1
  const page = Math.min(pages, Math.max(1, Math.trunc(Number(written))))
  return Number.isNaN(page) ? null : page
}
