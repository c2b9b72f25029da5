import { t } from '../lib/i18n/i18n.ts'

/** A reading position: the page, if any, and the fraction of the whole text, 0 to 1. */
export type ReadingPosition = { page: number | null; share: number }

/** Below it's barely opened, above it's finished. */
const BEGUN = 0.02
const FINISHED = 0.98

/** Returns the progress as a fraction and in words; undefined if barely begun. */
export function progressOf(
  { page_count: pages }: { page_count: number | null },
  position: ReadingPosition | undefined,
): { share: number; label: string } | undefined {
  if (!position) return undefined
  const { page, share } = position
  if (share >= FINISHED || (page !== null && pages !== null && page >= pages && pages > 1)) {
    return { share: 1, label: t('Finished') }
  }
  if (page !== null && pages !== null) {
    return page > 1 ? { share: page / pages, label: t('Page {page} of {pages}', { page, pages }) } : undefined
  }
  return share < BEGUN ? undefined : { share, label: t('{percent} % read', { percent: Math.round(share * 100) }) }
}
