import { Link } from '@tanstack/react-router'
import { memo } from 'react'
import { Checkbox } from '../../../components/checkbox.tsx'
import { startDrag } from '../../../domain/drag-and-drop.ts'
import { formatRelativeTime } from '../../../lib/i18n/format.ts'
import { t } from '../../../lib/i18n/i18n.ts'
import { classNames } from '../../../lib/ui/class-names.ts'
import { sizeLabel } from '../document-size.ts'
import { IndexingStatus } from '../indexing-status.tsx'
import { describeKind } from '../kinds.ts'
import type { Card } from '../queries.ts'
import { DocumentActions, type DocumentHandlers } from './document-actions.tsx'
import { TagList } from './tag-list.tsx'
import type { Selection } from './use-selection.ts'

export type ShelfProps = {
  library: string
  documents: readonly Card[]
  canEdit: boolean
  handlers: DocumentHandlers
  selection: Selection
  hasMore: boolean
  onMore: () => void
}

type DocumentCardProps = Pick<ShelfProps, 'library' | 'canEdit' | 'handlers' | 'selection'> & { document: Card }

/** The ids that are dragged with a document: the whole selection if it is selected, else its own. */
export const selectedWith = (document: Card, { ids, has }: Selection): string[] =>
  has(document.id) ? [...ids] : [document.id]

/** Memoized: dozens of cards are on screen while the shelf scrolls. */
export const DocumentCard = memo(function DocumentCard({
  library,
  document,
  canEdit,
  handlers,
  selection,
}: DocumentCardProps) {
  const { label, icon: Icon } = describeKind(document)
  const selected = selection.has(document.id)
  return (
    <article
      aria-label={document.title}
      draggable={canEdit}
      onDragStart={(event) => startDrag(event, 'documents', selectedWith(document, selection))}
      className={classNames(
        'group relative flex h-full flex-col gap-3 rounded-lg border bg-surface p-4 transition-[border-color,box-shadow] hover:border-edge hover:shadow-lift sm:min-h-52',
        selected ? 'border-accent outline-2 outline-accent outline-offset-[-1px]' : 'border-line',
      )}
    >
      <div className="flex items-center justify-between gap-2">
        <span className="eyebrow flex items-center gap-1.5">
          <Icon aria-hidden className="size-3.5 text-accent" />
          {label}
        </span>
        <div className="-my-2 -mr-2 flex items-center">
          {canEdit ? (
            <Checkbox
              aria-label={t('Select {title}', { title: document.title })}
              checked={selected}
              onChange={({ nativeEvent }) => {
                selection.toggle(document.id, nativeEvent instanceof MouseEvent && nativeEvent.shiftKey)
              }}
              className={classNames(
                'relative z-10 mr-1',
                selection.ids.size === 0 &&
                  'opacity-0 focus-visible:opacity-100 group-hover:opacity-100 pointer-coarse:opacity-100',
              )}
            />
          ) : null}
          <DocumentActions library={library} document={document} canEdit={canEdit} handlers={handlers} />
        </div>
      </div>
      <h2 className="line-clamp-4 font-medium font-serif text-[1.1875rem] leading-[1.3]">
        <Link
          data-document={document.id}
          to="/l/$library/d/$document"
          params={{ library, document: document.id }}
          className="after:absolute after:inset-0 after:rounded-lg"
        >
          {document.title}
        </Link>
      </h2>
      <TagList tags={document.tags} />
      <div className="mt-auto grid gap-2.5 pt-2">
        <IndexingStatus
          library={library}
          document={document}
          onRetry={canEdit ? () => handlers.onReadAgain(document) : undefined}
        />
        <p className="flex justify-between gap-3 border-line border-t pt-2.5 text-ink-faint text-xs">
          <span className="truncate">{sizeLabel(document) || document.author?.display_name}</span>
          <time dateTime={document.created_at} className="shrink-0">
            {formatRelativeTime(document.created_at)}
          </time>
        </p>
      </div>
    </article>
  )
})
