import { countPages } from '../../domain/counts.ts'
import { formatBytes } from '../../lib/i18n/format.ts'

type Extent = {
  kind: string
  page_count: number | null
  size_bytes: number | null
  width?: number | null
  height?: number | null
}

/** A document's size in words: its pages or an image's pixels, and the bytes of a file. A note has none that tell anything. */
export const sizeLabel = ({ kind, page_count, size_bytes, width, height }: Extent): string =>
  [
    page_count ? countPages(page_count) : '',
    width && height ? `${width} × ${height}` : '',
    size_bytes && kind !== 'note' ? formatBytes(size_bytes) : '',
  ]
    .filter(Boolean)
    .join(' · ')
