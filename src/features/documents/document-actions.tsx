import { Link } from '@tanstack/react-router'
import { BookOpen, MoreHorizontal, Pencil, RotateCw, Trash2 } from 'lucide-react'
import { Button } from '../../components/button.tsx'
import { Menu, MenuItem, MenuSeparator } from '../../components/menu.tsx'
import type { Card } from './queries.ts'

export type DocumentHandlers = {
  onIndex: (document: Card) => void
  onRename: (document: Card) => void
  onDelete: (document: Card) => void
}

type DocumentActionsProps = { library: string; document: Card; handlers: DocumentHandlers }

export function DocumentActions({ library, document, handlers }: DocumentActionsProps) {
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
      <MenuItem onSelect={() => handlers.onRename(document)}>
        <Pencil aria-hidden />
        Rename…
      </MenuItem>
      <MenuItem onSelect={() => handlers.onIndex(document)}>
        <RotateCw aria-hidden />
        Read it again
      </MenuItem>
      <MenuSeparator />
      <MenuItem danger onSelect={() => handlers.onDelete(document)}>
        <Trash2 aria-hidden />
        Move to the trash
      </MenuItem>
    </Menu>
  )
}
