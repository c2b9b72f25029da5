import type { PDFDocumentProxy } from 'pdfjs-dist'
import { useEffect, useRef, useState } from 'react'
import { t } from '../../../lib/i18n/i18n.ts'
import { classNames } from '../../../lib/ui/class-names.ts'
import { useReadingOptions } from '../reading-options.ts'
import { labelOf } from './pages-and-zoom.ts'
import type { OpenedPdf } from './use-opened-pdf.ts'

/** CSS pixels. */
const WIDTH = 96

type PdfThumbnailsProps = { opened: OpenedPdf; page: number; onPage: (page: number) => void }

export function PdfThumbnails({ opened, page, onPage }: PdfThumbnailsProps) {
  const list = useRef<HTMLUListElement>(null)
  useEffect(() => {
    const here = list.current?.querySelector<HTMLElement>(`[data-thumbnail="${page}"]`)
    // Scrolls only the list, not the page.
    if (here && list.current) list.current.scrollTo({ top: here.offsetTop - list.current.clientHeight / 2 })
  }, [page])
  return (
    <ul
      ref={list}
      aria-label={t('Pages')}
      className="sticky below-38 max-h-[calc(100dvh-10rem)] w-28 shrink-0 overflow-y-auto py-1 pe-2 ps-1 max-sm:hidden"
    >
      {opened.pages.map((number) => (
        <li key={number} data-thumbnail={number}>
          <button
            type="button"
            aria-label={t('Go to page {page}', { page: labelOf(number, opened.labels) })}
            aria-current={number === page ? 'page' : undefined}
            onClick={() => onPage(number)}
            className="mb-2 grid w-full justify-items-center gap-1 rounded p-1 text-ink-faint text-xs hover:bg-hover aria-[current=page]:bg-accent-soft aria-[current=page]:text-accent-strong"
          >
            <Thumbnail pdf={opened.pdf} page={number} ratio={opened.shape.width / opened.shape.height} />
            {labelOf(number, opened.labels)}
          </button>
        </li>
      ))}
    </ul>
  )
}

function Thumbnail({ pdf, page, ratio }: { pdf: PDFDocumentProxy; page: number; ratio: number }) {
  const canvas = useRef<HTMLCanvasElement>(null)
  const [drawn, setDrawn] = useState(false)
  const { dimmed } = useReadingOptions()
  useEffect(() => {
    const surface = canvas.current
    if (!surface) return
    let cancel = () => {}
    const draw = async () => {
      const proxy = await pdf.getPage(page)
      const scale = (WIDTH * Math.min(devicePixelRatio, 2)) / proxy.getViewport({ scale: 1 }).width
      const viewport = proxy.getViewport({ scale })
      surface.width = Math.floor(viewport.width)
      surface.height = Math.floor(viewport.height)
      const drawing = proxy.render({ canvas: surface, viewport })
      cancel = () => drawing.cancel()
      await drawing.promise
      setDrawn(true)
    }
    const observer = new IntersectionObserver(([entry]) => {
      if (!entry?.isIntersecting) return
      observer.disconnect()
      // A page that can't be drawn stays blank; the large one shows the reason.
      draw().catch(() => {})
    })
    observer.observe(surface)
    return () => {
      observer.disconnect()
      cancel()
    }
  }, [pdf, page])
  return (
    <canvas
      ref={canvas}
      aria-hidden
      style={{ width: WIDTH, aspectRatio: ratio }}
      className={classNames('rounded-sm bg-white shadow-sm', !drawn && 'opacity-60', dimmed && 'dark:brightness-75')}
    />
  )
}
