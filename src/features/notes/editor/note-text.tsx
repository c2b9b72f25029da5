import type { Editor } from '@tiptap/core'
import { EditorContent } from '@tiptap/react'
import type { MenuStore } from './menu-store.ts'
import { SelectionToolbar } from './selection-toolbar.tsx'
import { TableToolbar } from './table-toolbar.tsx'
import { TypingMenu } from './typing-menu.tsx'

/** The text of a note, as it looks where it is read, with the menus that belong to it. */
export function NoteText({ editor, menus }: { editor: Editor; menus: MenuStore }) {
  return (
    <>
      <EditorContent editor={editor} />
      <SelectionToolbar editor={editor} />
      <TableToolbar editor={editor} />
      <TypingMenu editor={editor} store={menus} />
    </>
  )
}
