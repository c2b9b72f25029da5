import { Link } from '@tanstack/react-router'
import { BookOpen, FolderInput, MoreHorizontal, Pencil, RotateCw, Star, StarOff, Tag, Trash2 } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button } from '../../../components/button.tsx'
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
  drawTaking: (document: Card) => ReactNode
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
        <Button
          look="quiet"
          size="small-icon"
          aria-label={t('Actions for {title}', { title: document.title })}
          className="relative z-10"
        >
          <MoreHorizontal aria-hidden />
        </Button>
      }
    >
      <MenuItem asChild>
        <Link to="/l/$library/d/$document" params={{ library, document: document.id }}>
          <BookOpen aria-hidden />
          {t('Open')}
        </Link>
      </MenuItem>
      <MenuItem onSelect={() => handlers.onStar(document)}>
        {isFavorite ? <StarOff aria-hidden /> : <Star aria-hidden />}
        {isFavorite ? t('Remove from favorites') : t('Add to favorites')}
      </MenuItem>
      {handlers.drawTaking(document)}
      {canEdit ? (
        <>
          <MenuSeparator />
          <MenuItem onSelect={() => handlers.onRename(document)}>
            <Pencil aria-hidden />
            {t('Rename…')}
          </MenuItem>
          <MenuItem onSelect={() => handlers.onMove(document)}>
            <FolderInput aria-hidden />
            {t('Move to…')}
          </MenuItem>
          <MenuItem onSelect={() => handlers.onTag(document)}>
            <Tag aria-hidden />
            {t('Tags…')}
          </MenuItem>
          <MenuItem onSelect={() => handlers.onReadAgain(document)}>
            <RotateCw aria-hidden />
            {document.kind === 'link' ? t('Fetch it again') : t('Read it again')}
          </MenuItem>
          <MenuSeparator />
          <MenuItem danger onSelect={() => handlers.onDelete(document)}>
            <Trash2 aria-hidden />
            {t('Move to the trash')}
          </MenuItem>
        </>
      ) : null}
    </Menu>
  )
}
