import { useQuery } from '@tanstack/react-query'
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { Notice } from '../../../components/notice.tsx'
import { Skeleton } from '../../../components/skeleton.tsx'
import { t } from '../../../lib/i18n/i18n.ts'
import { classNames } from '../../../lib/ui/class-names.ts'
import { useShortcut } from '../../../lib/ui/shortcut.ts'
import type { ViewProps } from '../anchors.ts'
import type { Finding } from '../finding.ts'
import { usePdfOutline } from '../outline/use-pdf-outline.ts'
import { pageTextsQuery } from '../queries.ts'
import { ReaderFrame } from '../reader-frame.tsx'
import { useReadingOptions } from '../reading-options.ts'
import { useHighlights } from '../text/use-highlights.ts'
import { useTextSelection } from '../text/use-text-selection.ts'
import type { TextPart } from './page-texts.ts'
import { labelOf, type PageLabels } from './pages-and-zoom.ts'
import { PdfPage } from './pdf-page.tsx'
import { PdfThumbnails } from './pdf-thumbnails.tsx'
import { PdfToolbar } from './pdf-toolbar.tsx'
import { useOpenedPdf } from './use-opened-pdf.ts'
import { usePdfSearch } from './use-pdf-search.ts'
import { useReadingPlace } from './use-reading-place.ts'

export type PdfPlace = {
  onPage: (page: number) => void
  /** Where to go without a passage: the reading position or a followed person's page. */
  goTo: number | undefined
  finding: Finding
}

type PdfViewProps = ViewProps &
  PdfPlace & {
    file: Blob
    /** The document, once read, whose text can be shown instead of pages. */
    read?: { library: string; document: string } | undefined
  }

/** Pixels: the gap in a spread, and the minimum column width for one. */
const GUTTER = 8
const ROOM_FOR_TWO = 640

/** Returns the first page of a spread. As in a bound book, page 1 is on the right. */
const firstOf = (page: number): number => (page === 1 ? 1 : page - (page % 2))

