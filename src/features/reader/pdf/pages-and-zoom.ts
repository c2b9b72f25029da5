import { latinDigits } from '../../../lib/i18n/digits.ts'
import { withoutGroups } from '../../../lib/i18n/i18n.ts'

/** 1 fits the column. */
const ZOOMS = [0.5, 0.75, 1, 1.25, 1.5, 2, 3]

/** Returns the next zoom step, or null. */
export const zoomed = (zoom: number, by: 1 | -1): number | null => {
  const index = ZOOMS.indexOf(zoom)
  return index === -1 ? null : (ZOOMS[index + by] ?? null)
}

/** Printed page labels that differ from page numbers: "iv" or "149". Ambiguous labels don't identify a page. */
export type PageLabels = readonly string[] | null

/** Returns a PDF's labels if they add anything to page numbers. */
export const usefulLabels = (labels: readonly string[] | null): PageLabels =>
  labels?.some((label, index) => label !== '' && label !== String(index + 1)) ? labels : null

export const labelOf = (page: number, labels: PageLabels): string => labels?.[page - 1] || withoutGroups(page)

/** Returns the page for typed text: by label, else the nearest number; null if it's neither. */
export function pageOf(typed: string, pages: number, labels: PageLabels = null): number | null {
  const written = latinDigits(typed).trim()
  const named = labels?.findIndex((label) => label.toLowerCase() === written.toLowerCase()) ?? -1
  if (named !== -1) return named + 1
  const page = Math.min(pages, Math.max(1, Math.trunc(Number(written))))
  return Number.isNaN(page) ? null : page
}
