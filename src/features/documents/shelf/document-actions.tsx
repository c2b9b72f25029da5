import { Link } from '@tanstack/react-router'
import { BookOpen, FolderInput, MoreHorizontal, Pencil, RotateCw, Star, StarOff, Tag, Trash2 } from 'lucide-react'
import type { ReactNode } from 'react'
import { IconButton } from '../../../components/button.tsx'
import { Menu, MenuItem, MenuSeparator } from '../../../components/menu.tsx'
import { t } from '../../../lib/i18n/i18n.ts'
import type { Card } from '../card.ts'

export type DocumentHandlers = {
  onReadAgain: (document: Card) => void
  onStar: (document: Card) => void
  onRename: (document: Card) => void
  onMove: (document: Card) => void
  onTag: (document: Card) => void
  onDelete: (document: Card) => void
  drawExportItems: (document: Card) => ReactNode
}

type DocumentActionsProps = {
  library: string
  document: Card
  canEdit: boolean
  isFavorite: boolean
  handlers: DocumentHandlers
}

export function DocumentActions({ library, document, canEdit, isFavorite, handlers }: DocumentActionsProps) {
  return (
    <Menu
      trigger={
        <IconButton
          icon={MoreHorizontal}
          label={t('Actions for {title}', { title: document.title })}
          className="relative z-10"
        />
      }
    >
      <MenuItem asChild>
        <Link to="/l/$library/d/$document" params={{ library, document: document.id }}>
          <BookOpen aria-hidden />
          {t('Open')}
        </Link>
      </MenuItem>
      <MenuItem icon={isFavorite ? StarOff : Star} onSelect={() => handlers.onStar(document)}>
        {isFavorite ? t('Remove from favorites') : t('Add to favorites')}
      </MenuItem>
      {canEdit ? (
        <>
          <MenuSeparator />
          <MenuItem icon={Pencil} onSelect={() => handlers.onRename(document)}>
            {t('Rename…')}
          </MenuItem>
          <MenuItem icon={FolderInput} onSelect={() => handlers.onMove(document)}>
            {t('Move to…')}
          </MenuItem>
          <MenuItem icon={Tag} onSelect={() => handlers.onTag(document)}>
            {t('Tags…')}
          </MenuItem>
          <MenuItem icon={RotateCw} onSelect={() => handlers.onReadAgain(document)}>
            {document.kind === 'link' ? t('Fetch it again') : t('Read it again')}
          </MenuItem>
          <MenuItem icon={Trash2} danger onSelect={() => handlers.onDelete(document)}>
            {t('Move to the trash')}
          </MenuItem>
          <MenuSeparator />
        </>
      ) : null}
      {handlers.drawExportItems(document)}
    </Menu>
  )
}
