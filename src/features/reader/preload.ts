import type { QueryClient } from '@tanstack/react-query'
import { fileQuery, type OpenDocument } from './queries.ts'

export const loadPdfView = () => import('./pdf/pdf-view.tsx').then(({ PdfView }) => ({ default: PdfView }))

/** Begins to load what a document's view needs, all of it at once instead of one after the other.
 *  @param isOpened False while somebody only points at a link: then the file, which may be large, is not fetched. */
export function preloadView(queryClient: QueryClient, { version }: OpenDocument, isOpened: boolean): void {
  const path = version?.rendition_path ?? version?.storage_path
  if (version?.mime_type === 'application/pdf') {
    void Promise.all([loadPdfView(), import('../../lib/pdf.ts')]).then(
      ([, { startPdfWorker }]) => startPdfWorker(),
      // The view reports it when it cannot be loaded.
      () => undefined,
    )
  }
  if (isOpened && path) void queryClient.prefetchQuery(fileQuery(path))
}
