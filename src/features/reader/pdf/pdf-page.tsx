import { type PDFDocumentProxy, RenderingCancelledException, TextLayer } from 'pdfjs-dist'
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { t } from '../../../lib/i18n/i18n.ts'
import { classNames } from '../../../lib/ui/class-names.ts'
import type { Anchor, Remark } from '../anchors.ts'
import type { PagePosition } from '../outline/use-pdf-outline.ts'
import { useReadingOptions } from '../reading-options.ts'
import { mark, markRemarks, rangeOf, rangesOf } from '../text/highlight.ts'
import { keyOf, remarksOf } from '../text/use-highlights.ts'
import { PdfAnnotations } from './pdf-annotations.tsx'

type Shape = { width: number; height: number }

type PdfPageProps = {
  pdf: PDFDocumentProxy
  page: number
  /** CSS pixels. */
  width: number
  /** The first page's shape, used until this one's is known. */
  expected: Shape
  passage: Anchor | undefined
  remarks: readonly Remark[]
  /** Searched words; `found` is the current match on this page. */
  words: string
  found: number | undefined
  /** In a spread without a page to its left. */
  isAlone: boolean
  waits: boolean
  /** Called when its picture is complete, or can't be drawn. */
  onDrawn: (drawn: true) => void
  /** Called with the fraction of its height to scroll to. */
  onReveal: (share: number) => void
  /** Called with the place that a link leads to. */
  onGo: (place: PagePosition) => void
}

const AHEAD = '800px 0px'
/** More pixels than this only cost time. */
const SHARPEST = 2

/** A placeholder that renders the page once it comes near: a manual has a thousand. */
export function PdfPage({ expected, isAlone, ...content }: PdfPageProps) {
  const { page, width } = content
  const sheet = useRef<HTMLDivElement>(null)
  const [near, setNear] = useState(false)
  const [seen, setSeen] = useState(false)
  const [shape, setShape] = useState(expected)

  useEffect(() => {
    const element = sheet.current
    if (!element) return
    const observer = new IntersectionObserver(
      ([entry]) => {
        const isNear = entry?.isIntersecting ?? false
        setNear(isNear)
        if (isNear) setSeen(true)
      },
      { rootMargin: AHEAD },
    )
    observer.observe(element)
    return () => observer.disconnect()
  }, [])

  return (
    <div
      ref={sheet}
      data-page={page}
      dir="ltr"
      className={classNames(
        'pdf-sheet relative overflow-hidden rounded-sm bg-white shadow-lift dark:bg-edge',
        isAlone && 'col-start-2',
      )}
      style={{ width, aspectRatio: `${shape.width} / ${shape.height}` }}
    >
      {seen ? <PageContent {...content} near={near} onShape={setShape} /> : null}
    </div>
  )
}

type PageContentProps = Omit<PdfPageProps, 'expected' | 'isAlone'> & {
  near: boolean
  onShape: (shape: Shape) => void
}

function PageContent(props: PageContentProps) {
  const { pdf, page, width, passage, remarks, words, found, near, waits, onDrawn, onReveal, onGo, onShape } = props
  const { dimmed } = useReadingOptions()
  const tellDrawn = useEffectEvent(() => onDrawn(true))
  const tellShape = useEffectEvent(onShape)
  const reveal = useEffectEvent((range: Range) => {
    const sheet = text.current?.getBoundingClientRect()
    if (!sheet) return
    onReveal((range.getBoundingClientRect().top - sheet.top) / sheet.height)
    // Horizontally, if the page is wider than the column.
    range.startContainer.parentElement?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  })
  const canvas = useRef<HTMLCanvasElement>(null)
  const text = useRef<HTMLDivElement>(null)
  const revealed = useRef<string>(undefined)
  const [drawn, setDrawn] = useState(false)

  useEffect(() => {
    if (!near || waits) return
    let isMounted = true
    let cancel = () => {}
    const draw = async () => {
      const proxy = await pdf.getPage(page)
      const natural = proxy.getViewport({ scale: 1 })
      const surface = canvas.current
      const layer = text.current
      if (!isMounted || !surface || !layer) return
      tellShape({ width: natural.width, height: natural.height })
      const scale = width / natural.width
      const sharpness = Math.min(devicePixelRatio, SHARPEST)
      const viewport = proxy.getViewport({ scale: scale * sharpness })
      surface.width = Math.floor(viewport.width)
      surface.height = Math.floor(viewport.height)
      const drawing = proxy.render({ canvas: surface, viewport })
      cancel = () => drawing.cancel()
      await drawing.promise
      if (!isMounted) return
      tellDrawn()
      layer.replaceChildren()
      layer.style.setProperty('--total-scale-factor', String(scale))
      const letters = new TextLayer({
        textContentSource: proxy.streamTextContent(),
        container: layer,
        viewport: proxy.getViewport({ scale }),
      })
      cancel = () => letters.cancel()
      await letters.render()
      if (isMounted) setDrawn(true)
    }
    draw().catch((error: unknown) => {
      // Canceled by scrolling; on other errors the page stays blank, and the file can be downloaded.
      if (error instanceof RenderingCancelledException || !isMounted) return
      tellDrawn()
      setDrawn(true)
    })
    const surface = canvas.current
    return () => {
      isMounted = false
      setDrawn(false)
      cancel()
      // Frees the picture's memory. The text stays, because it may be selected.
      if (surface) surface.width = 0
    }
  }, [near, waits, pdf, page, width])

  const { quote, start } = passage ?? {}
  useEffect(() => {
    const range = drawn && quote && text.current ? rangeOf(text.current, { quote, start: start ?? null }) : undefined
    if (!range) return
    // Once, so as not to pull back a person who has scrolled away.
    if (revealed.current !== quote) reveal(range)
    revealed.current = quote
    return mark('passage', [range])
  }, [drawn, quote, start])
  const marked = keyOf(remarks)
  useEffect(() => {
    if (!drawn || !text.current) return
    return markRemarks(text.current, remarksOf(marked))
  }, [drawn, marked])
  useEffect(() => {
    if (!drawn || !text.current || words.trim() === '') return
    const ranges = rangesOf(text.current, words)
    const here = found === undefined ? undefined : ranges[found]
    const clear = [mark('found', ranges), mark('found-here', here ? [here] : [])]
    if (here) reveal(here)
    return () => {
      for (const take of clear) take()
    }
  }, [drawn, words, found])

  return (
    <div className={classNames('absolute inset-0 bg-white', dimmed && 'dark:brightness-75')}>
      <canvas ref={canvas} role="img" aria-label={t('Page {page}', { page })} className="size-full" />
      <div ref={text} className="pdf-text" />
      {drawn ? <PdfAnnotations pdf={pdf} page={page} onGo={onGo} /> : null}
    </div>
  )
}
