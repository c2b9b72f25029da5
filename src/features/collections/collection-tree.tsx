import { Link } from '@tanstack/react-router'
import {
  BadgeCheck,
  Columns2,
  Folder,
  FolderInput,
  FolderPlus,
  MoreHorizontal,
  Pencil,
  Star,
  Trash2,
} from 'lucide-react'
import { Button } from '../../components/button.tsx'
import { Menu, MenuItem, MenuSeparator } from '../../components/menu.tsx'
import { SIDE_BUTTON, SIDE_LINK } from '../../components/menu-styles.ts'
import { startDrag, useDropTarget } from '../../domain/drag-and-drop.ts'
import { t } from '../../lib/i18n/i18n.ts'
import { classNames } from '../../lib/ui/class-names.ts'
import { type Branch, MAX_DEPTH } from './tree.ts'

type CollectionHandlers = {
  onNest: (branch: Branch) => void
  onRename: (branch: Branch) => void
  onMove: (branch: Branch) => void
  onFields: (branch: Branch) => void
  /** Opens its approvers; for owners. */
  onApproval: ((branch: Branch) => void) | undefined
  onDelete: (branch: Branch) => void
  onDocuments: (branch: Branch, documents: string[]) => void
  onCollection: (branch: Branch, collection: string) => void
}

export type CollectionStars = { has: (collection: string) => boolean; toggle: (branch: Branch) => void }

type CollectionTreeProps = {
  library: string
  branches: readonly Branch[]
  stars: CollectionStars
  /** Null for readers. */
  handlers: CollectionHandlers | null
}

export function CollectionTree({ library, branches, stars, handlers }: CollectionTreeProps) {
  if (branches.length === 0) return null
  return (
    <ul className={indentOf(branches[0]?.depth ?? 1)}>
      {branches.map((branch) => (
        <li key={branch.id}>
          <Entry library={library} branch={branch} stars={stars} handlers={handlers} />
          <CollectionTree library={library} branches={branch.children} stars={stars} handlers={handlers} />
        </li>
      ))}
    </ul>
  )
}

type EntryProps = { library: string; branch: Branch; stars: CollectionStars; handlers: CollectionHandlers | null }

/** Deep levels indent less, so that twenty levels leave room for a name. */
function indentOf(depth: number): string {
  if (depth === 1) return 'grid grid-cols-1 gap-0.5'
  return depth <= 4 ? 'ms-3 border-line border-s ps-1' : 'ms-px border-line border-s'
}

function Entry({ library, branch, stars, handlers }: EntryProps) {
  const place = useDropTarget(
    handlers
      ? {
          documents: (ids) => handlers.onDocuments(branch, ids),
          collection: ([moved]) => moved && moved !== branch.id && handlers.onCollection(branch, moved),
        }
      : {},
  )
  return (
    <div
      className={classNames(
        'group relative flex items-center rounded-md',
        place.isOver && 'bg-accent-soft outline-2 outline-accent',
      )}
      {...place.handlers}
    >
      <Link
        to="/l/$library"
        params={{ library }}
        search={{ collection: branch.id }}
        draggable={handlers !== null}
        onDragStart={(event) => startDrag(event, 'collection', [branch.id])}
        className={SIDE_LINK}
      >
        <Folder aria-hidden className="size-4 shrink-0" />
        <span dir="auto" className="truncate">
          {branch.name}
        </span>
      </Link>
      <Menu
        trigger={
          <Button
            look="quiet"
            size="small-icon"
            aria-label={t('Actions for the collection {name}', { name: branch.name })}
            className={SIDE_BUTTON}
          >
            <MoreHorizontal aria-hidden />
          </Button>
        }
      >
        <MenuItem onSelect={() => stars.toggle(branch)}>
          <Star aria-hidden />
          {stars.has(branch.id) ? t('Remove from favorites') : t('Add to favorites')}
        </MenuItem>
        {handlers ? <EditorItems branch={branch} handlers={handlers} /> : null}
      </Menu>
    </div>
  )
}

function EditorItems({ branch, handlers }: { branch: Branch; handlers: CollectionHandlers }) {
  return (
    <>
      <MenuItem disabled={branch.depth >= MAX_DEPTH} onSelect={() => handlers.onNest(branch)}>
        <FolderPlus aria-hidden />
        {t('New collection inside…')}
      </MenuItem>
      <MenuItem onSelect={() => handlers.onRename(branch)}>
        <Pencil aria-hidden />
        {t('Rename…')}
      </MenuItem>
      <MenuItem onSelect={() => handlers.onMove(branch)}>
        <FolderInput aria-hidden />
        {t('Move to…')}
      </MenuItem>
      <MenuItem onSelect={() => handlers.onFields(branch)}>
        <Columns2 aria-hidden />
        {t('Fields…')}
      </MenuItem>
      {handlers.onApproval ? (
        <MenuItem onSelect={() => handlers.onApproval?.(branch)}>
          <BadgeCheck aria-hidden />
          {t('Approval…')}
        </MenuItem>
      ) : null}
      <MenuSeparator />
      <MenuItem danger onSelect={() => handlers.onDelete(branch)}>
        <Trash2 aria-hidden />
        {t('Delete the collection')}
      </MenuItem>
    </>
  )
}
