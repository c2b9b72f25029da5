import { Extension, type Extensions } from '@tiptap/core'
import { Collaboration } from '@tiptap/extension-collaboration'
import { yCursorPlugin } from '@tiptap/y-tiptap'
import type { Awareness } from 'y-protocols/awareness'
import type * as Y from 'yjs'
import { nameOf } from './presence.ts'
import { fragmentOf, REMOTE } from './shared-text.ts'

const COLOURS = 6

/** Binds an editor to a shared document, with the others' carets and names. Undo only reverts local changes. */
export function collaborationIn(doc: Y.Doc, awareness: Awareness): Extensions {
  doc.on('beforeAllTransactions', () => {
    // Browsers report caret moves in a later task; remote text arriving before that would revert them.
    if (doc._transaction?.origin === REMOTE) document.dispatchEvent(new Event('selectionchange'))
  })
  return [
    Collaboration.configure({ fragment: fragmentOf(doc) }),
    Extension.create({
      name: 'writers',
      // Tiptap's own caret extension writes remote names and colors into style attributes and the text.
      addProseMirrorPlugins: () => [
        yCursorPlugin(awareness, { cursorBuilder: caretOf, selectionBuilder: selectionOf }),
      ],
    }),
  ]
}

const colourOf = (client: number): string => `writer-${client % COLOURS}`

function caretOf(user: unknown, client: number): HTMLElement {
  const caret = document.createElement('span')
  caret.className = `writer-caret ${colourOf(client)}`
  const label = document.createElement('span')
  // Generated content (app.css), so it isn't copied with the text.
  label.dataset.name = nameOf({ user }) ?? ''
  caret.append(label)
  return caret
}

const selectionOf = (_user: unknown, client: number) => ({ class: `writer-selection ${colourOf(client)}` })
