import { ChevronDown, ChevronUp, Columns2, Images, Search, Type, X, ZoomIn, ZoomOut } from 'lucide-react'
import { Button, IconButton } from '../../../components/button.tsx'
import { Input } from '../../../components/input.tsx'
import { Tooltip } from '../../../components/tooltip.tsx'
import { t } from '../../../lib/i18n/i18n.ts'
import { useShortcut } from '../../../lib/ui/shortcut.ts'
import type { Finding } from '../finding.ts'
import { setReadingOptions, useReadingOptions } from '../reading-options.ts'
import { labelOf, type PageLabels, pageOf, zoomed } from './pages-and-zoom.ts'
import type { PdfSearch } from './use-pdf-search.ts'

type PdfToolbarProps = {
  pages: number
  page: number
  labels: PageLabels
  onPage: (page: number) => void
  zoom: number
  onZoom: (zoom: number) => void
  hasRoomForTwo: boolean
  thumbnails: boolean
  onThumbnails: (shown: boolean) => void
  search: PdfSearch
  finding: Finding
  /** Whether text is shown instead of pages. */
  isText: boolean
  canReflow: boolean
}

export function PdfToolbar(props: PdfToolbarProps) {
  const {
    pages,
    page,
    labels,
    onPage,
    zoom,
    onZoom,
    hasRoomForTwo,
    thumbnails,
    onThumbnails,
    search,
    finding,
    isText,
    canReflow,
  } = props
  const { spread, reflow } = useReadingOptions()
  useShortcut('d', () => hasRoomForTwo && setReadingOptions({ spread: !spread }))
  return (
    <>
      <Tooltip text={t('Thumbnails')}>
        <IconButton
          icon={Images}
          label={t('Thumbnails')}
          aria-pressed={thumbnails}
          className="max-sm:hidden aria-pressed:text-accent-strong"
          onClick={() => onThumbnails(!thumbnails)}
        />
      </Tooltip>
      <PageField pages={pages} page={page} labels={labels} onPage={onPage} />
      {isText ? null : <ZoomButtons zoom={zoom} onZoom={onZoom} />}
      {hasRoomForTwo && !isText ? (
        <Tooltip text={t('Two pages side by side')} shortcut="D">
          <IconButton
            icon={Columns2}
            label={t('Two pages side by side')}
            aria-pressed={spread}
            className="aria-pressed:text-accent-strong"
            onClick={() => setReadingOptions({ spread: !spread })}
          />
        </Tooltip>
      ) : null}
      <span className="ms-auto" />
      {canReflow ? (
        <Tooltip text={t('As text')}>
          <IconButton
            icon={Type}
            label={t('As text')}
            aria-pressed={reflow}
            className="aria-pressed:text-accent-strong"
            onClick={() => setReadingOptions({ reflow: !reflow })}
          />
        </Tooltip>
      ) : null}
      {isText ? null : <FindBar search={search} finding={finding} />}
    </>
  )
}

type PageFieldProps = Pick<PdfToolbarProps, 'pages' | 'page' | 'labels' | 'onPage'>

/** The page label, with the page number as a hint. */
function PageField({ pages, page, labels, onPage }: PageFieldProps) {
  const label = labelOf(page, labels)
  const go = (typed: string) => {
    const target = pageOf(typed, pages, labels)
    if (target !== null) onPage(target)
  }
  return (
    <form
      className="flex items-center gap-1.5 text-ink-soft text-sm tabular-nums"
      onSubmit={(event) => {
        event.preventDefault()
        go(String(new FormData(event.currentTarget).get('page')))
      }}
    >
      <Input
        key={page}
        name="page"
        aria-label={t('Page')}
        inputMode={labels ? 'text' : 'numeric'}
        defaultValue={label}
        onBlur={({ target }) => target.value !== label && go(target.value)}
        className="h-8 w-12 rounded px-1 text-center text-sm"
      />
      {labels ? t('({page} of {pages})', { page, pages }) : t('of {pages}', { pages })}
    </form>
  )
}

function ZoomButtons({ zoom, onZoom }: Pick<PdfToolbarProps, 'zoom' | 'onZoom'>) {
  const [smaller, larger] = [zoomed(zoom, -1), zoomed(zoom, 1)]
  const enlarge = () => onZoom(larger ?? zoom)
  const reduce = () => onZoom(smaller ?? zoom)
  useShortcut('+', enlarge)
  useShortcut('-', reduce)
  return (
    <>
      <IconButton icon={ZoomOut} label={t('Smaller')} disabled={smaller === null} onClick={reduce} />
      <Button
        look="quiet"
        size="small"
        aria-label={t('Zoom {percent} %, back to 100 %', { percent: zoom * 100 })}
        onClick={() => onZoom(1)}
      >
        {t('{percent} %', { percent: zoom * 100 })}
      </Button>
      <IconButton icon={ZoomIn} label={t('Larger')} disabled={larger === null} onClick={enlarge} />
    </>
  )
}

function FindBar({ search, finding }: Pick<PdfToolbarProps, 'search' | 'finding'>) {
  const close = () => {
    finding.close()
    search.setWords('')
  }
  if (!finding.isOpen) return <IconButton icon={Search} label={t('Find in this document')} onClick={finding.open} />
  return (
    <search className="flex items-center gap-1">
      <Input
        ref={finding.field}
        type="search"
        aria-label={t('Find in this document')}
        placeholder={t('Find in this document')}
        autoFocus
        value={search.words}
        onChange={({ target }) => search.setWords(target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape') close()
          if (event.key !== 'Enter') return
          event.preventDefault()
          search.step(event.shiftKey ? -1 : 1)
        }}
        className="h-8 w-44 rounded px-2 text-sm"
      />
      <span aria-live="polite" className="min-w-14 text-center text-ink-faint text-xs tabular-nums">
        {saidOf(search)}
      </span>
      <IconButton icon={ChevronUp} label={t('Previous match')} onClick={() => search.step(-1)} />
      <IconButton icon={ChevronDown} label={t('Next match')} onClick={() => search.step(1)} />
      <IconButton icon={X} label={t('Close search')} onClick={close} />
    </search>
  )
}

function saidOf({ words, finds, at, busy }: PdfSearch): string {
  if (words.trim() === '') return ''
  if (finds.length === 0) return busy ? '…' : t('nothing')
  return t('{place} of {count}', { place: at + 1, count: finds.length }) + (busy ? '…' : '')
}
