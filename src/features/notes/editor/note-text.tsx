import type { Editor } from '@tiptap/core'
import { EditorContent } from '@tiptap/react'
import { type FaceStore, type LinkDrawing, LinkFaces } from './link-faces.tsx'
import type { MenuStore } from './menu-store.ts'
import { PictureToolbar } from './picture-toolbar.tsx'
import { SelectionToolbar } from './selection-toolbar.tsx'
import { TableToolbar } from './table-toolbar.tsx'
import { TypingMenu } from './typing-menu.tsx'

type NoteTextProps = { editor: Editor; menus: MenuStore; faces: FaceStore; drawing: LinkDrawing }

export function NoteText({ editor, menus, faces, drawing }: NoteTextProps) {
  return (
    <>
      <EditorContent editor={editor} />
      <SelectionToolbar editor={editor} />
      <TableToolbar editor={editor} />
      <PictureToolbar editor={editor} />
      <LinkFaces store={faces} drawing={drawing} />
      <TypingMenu editor={editor} store={menus} />
    </>
  )
}