export function PdfView({ file, read, anchor, remarks, onSelect, onPage, goTo, finding }: PdfViewProps) {
  const column = useRef<HTMLDivElement>(null)
  const { opened, problem } = useOpenedPdf(file)
  const { spread, reflow } = useReadingOptions()
  const { data: texts } = useQuery({
    ...pageTextsQuery(read?.library ?? '', read?.document ?? ''),
    enabled: reflow && read !== undefined,
  })
  const isText = reflow && texts !== undefined && texts.size > 0
  const [width, setWidth] = useState(0)
  const [zoom, setZoom] = useState(1)
  const [thumbnails, setThumbnails] = useState(false)
  const [isDrawn, setDrawn] = useState(false)
  const ready = opened !== undefined && width > 0
  const hasRoomForTwo = width >= ROOM_FOR_TWO
  const isSpread = spread && hasRoomForTwo && !isText
  // Offsets in the text view don't match those in pages.
  useTextSelection(column, (selected) => onSelect(isText && selected ? { ...selected, start: null } : selected))
  useHighlights(column, {
    anchor: isText && anchor ? { ...anchor, start: null } : undefined,
    remarks: isText ? remarks.map((remark) => ({ ...remark, start: null })) : [],
    drawn: ready && isText ? texts : null,
  })

  useEffect(() => {
    const element = column.current
    if (!element) return
    const observer = new ResizeObserver(([entry]) => entry && setWidth(Math.floor(entry.contentRect.width)))
    observer.observe(element)
    return () => observer.disconnect()
  }, [])

  const shownPage = (page: number) => (isSpread ? firstOf(page) : page)
  const place = useReadingPlace(column, ready ? opened.pages.length : 0, (page) => onPage(shownPage(page)))
  const current = shownPage(place.page)
  const search = usePdfSearch(opened?.pdf, current)
  const show = (page: number, share = 0) => place.show({ page, share, line: 'below the bars' })
  const showNow = useEffectEvent(show)
  // After the first page is drawn, because the worker is shared.
  const outline = usePdfOutline(isDrawn ? opened?.pdf : undefined, current, show)
  const turn = (by: 1 | -1) => {
    if (!opened || zoom > 1) return
    const next = isSpread ? firstOf(current + (by === 1 ? (current === 1 ? 1 : 2) : -1)) : current + by
    show(Math.min(opened.pages.length, Math.max(1, next)))
  }
  const isRightToLeft = opened?.direction === 'rtl'
  useShortcut('ArrowRight', () => turn(isRightToLeft ? -1 : 1))
  useShortcut('ArrowLeft', () => turn(isRightToLeft ? 1 : -1))

  // Scrolls to the passage's page, which then marks the passage.
  const targetPage = anchor?.page ?? (anchor ? undefined : goTo)
  useEffect(() => {
    if (ready && targetPage) showNow(targetPage)
  }, [ready, targetPage])
  const found = search.current?.page
  useEffect(() => {
    if (found) showNow(found)
  }, [found])
  const room = isSpread ? (width - GUTTER) / 2 : width
  return (
    <ReaderFrame
      outline={outline}
      tools={
        opened ? (
          <PdfToolbar
            pages={opened.pages.length}
            page={current}
            labels={opened.labels}
            onPage={show}
            zoom={zoom}
            onZoom={setZoom}
            hasRoomForTwo={hasRoomForTwo}
            thumbnails={thumbnails}
            onThumbnails={setThumbnails}
            search={search}
            finding={finding}
            isText={isText}
            canReflow={read !== undefined && texts?.size !== 0}
          />
        ) : undefined
      }
    >
      <div className="flex items-start gap-5">
        {opened && thumbnails ? <PdfThumbnails opened={opened} page={current} onPage={show} /> : null}
        <section
          ref={column}
          aria-label={t('The document')}
          tabIndex={zoom > 1 ? 0 : undefined}
          // The book's own direction, whatever the app's language.
          dir={opened?.direction}
          style={isSpread ? { columnGap: GUTTER } : undefined}
          className={classNames(
            'grid min-w-0 flex-1 gap-y-5 overflow-x-auto overflow-y-clip',
            isSpread && 'grid-cols-[max-content_max-content] justify-center-safe',
            isText && 'grid-cols-[minmax(0,1fr)]',
          )}
        >
          {problem ? <Notice tone="error">{problem}</Notice> : null}
          {ready && isText ? <TextPages pages={opened.pages} labels={opened.labels} texts={texts} /> : null}
          {ready && !isText
            ? opened.pages.map((page) => (
                <PdfPage
                  key={page}
                  pdf={opened.pdf}
                  page={page}
                  width={Math.floor(room * zoom)}
                  expected={opened.shape}
                  isAlone={isSpread && page === 1}
                  passage={anchor && (anchor.page === null || anchor.page === page) ? anchor : undefined}
                  remarks={remarks.filter((remark) => remark.page === page)}
                  words={search.words}
                  found={search.current?.page === page ? search.current.place : undefined}
                  // The page that the person waits for is drawn alone.
                  waits={!isDrawn && page !== current}
                  onDrawn={setDrawn}
                  onReveal={(share) => place.show({ page, share, line: 'middle' })}
                  onGo={({ page, top }) => show(page, top)}
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
    </ReaderFrame>
  )
}

type TextPagesProps = { pages: readonly number[]; labels: PageLabels; texts: ReadonlyMap<number, readonly TextPart[]> }

/** Too many pages for one layout pass: only visible ones are laid out, with estimated heights. */
const MANY = 500

function TextPages({ pages, labels, texts }: TextPagesProps) {
  return pages.map((page) => (
    <section
      key={page}
      data-page={page}
      data-readable
      aria-label={t('Page {page}', { page: labelOf(page, labels) })}
      className={classNames(
        'pdf-sheet prose mx-auto w-full max-w-[44rem]',
        pages.length > MANY && '[contain-intrinsic-size:auto_40rem] [content-visibility:auto]',
      )}
    >
      <div
        // Generated content isn't part of text that continues on the next page.
        data-label={labelOf(page, labels)}
        className="border-line border-t pt-1 text-end font-sans text-ink-faint text-xs before:content-[attr(data-label)]"
      />
      {texts.get(page)?.map(({ heading, text }, index) => (
        // Parts have no id, and their order never changes.
        // biome-ignore lint/suspicious/noArrayIndexKey: see above
        <div key={index}>
          {heading ? <h2>{heading.split(' › ').at(-1)}</h2> : null}
          <p className="bidi-lines whitespace-pre-line">{text}</p>
        </div>
      ))}
    </section>
  ))
}
