import { Link } from '@tanstack/react-router'
import { BookOpen, FolderInput, MoreHorizontal, Pencil, RotateCw, Tag, Trash2 } from 'lucide-react'
import { Button } from '../../components/button.tsx'
import { Menu, MenuItem, MenuSeparator } from '../../components/menu.tsx'
import type { Card } from './queries.ts'

export type DocumentHandlers = {
  onIndex: (document: Card) => void
  onRename: (document: Card) => void
  onMove: (document: Card) => void
  onTag: (document: Card) => void
  onDelete: (document: Card) => void
}

type DocumentActionsProps = { library: string; document: Card; canEdit: boolean; handlers: DocumentHandlers }

export function DocumentActions({ library, document, canEdit, handlers }: DocumentActionsProps) {
  return (
    <Menu
      trigger={
        <Button look="quiet" size="small-icon" aria-label={`Actions for ${document.title}`} className="relative z-10">
          <MoreHorizontal aria-hidden />
        </Button>
      }
    >
      <MenuItem asChild>
        <Link to="/l/$library/d/$document" params={{ library, document: document.id }}>
          <BookOpen aria-hidden />
          Open
        </Link>
      </MenuItem>
      {canEdit ? (
        <>
          <MenuItem onSelect={() => handlers.onRename(document)}>
            <Pencil aria-hidden />
            Rename…
          </MenuItem>
          <MenuItem onSelect={() => handlers.onMove(document)}>
            <FolderInput aria-hidden />
            Move to…
          </MenuItem>
          <MenuItem onSelect={() => handlers.onTag(document)}>
            <Tag aria-hidden />
            Tags…
          </MenuItem>
          <MenuItem onSelect={() => handlers.onIndex(document)}>
            <RotateCw aria-hidden />
            {document.kind === 'link' ? 'Fetch it again' : 'Read it again'}
          </MenuItem>
          <MenuSeparator />
          <MenuItem danger onSelect={() => handlers.onDelete(document)}>
            <Trash2 aria-hidden />
            Move to the trash
          </MenuItem>
        </>
      ) : null}
    </Menu>
  )
}
