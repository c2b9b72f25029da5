import { latinDigits } from '../../../lib/i18n/digits.ts'

/** 1 fills the column. */
const ZOOMS = [0.5, 0.75, 1, 1.25, 1.5, 2, 3]

/** The next larger or smaller zoom; null where there is none. */
export const zoomed = (zoom: number, by: 1 | -1): number | null => {
  const index = ZOOMS.indexOf(zoom)
  return index === -1 ? null : (ZOOMS[index + by] ?? null)
}

/** The page that a person typed, the nearest one that there is; null for what is no number. */
export function pageOf(typed: string, pages: number): number | null {
  const page = Math.min(pages, Math.max(1, Math.trunc(Number(latinDigits(typed)))))
  return Number.isNaN(page) ? null : page
}
