import { countPages, formatBytes } from '../../lib/format.ts'

type Extent = {
  page_count: number | null
  size_bytes: number | null
  width?: number | null
  height?: number | null
}

/** What there is to say about a document's extent: pages, or an image's pixels, and its size where it is a file. */
export const extentOf = ({ page_count, size_bytes, width, height }: Extent): string =>
  [
    page_count ? countPages(page_count) : '',
    width && height ? `${width} × ${height}` : '',
    size_bytes ? formatBytes(size_bytes) : '',
  ]
    .filter(Boolean)
    .join(' · ')
