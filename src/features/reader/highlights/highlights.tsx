import { FileDown, MessageSquarePlus, MoreHorizontal, Trash2 } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { IconButton } from '../../../components/button.tsx'
import { Menu, MenuChoice, MenuItem, MenuSeparator } from '../../../components/menu.tsx'
import { Tooltip } from '../../../components/tooltip.tsx'
import { useAction } from '../../../domain/failure-toast.ts'
import { colorOf, HIGHLIGHT_COLORS, type HighlightColor } from '../../../domain/highlight-colors.ts'
import { t, translated } from '../../../lib/i18n/i18n.ts'
import { classNames } from '../../../lib/ui/class-names.ts'
import { saveBlob } from '../../../lib/ui/save-blob.ts'
import type { Anchor } from '../anchors.ts'
import { deleteComment, setHighlightColor } from '../mutations.ts'
import type { Comment } from '../queries.ts'
import { highlightsToMarkdown } from './highlights-markdown.ts'

type HighlightsProps = {
  library: string
  document: { id: string; title: string }
  person: string
  comments: readonly Comment[]
  open: string | undefined
  onShow: (highlight: string) => void
  onComment: (anchor: Anchor) => void
}

const inOrder = (one: Comment, other: Comment): number =>
  (one.page ?? 0) - (other.page ?? 0) || (one.start_offset ?? 0) - (other.start_offset ?? 0)

/** A document's highlights in text order, with a color filter and Markdown export. */
export function Highlights({ library, document, person, comments, open, onShow, onComment }: HighlightsProps) {
  const [color, setColor] = useState<HighlightColor>()
  const marks = comments.filter(({ quote, parent_id }) => quote !== null && parent_id === null).toSorted(inOrder)
  const highlights = marks.filter(({ body }) => body === '')
  const used = HIGHLIGHT_COLORS.filter(({ value }) => highlights.some((one) => colorOf(one.color).value === value))
  // The last highlight with the chosen color may have been deleted.
  const chosen = used.some(({ value }) => value === color) ? color : undefined
  const visible = highlights.filter((one) => chosen === undefined || colorOf(one.color).value === chosen)
  const save = () => {
    const text = highlightsToMarkdown({
      title: document.title,
      address: `${location.origin}/l/${library}/d/${document.id}`,
      marks: chosen === undefined ? marks : visible,
      comments,
    })
    saveBlob(new Blob([text], { type: 'text/markdown' }), `${t('Highlights in {title}', { title: document.title })}.md`)
  }
  if (highlights.length === 0) return null
  return (
    <section aria-labelledby="highlights">
      <div className="mb-2 flex min-h-8 items-center gap-1">
        <h2 id="highlights" className="eyebrow me-auto">
          {t('Highlights')}
        </h2>
        {used.length > 1
          ? used.map(({ value, label, paint }) => (
              <Tooltip key={value} text={t(label)}>
                <button
                  type="button"
                  aria-label={t('Only {color}', { color: t(label) })}
                  aria-pressed={value === chosen}
                  onClick={() => setColor(value === chosen ? undefined : value)}
                  className="grid size-7 place-items-center rounded-full border border-transparent aria-pressed:border-edge"
                >
                  <span className={classNames('size-4 rounded-full border border-edge', paint)} />
                </button>
              </Tooltip>
            ))
          : null}
        <Tooltip text={t('Save as Markdown')}>
          <IconButton icon={FileDown} label={t('Save the highlights as Markdown')} onClick={save} />
        </Tooltip>
      </div>
      <ul className="grid grid-cols-1 gap-3">
        {visible.map((highlight) => (
          <HighlightItem
            key={highlight.id}
            place={{ library, document: document.id }}
            highlight={highlight}
            isOwn={highlight.created_by === person}
            isOpen={highlight.id === open}
            onShow={() => onShow(highlight.id)}
            onComment={() =>
              onComment({ page: highlight.page, quote: highlight.quote ?? '', start: highlight.start_offset })
            }
          />
        ))}
      </ul>
    </section>
  )
}

type HighlightItemProps = {
  place: { library: string; document: string }
  highlight: Comment
  isOwn: boolean
  isOpen: boolean
  onShow: () => void
  onComment: () => void
}

function HighlightItem({ place, highlight, isOwn, isOpen, onShow, onComment }: HighlightItemProps) {
  const item = useRef<HTMLLIElement>(null)
  const coloring = useAction(setHighlightColor)
  const deletion = useAction(deleteComment)
  useEffect(() => {
    if (isOpen) item.current?.scrollIntoView({ block: 'nearest' })
  }, [isOpen])
  const { value, label, edge } = colorOf(highlight.color)
  const facts = [
    highlight.page ? t('p. {page}', { page: highlight.page }) : '',
    t(label),
    highlight.author?.display_name ?? t('Former member'),
  ]
  return (
    <li
      ref={item}
      className={classNames(
        'flex items-start gap-1 rounded-e border-s-4 ps-2.5',
        edge,
        isOpen && 'bg-accent-soft',
        highlight.resolved_at !== null && 'opacity-65',
      )}
    >
      <div className="min-w-0 flex-1">
        <button
          dir="auto"
          type="button"
          onClick={onShow}
          className="line-clamp-3 text-start font-serif text-[0.8125rem] text-ink-soft hover:text-ink"
        >
          {highlight.quote}
        </button>
        <p className="mt-0.5 truncate text-ink-faint text-xs">{facts.filter(Boolean).join(' · ')}</p>
      </div>
      <Menu trigger={<IconButton icon={MoreHorizontal} label={t('Actions for this highlight')} className="-mt-1" />}>
        {isOwn ? (
          <>
            <MenuChoice
              value={value}
              onChange={(color) => coloring.mutate({ ...place, highlight: highlight.id, color })}
              options={translated(HIGHLIGHT_COLORS)}
            />
            <MenuSeparator />
          </>
        ) : null}
        <MenuItem icon={MessageSquarePlus} onSelect={onComment}>
          {t('Comment')}
        </MenuItem>
        {isOwn ? (
          <MenuItem icon={Trash2} danger onSelect={() => deletion.mutate({ ...place, comment: highlight.id })}>
            {t('Delete')}
          </MenuItem>
        ) : null}
      </Menu>
    </li>
  )
}
