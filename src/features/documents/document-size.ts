import { countPages } from '../../domain/counts.ts'
import { formatBytes } from '../../lib/i18n/format.ts'

type Extent = {
  kind: string
  page_count: number | null
  size_bytes: number | null
  width?: number | null
  height?: number | null
}

/** Formats a document's size: pages or pixels, and bytes. Notes have none. */
export const sizeLabel = ({ kind, page_count, size_bytes, width, height }: Extent): string =>
  [
    page_count ? countPages(page_count) : '',
    width && height ? `${width} × ${height}` : '',
    size_bytes && kind !== 'note' ? formatBytes(size_bytes) : '',
  ]
    .filter(Boolean)
    .join(' · ')
