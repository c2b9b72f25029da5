import { Link } from '@tanstack/react-router'
import { Copy, FileText, MoreHorizontal } from 'lucide-react'
import { memo, useRef } from 'react'
import { IconButton } from '../../components/button.tsx'
import { Menu, MenuItem } from '../../components/menu.tsx'
import { showFailure } from '../../domain/failure-toast.ts'
import { colorOf } from '../../domain/highlight-colors.ts'
import { readableMentions } from '../../domain/note-references.ts'
import { formatRelativeTime } from '../../lib/i18n/format.ts'
import { t } from '../../lib/i18n/i18n.ts'
import { classNames } from '../../lib/ui/class-names.ts'
import { showToast } from '../../lib/ui/toast.ts'
import { useVirtualRows } from '../../lib/ui/use-virtual-rows.ts'
import type { Highlight } from './queries.ts'

/** CSS pixels. */
const ROW = 104

type HighlightListProps = {
  library: string
  highlights: readonly Highlight[]
  hasMore: boolean
  onMore: () => void
  onDocument: (document: string) => void
}

/** Highlights with links. Renders only the visible rows. */
export function HighlightList({ library, highlights, hasMore, onMore, onDocument }: HighlightListProps) {
  const list = useRef<HTMLUListElement>(null)
  const { rows, top, height, measure } = useVirtualRows(list, {
    count: highlights.length,
    estimate: ROW,
    hasMore,
    onMore,
  })
  return (
    <ul
      ref={list}
      style={{
        paddingBlockStart: (rows[0]?.start ?? top) - top,
        paddingBlockEnd: height - ((rows.at(-1)?.end ?? top) - top),
      }}
    >
      {rows.map(({ index }) => {
        const highlight = highlights[index]
        return highlight ? (
          <HighlightRow
            key={highlight.id}
            library={library}
            highlight={highlight}
            index={index}
            count={hasMore ? -1 : highlights.length}
            measure={measure}
            onDocument={onDocument}
          />
        ) : null
      })}
    </ul>
  )
}

type HighlightRowProps = Pick<HighlightListProps, 'library' | 'onDocument'> & {
  highlight: Highlight
  index: number
  /** -1 if unknown. */
  count: number
  measure: (row: HTMLLIElement | null) => void
}

/** Memoized, because dozens of rows are rendered while scrolling. */
const HighlightRow = memo(function HighlightRow({
  library,
  highlight,
  index,
  count,
  measure,
  onDocument,
}: HighlightRowProps) {
  const { id, quote, body, color, page, resolved_at, created_at, document_id, author, document } = highlight
  const place = page ? t('p. {page}', { page }) : undefined
  const copy = async () => {
    const source = place ? t('{title}, p. {page}', { title: document.title, page: page ?? 0 }) : document.title
    try {
      await navigator.clipboard.writeText(t('“{quote}” — {source}', { quote: (quote ?? '').trim(), source }))
      showToast({ title: t('Passage copied with its source') })
    } catch (error) {
      showFailure(error)
    }
  }
  return (
    <li ref={measure} data-index={index} aria-posinset={index + 1} aria-setsize={count} className="pb-3">
      <article
        aria-label={(quote ?? '').slice(0, 60)}
        className={classNames(
          'relative flex items-start gap-1 overflow-hidden rounded-lg border border-line bg-surface py-2.5 ps-5 pe-1.5',
          resolved_at !== null && 'opacity-65',
        )}
      >
        <span
          aria-hidden
          className={classNames('absolute inset-y-0 start-0 w-1.5', body === '' ? colorOf(color).paint : 'bg-line')}
        />
        <div className="min-w-0 flex-1">
          <Link
            dir="auto"
            to="/l/$library/d/$document"
            params={{ library, document: document_id }}
            search={{ comment: id }}
            className="line-clamp-6 rounded font-serif text-[0.9375rem] leading-relaxed [overflow-wrap:anywhere] hover:text-accent-strong"
          >
            {quote}
          </Link>
          {body ? (
            <p dir="auto" className="mt-1 line-clamp-4 whitespace-pre-wrap text-ink-soft text-sm">
              {readableMentions(body)}
            </p>
          ) : null}
          <p className="mt-1.5 text-ink-faint text-xs">
            <bdi className="text-ink-soft">{document.title}</bdi>
            {place ? <> · {place}</> : null} · {body ? t('Comment') : t(colorOf(color).label)} ·{' '}
            <bdi>{author?.display_name ?? t('Former member')}</bdi> ·{' '}
            <time dateTime={created_at}>{formatRelativeTime(created_at)}</time>
          </p>
        </div>
        <Menu trigger={<IconButton icon={MoreHorizontal} label={t('Actions for this highlight')} />}>
          <MenuItem icon={Copy} onSelect={() => void copy()}>
            {t('Copy with source')}
          </MenuItem>
          <MenuItem icon={FileText} onSelect={() => onDocument(document_id)}>
            {t('From this document only')}
          </MenuItem>
        </Menu>
      </article>
    </li>
  )
})
