import { ChevronDown, ChevronUp, PanelLeft, Search, X, ZoomIn, ZoomOut } from 'lucide-react'
import { useRef, useState } from 'react'
import { Button } from '../../../components/button.tsx'
import { Input } from '../../../components/input.tsx'
import { t } from '../../../lib/i18n/i18n.ts'
import { useShortcut } from '../../../lib/ui/shortcut.ts'
import type { PdfSearch } from './use-pdf-search.ts'

/** 1 fills the column. */
const ZOOMS = [0.5, 0.75, 1, 1.25, 1.5, 2, 3]

type PdfToolbarProps = {
  pages: number
  page: number
  onPage: (page: number) => void
  zoom: number
  onZoom: (zoom: number) => void
  thumbnails: boolean
  onThumbnails: (shown: boolean) => void
  search: PdfSearch
}

export function PdfToolbar({ pages, page, onPage, zoom, onZoom, thumbnails, onThumbnails, search }: PdfToolbarProps) {
  const [searching, setSearching] = useState(false)
  const field = useRef<HTMLInputElement>(null)
  const open = () => {
    setSearching(true)
    field.current?.select()
  }
  const close = () => {
    setSearching(false)
    search.setWords('')
  }
  useShortcut('mod+f', open)
  const place = ZOOMS.indexOf(zoom)
  const go = (typed: string) => {
    const page = Math.min(pages, Math.max(1, Math.trunc(Number(typed))))
    if (Number.isFinite(page)) onPage(page)
  }
  return (
    <section
      aria-label={t('Document tools')}
      className="sticky top-14 z-10 -mx-1 mb-4 flex flex-wrap items-center gap-1 border-line border-b bg-paper/95 px-1 py-1.5 backdrop-blur-sm"
    >
      <Button
        look="quiet"
        size="small-icon"
        aria-label={t('Thumbnails')}
        aria-pressed={thumbnails}
        onClick={() => onThumbnails(!thumbnails)}
      >
        <PanelLeft aria-hidden />
      </Button>
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
          inputMode="numeric"
          defaultValue={page}
          onBlur={({ target }) => target.value !== String(page) && go(target.value)}
          className="h-8 w-12 rounded px-1 text-center text-sm"
        />
        {t('of {pages}', { pages })}
      </form>
      <Button
        look="quiet"
        size="small-icon"
        aria-label={t('Smaller')}
        disabled={place === 0}
        onClick={() => onZoom(ZOOMS[place - 1] ?? zoom)}
      >
        <ZoomOut aria-hidden />
      </Button>
      <Button
        look="quiet"
        size="small"
        aria-label={t('Zoom {percent} %, back to 100 %', { percent: zoom * 100 })}
        onClick={() => onZoom(1)}
      >
        {zoom * 100} %
      </Button>
      <Button
        look="quiet"
        size="small-icon"
        aria-label={t('Larger')}
        disabled={place === ZOOMS.length - 1}
        onClick={() => onZoom(ZOOMS[place + 1] ?? zoom)}
      >
        <ZoomIn aria-hidden />
      </Button>
      <span className="ml-auto" />
      {searching ? (
        <search className="flex items-center gap-1">
          <Input
            ref={field}
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
          <Button look="quiet" size="small-icon" aria-label={t('Previous match')} onClick={() => search.step(-1)}>
            <ChevronUp aria-hidden />
          </Button>
          <Button look="quiet" size="small-icon" aria-label={t('Next match')} onClick={() => search.step(1)}>
            <ChevronDown aria-hidden />
          </Button>
          <Button look="quiet" size="small-icon" aria-label={t('End the search')} onClick={close}>
            <X aria-hidden />
          </Button>
        </search>
      ) : (
        <Button look="quiet" size="small-icon" aria-label={t('Find in this document')} onClick={open}>
          <Search aria-hidden />
        </Button>
      )}
    </section>
  )
}

function saidOf({ words, finds, at, busy }: PdfSearch): string {
  if (words.trim() === '') return ''
  if (finds.length === 0) return busy ? '…' : t('nothing')
  return t('{place} of {count}', { place: at + 1, count: finds.length }) + (busy ? '…' : '')
}
