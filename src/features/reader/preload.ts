import type { QueryClient } from '@tanstack/react-query'
import { fileQuery, type OpenDocument } from './queries.ts'

export const loadPdfView = () => import('./pdf/pdf-view.tsx').then(({ PdfView }) => ({ default: PdfView }))

/** Loads everything a document's view needs in parallel.
 *  @param isOpened False on hover: then the file, which may be large, isn't fetched. */
export function preloadView(queryClient: QueryClient, { version }: OpenDocument, isOpened: boolean): void {
  const path = version?.rendition_path ?? version?.storage_path
  if (version?.mime_type === 'application/pdf') {
    void Promise.all([loadPdfView(), import('../../lib/pdf.ts')]).then(
      ([, { startPdfWorker }]) => startPdfWorker(),
      // The view reports load errors.
      () => undefined,
    )
  }
  if (isOpened && path) void queryClient.prefetchQuery(fileQuery(path))
}
