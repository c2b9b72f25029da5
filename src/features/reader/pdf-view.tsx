import type { PDFDocumentProxy } from 'pdfjs-dist'
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { Notice } from '../../components/notice.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { explainPdf, openPdf } from './pdf.ts'
import { PdfPage } from './pdf-page.tsx'

type PdfViewProps = {
  file: Blob
  passage: { page: number | null; content: string } | undefined
  onPage: (page: number) => void
}

type Opened = { pdf: PDFDocumentProxy; pages: number[]; shape: { width: number; height: number } }

/** A PDF as one long column of pages, each drawn when it comes near. */
export function PdfView({ file, passage, onPage }: PdfViewProps) {
  const column = useRef<HTMLDivElement>(null)
  const [opened, setOpened] = useState<Opened>()
  const [problem, setProblem] = useState<string>()
  const [width, setWidth] = useState(0)
  const tellPage = useEffectEvent(onPage)

  useEffect(() => {
    let wanted = true
    let close = () => {}
    const open = async () => {
      try {
        const task = await openPdf(file)
        close = () => void task.destroy()
        if (!wanted) return close()
        const pdf = await task.promise
        const viewport = (await pdf.getPage(1)).getViewport({ scale: 1 })
        if (!wanted) return
        setOpened({
          pdf,
          pages: Array.from({ length: pdf.numPages }, (_, index) => index + 1),
          shape: { width: viewport.width, height: viewport.height },
        })
      } catch (error) {
        if (wanted) setProblem(explainPdf(error))
      }
    }
    void open()
    return () => {
      wanted = false
      setOpened(undefined)
      close()
    }
  }, [file])

  useEffect(() => {
    const element = column.current
    if (!element) return
    const observer = new ResizeObserver(([entry]) => entry && setWidth(Math.floor(entry.contentRect.width)))
    observer.observe(element)
    return () => observer.disconnect()
  }, [])

  // The passage's page, drawn or not, comes into view first; the page itself then marks the passage.
  const wantedPage = passage?.page
  useEffect(() => {
    if (!opened || !wantedPage || width === 0) return
    column.current?.querySelector(`[data-page="${wantedPage}"]`)?.scrollIntoView({ block: 'start' })
  }, [opened, wantedPage, width])

  // The page that covers the middle of the window is the one being read.
  useEffect(() => {
    if (!opened || width === 0) return
    const observer = new IntersectionObserver(
      (entries) => {
        for (const { isIntersecting, target } of entries) {
          if (isIntersecting && target instanceof HTMLElement) tellPage(Number(target.dataset.page))
        }
      },
      { rootMargin: '-50% 0px -50% 0px' },
    )
    for (const page of column.current?.querySelectorAll('[data-page]') ?? []) observer.observe(page)
    return () => observer.disconnect()
  }, [opened, width])

  return (
    <div ref={column} className="grid gap-5">
      {problem ? <Notice tone="error">{problem}</Notice> : null}
      {opened && width > 0
        ? opened.pages.map((page) => (
            <PdfPage
              key={page}
              pdf={opened.pdf}
              page={page}
              width={width}
              expected={opened.shape}
              passage={passage && (passage.page === null || passage.page === page) ? passage.content : undefined}
            />
          ))
        : null}
      {opened || problem ? null : (
        <div role="status" aria-label="Opening the document">
          <Skeleton className="aspect-[1/1.41] w-full" />
        </div>
      )}
    </div>
  )
}
