import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Star } from 'lucide-react'
import { memo, useEffect, useState, useSyncExternalStore } from 'react'
import { IconButton } from '../../../components/button.tsx'
import { Checkbox } from '../../../components/checkbox.tsx'
import { Progress } from '../../../components/progress.tsx'
import { startDrag } from '../../../domain/drag-and-drop.ts'
import { progressOf, type ReadingPosition } from '../../../domain/reading-progress.ts'
import { verificationState } from '../../../domain/validity.ts'
import { savesData } from '../../../lib/device.ts'
import { formatRelativeTime } from '../../../lib/i18n/format.ts'
import { t } from '../../../lib/i18n/i18n.ts'
import { withoutMarkdown } from '../../../lib/markdown.ts'
import { classNames } from '../../../lib/ui/class-names.ts'
import type { Card } from '../card.ts'
import { coverAddressQuery } from '../covers/cover-address.ts'
import { covers } from '../covers/covers.ts'
import { isDrawable } from '../covers/drawable.ts'
import { sizeLabel } from '../document-size.ts'
import { IndexingStatus } from '../indexing-status.tsx'
import { describeKind } from '../kinds.ts'
import { VerificationBadge } from '../verification-badge.tsx'
import { DocumentActions, type DocumentHandlers } from './document-actions.tsx'
import { TagList } from './tag-list.tsx'
import type { Selection } from './use-selection.ts'

export type ShelfProps = {
  library: string
  documents: readonly Card[]
  canEdit: boolean
  handlers: DocumentHandlers
  selection: Selection
  positions: ReadonlyMap<string, ReadingPosition>
  favorites: ReadonlySet<string>
  hasMore: boolean
  onMore: () => void
}

/** Pixels: reserves the picture's aspect ratio. */
const COVER = { width: 400, height: 300 }

/** Of one document on the shelf. */
export type DocumentProps = Pick<ShelfProps, 'library' | 'canEdit' | 'handlers' | 'selection'> & {
  document: Card
  position: ReadingPosition | undefined
  isFavorite: boolean
}

/** Returns the ids to drag: the whole selection if the document is in it. */
export const selectedWith = (document: Card, { ids, has }: Selection): string[] =>
  has(document.id) ? [...ids] : [document.id]

/** Memoized, because dozens of cards are rendered while scrolling. */
export const DocumentCard = memo(function DocumentCard({
  library,
  document,
  canEdit,
  handlers,
  selection,
  position,
  isFavorite,
  isLarge,
}: DocumentProps & { isLarge: boolean }) {
  const { label, icon: Icon, paper } = describeKind(document)
  const selected = selection.has(document.id)
  const cover = useCover(library, document, canEdit)
  const progress = progressOf(document, position)
  const largeTitle = cover.url ? 'line-clamp-3 text-[1.0625rem]' : 'line-clamp-4 text-[1.1875rem]'
  // A file without text is found by its name, which is shown above.
  const beginning = document.summary || (document.excerpt === document.title ? '' : withoutMarkdown(document.excerpt))
  return (
    <article
      aria-label={document.title}
      draggable={canEdit}
      onDragStart={(event) => startDrag(event, 'documents', selectedWith(document, selection))}
      className={classNames(
        'group relative flex h-full overflow-hidden rounded-lg border transition-[border-color,box-shadow] hover:border-edge hover:shadow-lift',
        isLarge && 'sm:min-h-88 sm:flex-col',
        selected ? 'border-accent outline-2 outline-accent outline-offset-[-1px]' : 'border-line',
        cover.url ? 'bg-surface' : paper,
      )}
    >
      {cover.url ? (
        <img
          src={cover.url}
          alt=""
          {...COVER}
          loading="lazy"
          decoding="async"
          draggable={false}
          onError={cover.onError}
          className={classNames(
            'w-24 shrink-0 border-line border-e bg-sunken object-contain dark:brightness-85',
            isLarge && 'sm:h-48 sm:w-full sm:border-e-0 sm:border-b',
          )}
        />
      ) : null}
      <div className={classNames('flex min-w-0 flex-1 flex-col', isLarge ? 'gap-2.5 p-4' : 'gap-1.5 px-3 py-2.5')}>
        <div className="flex items-center justify-between gap-2">
          <span className="eyebrow flex min-w-0 items-center gap-1.5">
            <Icon aria-hidden className="size-3.5 shrink-0 text-accent" />
            <span className="truncate">{label}</span>
          </span>
          <CardTools
            library={library}
            document={document}
            canEdit={canEdit}
            handlers={handlers}
            selection={selection}
            isFavorite={isFavorite}
          />
        </div>
        <h2
          dir="auto"
          className={classNames(
            'wrap-anywhere font-medium font-serif leading-[1.3]',
            isLarge ? largeTitle : 'line-clamp-2',
          )}
        >
          <Link
            data-document={document.id}
            to="/l/$library/d/$document"
            params={{ library, document: document.id }}
            className="after:absolute after:inset-0 after:rounded-lg"
          >
            {document.title}
          </Link>
        </h2>
        {document.written_by ? (
          <p className="-mt-1 truncate text-ink-faint text-xs">
            <bdi>{document.written_by}</bdi>
            {document.dated ? ` · ${document.dated.slice(0, 4)}` : null}
          </p>
        ) : null}
        {cover.url || !beginning ? null : (
          <p
            dir="auto"
            className={classNames(
              'font-serif text-ink-soft text-sm',
              isLarge ? 'line-clamp-3 leading-relaxed sm:line-clamp-6' : 'line-clamp-2',
            )}
          >
            {beginning}
          </p>
        )}
        <TagList tags={document.tags} />
        {document.verified_until === null || verificationState(document.verified_until) === 'valid' ? null : (
          <VerificationBadge until={document.verified_until} />
        )}
        <div className={classNames('mt-auto grid', isLarge ? 'gap-2.5' : 'gap-1.5')}>
          <IndexingStatus
            library={library}
            document={document}
            onRetry={canEdit ? () => handlers.onReadAgain(document) : undefined}
          />
          <div className="relative flex justify-between gap-3 border-line border-t pt-2 text-ink-faint text-xs">
            {progress ? (
              <Progress value={progress.share} label={t('Read so far')} className="absolute inset-x-0 -top-px h-0.5" />
            ) : null}
            <span className="truncate">
              {progress?.label ?? (sizeLabel(document) || document.author?.display_name)}
            </span>
            <time dateTime={document.created_at} className="shrink-0">
              {formatRelativeTime(document.created_at)}
            </time>
          </div>
        </div>
      </div>
    </article>
  )
})

