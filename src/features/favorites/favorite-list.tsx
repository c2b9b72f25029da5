import { Link } from '@tanstack/react-router'
import { FileText, Folder, NotebookPen, Star } from 'lucide-react'
import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { IconButton } from '../../components/button.tsx'
import { SIDE_BUTTON, SIDE_LINK, SIDE_ROW } from '../../components/menu-styles.ts'
import { startDrag, useDropTarget } from '../../domain/drag-and-drop.ts'
import { t } from '../../lib/i18n/i18n.ts'
import { classNames } from '../../lib/ui/class-names.ts'
import { follower } from './arrangement.ts'
import { type Favorite, subjectOf } from './queries.ts'
import { type Starred, useMoveFavorite, useToggleFavorite } from './use-favorites.ts'

type FavoriteListProps = {
  label: string
  favorites: readonly Favorite[]
  /** Only in the person's own order. */
  canMove: boolean
  showsLibrary?: boolean
}

/** Favorites, reordered by dragging or with Alt and arrow keys. */
export function FavoriteList({ label, favorites, canMove, showsLibrary = false }: FavoriteListProps) {
  const list = useRef<HTMLUListElement>(null)
  const move = useMoveFavorite()
  const refocus = useRef<number>(undefined)
  // biome-ignore lint/correctness/useExhaustiveDependencies: browsers take the focus from an element that is moved up
  useEffect(() => {
    if (refocus.current !== undefined) list.current?.querySelectorAll('a')[refocus.current]?.focus()
    refocus.current = undefined
  }, [favorites])
  const place = (from: number, to: number) => {
    const favorite = favorites[from]
    if (favorite && favorites[to] && from !== to) move(favorite.id, follower(favorites, from, to))
  }
  const moveByKey = (event: KeyboardEvent, from: number) => {
    const step = event.key === 'ArrowUp' ? -1 : event.key === 'ArrowDown' ? 1 : 0
    if (!canMove || !event.altKey || step === 0) return
    event.preventDefault()
    if (favorites[from + step]) refocus.current = from + step
    place(from, from + step)
  }
  return (
    <ul ref={list} aria-label={label} className="grid grid-cols-1 gap-0.5">
      {favorites.map((favorite, index) => (
        <Entry
          key={favorite.id}
          favorite={favorite}
          canMove={canMove}
          showsLibrary={showsLibrary}
          onDropped={(id) =>
            place(
              favorites.findIndex((one) => one.id === id),
              index,
            )
          }
          onKey={(event) => moveByKey(event, index)}
        />
      ))}
    </ul>
  )
}

type EntryProps = {
  favorite: Favorite
  canMove: boolean
  showsLibrary: boolean
  onDropped: (favorite: string) => void
  onKey: (event: KeyboardEvent) => void
}

function Entry({ favorite, canMove, showsLibrary, onDropped, onKey }: EntryProps) {
  const { id, library_id: library, document, collection } = favorite
  const toggle = useToggleFavorite()
  const [isDragged, setDragged] = useState(false)
  const target = useDropTarget({ favorite: canMove ? ([dropped]) => dropped && onDropped(dropped) : undefined })
  const title = document?.title ?? collection?.name ?? '…'
  const starred: Starred | undefined = document
    ? { library, document }
    : collection
      ? { library, collection }
      : undefined
  const Icon = collection ? Folder : document?.kind === 'note' ? NotebookPen : FileText
  const link = {
    draggable: canMove,
    onDragStart: (event: React.DragEvent) => {
      startDrag(event, 'favorite', [id])
      setDragged(true)
    },
    onDragEnd: () => setDragged(false),
    onKeyDown: onKey,
    ...(canMove ? { 'aria-keyshortcuts': 'Alt+ArrowUp Alt+ArrowDown' } : {}),
    className: SIDE_LINK,
  }
  const content = (
    <>
      <Icon aria-hidden className="size-4 shrink-0" />
      <span dir="auto" className="truncate">
        {title}
      </span>
      {showsLibrary && favorite.library ? (
        <span className="ms-auto max-w-[40%] shrink-0 truncate text-ink-faint text-xs">{favorite.library.name}</span>
      ) : null}
    </>
  )
  if (subjectOf(favorite) === undefined) return null
  return (
    <li className={classNames(SIDE_ROW, isDragged && 'opacity-50')} {...target}>
      {document ? (
        <Link to="/l/$library/d/$document" params={{ library, document: document.id }} {...link}>
          {content}
        </Link>
      ) : (
        <Link to="/l/$library" params={{ library }} search={{ collection: collection?.id }} {...link}>
          {content}
        </Link>
      )}
      {starred ? (
        <IconButton
          icon={Star}
          label={t('Remove {title} from favorites', { title })}
          onClick={() => toggle(starred)}
          className={classNames(SIDE_BUTTON, '[&_svg]:fill-current [&_svg]:text-amber')}
        />
      ) : null}
    </li>
  )
}
