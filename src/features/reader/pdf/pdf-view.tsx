import type { PDFDocumentProxy } from 'pdfjs-dist'
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { Notice } from '../../../components/notice.tsx'
import { Skeleton } from '../../../components/skeleton.tsx'
import { t } from '../../../lib/i18n/i18n.ts'
import { explainPdf, openPdf } from '../../../lib/pdf.ts'
import type { ViewProps } from '../anchors.ts'
import { useTextSelection } from '../text/use-text-selection.ts'
import { PdfPage } from './pdf-page.tsx'
import { PdfThumbnails } from './pdf-thumbnails.tsx'
import { PdfToolbar } from './pdf-toolbar.tsx'
import { usePdfSearch } from './use-pdf-search.ts'

export type PdfPlace = {
  onPage: (page: number) => void
  /** Where to go without a passage: where one stopped reading, or where somebody is who is followed. */
  goTo: number | undefined
}

type PdfViewProps = ViewProps & PdfPlace & { file: Blob }

export type Opened = { pdf: PDFDocumentProxy; pages: number[]; shape: { width: number; height: number } }

/** As many as are read for search; what claims more is hardly a document, and a browser would long be busy with it. */
const MOST_PAGES = 5000

/** A PDF as one long column of pages, each drawn when it comes near. */
export function PdfView({ file, anchor, remarks, onSelect, onPage, goTo }: PdfViewProps) {
  const column = useRef<HTMLDivElement>(null)
  const { opened, problem } = useOpened(file)
  const [width, setWidth] = useState(0)
  const [zoom, setZoom] = useState(1)
  const [current, setCurrent] = useState(1)
  const [thumbnails, setThumbnails] = useState(false)
  const search = usePdfSearch(opened?.pdf)
  const tellPage = useEffectEvent((page: number) => {
    setCurrent(page)
    onPage(page)
  })
  useTextSelection(column, onSelect)

  useEffect(() => {
    const element = column.current
    if (!element) return
    const observer = new ResizeObserver(([entry]) => entry && setWidth(Math.floor(entry.contentRect.width)))
    observer.observe(element)
    return () => observer.disconnect()
  }, [])

  const ready = opened !== undefined && width > 0
  const show = (page: number) =>
    column.current?.querySelector(`[data-page="${page}"]`)?.scrollIntoView({ block: 'start' })
  const showNow = useEffectEvent(show)
  // The page of a passage, drawn or not, comes into view first; the page itself then marks the passage.
  const targetPage = anchor?.page ?? (anchor ? undefined : goTo)
  useEffect(() => {
    if (ready && targetPage) showNow(targetPage)
  }, [ready, targetPage])
  const found = search.current?.page
  useEffect(() => {
    if (found) showNow(found)
  }, [found])

  // The page that covers the middle of the window is the one being read.
  useEffect(() => {
    if (!ready) return
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
  }, [ready])

  return (
    <div>
      {opened ? (
        <PdfToolbar
          pages={opened.pages.length}
          page={current}
          onPage={show}
          zoom={zoom}
          onZoom={setZoom}
          thumbnails={thumbnails}
          onThumbnails={setThumbnails}
          search={search}
        />
      ) : null}
      <div className="flex items-start gap-5">
        {opened && thumbnails ? <PdfThumbnails opened={opened} page={current} onPage={show} /> : null}
        <section
          ref={column}
          aria-label={t('The document')}
          tabIndex={zoom > 1 ? 0 : undefined}
          className="grid min-w-0 flex-1 gap-5 overflow-x-auto overflow-y-clip"
        >
          {problem ? <Notice tone="error">{problem}</Notice> : null}
          {ready
            ? opened.pages.map((page) => (
                <PdfPage
                  key={page}
                  pdf={opened.pdf}
                  page={page}
                  width={Math.round(width * zoom)}
                  expected={opened.shape}
                  passage={anchor && (anchor.page === null || anchor.page === page) ? anchor : undefined}
                  remarks={remarks.filter((remark) => remark.page === page)}
                  words={search.words}
                  found={search.current?.page === page ? search.current.place : undefined}
                />
              ))
            : null}
          {opened || problem ? null : (
            <div role="status" aria-label={t('Opening the document')}>
              <Skeleton className="aspect-[1/1.41] w-full" />
            </div>
          )}
        </section>
      </div>
    </div>
  )
}

function useOpened(file: Blob): { opened: Opened | undefined; problem: string | undefined } {
  const [opened, setOpened] = useState<Opened>()
  const [problem, setProblem] = useState<string>()
  useEffect(() => {
    let isMounted = true
    let close = () => {}
    const open = async () => {
      try {
        const task = await openPdf(file)
        close = () => void task.destroy()
        if (!isMounted) return close()
        const pdf = await task.promise
        if (pdf.numPages > MOST_PAGES) {
          setProblem(t('This PDF has more pages than can be shown here. Download it and open it elsewhere.'))
          return
        }
        const viewport = (await pdf.getPage(1)).getViewport({ scale: 1 })
        if (!isMounted) return
        setOpened({
          pdf,
          pages: Array.from({ length: pdf.numPages }, (_, index) => index + 1),
          shape: { width: viewport.width, height: viewport.height },
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