type DocumentCheckboxProps = { document: Card; selection: Selection; className: string }

/** Selects a document; with Shift, all since the last one. */
export const DocumentCheckbox = ({ document, selection, className }: DocumentCheckboxProps) => (
  <Checkbox
    aria-label={t('Select {title}', { title: document.title })}
    checked={selection.has(document.id)}
    onChange={({ nativeEvent }) =>
      selection.toggle(document.id, nativeEvent instanceof MouseEvent && nativeEvent.shiftKey)
    }
    className={className}
  />
)

function CardTools(card: Omit<DocumentProps, 'position'>) {
  const { document, canEdit, handlers, selection, isFavorite } = card
  const hidden = 'opacity-0 focus-visible:opacity-100 group-hover:opacity-100 pointer-coarse:opacity-100'
  return (
    <div className="-my-2 -me-2 flex items-center">
      {canEdit ? (
        <DocumentCheckbox
          document={document}
          selection={selection}
          className={classNames('relative z-10 me-1', selection.ids.size === 0 && hidden)}
        />
      ) : null}
      <IconButton
        icon={Star}
        label={t('Favorite: {title}', { title: document.title })}
        aria-pressed={isFavorite}
        onClick={() => handlers.onStar(document)}
        className={classNames(
          'relative z-10 aria-pressed:text-amber aria-pressed:[&_svg]:fill-current',
          !isFavorite && hidden,
        )}
      />
      <DocumentActions {...card} />
    </div>
  )
}

/** Returns a cover's address and an error handler. Editors' browsers create missing covers. */
function useCover(library: string, { id, mime_type, version }: Card, canEdit: boolean) {
  const cover = useSyncExternalStore(covers.subscribe, () => (version ? covers.made(version.id) : undefined))
  const path = version?.cover_path ?? cover
  const isMissing = path === undefined && isDrawable(mime_type) && canEdit
  useEffect(() => (isMissing && mayMake() ? covers.add({ document: id }) : undefined), [isMissing, id])
  const { data } = useQuery({ ...coverAddressQuery(library, path ?? ''), enabled: path !== undefined })
  const [broken, setBroken] = useState<string>()
  return { url: data?.url === broken ? undefined : data?.url, onError: () => setBroken(data?.url) }
}

/** Not offline or with data saving: it downloads the whole file. */
const mayMake = (): boolean => navigator.onLine && !savesData()
