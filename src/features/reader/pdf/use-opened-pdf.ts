import type { PDFDocumentProxy } from 'pdfjs-dist'
import { useEffect, useState } from 'react'
import { t } from '../../../lib/i18n/i18n.ts'
import { explainPdf, openPdf, takePdfWorker } from '../../../lib/pdf.ts'
import { type PageLabels, usefulLabels } from './pages-and-zoom.ts'

/** `shape` is the first page's, in points; `direction` is the book's. */
export type OpenedPdf = {
  pdf: PDFDocumentProxy
  pages: number[]
  shape: { width: number; height: number }
  direction: 'ltr' | 'rtl'
  labels: PageLabels
}

/** The same limit as for search; a larger PDF would keep the browser busy for long. */
const MAX_PAGES = 5000

export function useOpenedPdf(file: Blob): { opened: OpenedPdf | undefined; problem: string | undefined } {
  const [opened, setOpened] = useState<OpenedPdf>()
  const [problem, setProblem] = useState<string>()
  useEffect(() => {
    let isMounted = true
    let close = () => {}
    const open = async () => {
      try {
        const worker = takePdfWorker()
        close = () => worker.destroy()
        const task = await openPdf(file, worker)
        close = () => void task.destroy().finally(() => worker.destroy())
        if (!isMounted) return close()
        const pdf = await task.promise
        if (pdf.numPages > MAX_PAGES) {
          setProblem(t('This PDF has too many pages to show here. Download it and open it in another app.'))
          return
        }
        const [preferences, labels] = await Promise.all([pdf.getViewerPreferences(), pdf.getPageLabels()])
        const viewport = (await pdf.getPage(1)).getViewport({ scale: 1 })
        if (!isMounted) return
        setOpened({
          pdf,
          pages: Array.from({ length: pdf.numPages }, (_, index) => index + 1),
          shape: { width: viewport.width, height: viewport.height },
          direction: preferences?.get('Direction') === 'R2L' ? 'rtl' : 'ltr',
          labels: usefulLabels(labels),
        })
      } catch (error) {
        if (isMounted) setProblem(explainPdf(error))
      }
    }
    void open()
    return () => {
      isMounted = false
      setOpened(undefined)
      close()
    }
  }, [file])
  return { opened, problem }
}
