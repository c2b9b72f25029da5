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
import { IconButton } from '../../components/button.tsx'
import { Menu, MenuItem, MenuSeparator } from '../../components/menu.tsx'
import { SIDE_BUTTON, SIDE_LINK, SIDE_ROW } from '../../components/menu-styles.ts'
import { startDrag, useDropTarget } from '../../domain/drag-and-drop.ts'
import { t } from '../../lib/i18n/i18n.ts'
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
  const target = useDropTarget({
    documents: handlers ? (ids) => handlers.onDocuments(branch, ids) : undefined,
    collection: handlers
      ? ([moved]) => moved && moved !== branch.id && handlers.onCollection(branch, moved)
      : undefined,
  })
  return (
    <div className={SIDE_ROW} {...target}>
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
          <IconButton
            icon={MoreHorizontal}
            label={t('Actions for the collection {name}', { name: branch.name })}
            className={SIDE_BUTTON}
          />
        }
      >
        <MenuItem icon={Star} onSelect={() => stars.toggle(branch)}>
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
      <MenuItem icon={FolderPlus} disabled={branch.depth >= MAX_DEPTH} onSelect={() => handlers.onNest(branch)}>
        {t('New collection inside…')}
      </MenuItem>
      <MenuItem icon={Pencil} onSelect={() => handlers.onRename(branch)}>
        {t('Rename…')}
      </MenuItem>
      <MenuItem icon={FolderInput} onSelect={() => handlers.onMove(branch)}>
        {t('Move to…')}
      </MenuItem>
      <MenuItem icon={Columns2} onSelect={() => handlers.onFields(branch)}>
        {t('Fields…')}
      </MenuItem>
      {handlers.onApproval ? (
        <MenuItem icon={BadgeCheck} onSelect={() => handlers.onApproval?.(branch)}>
          {t('Approval…')}
        </MenuItem>
      ) : null}
      <MenuSeparator />
      <MenuItem icon={Trash2} danger onSelect={() => handlers.onDelete(branch)}>
        {t('Delete the collection')}
      </MenuItem>
    </>
  )
}
