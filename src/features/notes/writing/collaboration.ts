import { Extension, type Extensions } from '@tiptap/core'
import { Collaboration } from '@tiptap/extension-collaboration'
import { yCursorPlugin } from '@tiptap/y-tiptap'
import type { Awareness } from 'y-protocols/awareness'
import type * as Y from 'yjs'
import { nameOf } from './presence.ts'
import { fragmentOf, REMOTE } from './shared-text.ts'

/** The colours of carets: see app.css. */
const COLOURS = 6

/** Binds an editor to a document: what is typed goes to the others, and what they type appears, with their carets and names. Undo takes
 *  back only what this person has done. */
export function collaborationIn(doc: Y.Doc, awareness: Awareness): Extensions {
  doc.on('beforeAllTransactions', () => {
    // Browsers report a moved caret in a later task. Remote text that arrives before that would move it back.
    if (doc._transaction?.origin === REMOTE) document.dispatchEvent(new Event('selectionchange'))
  })
  return [
    Collaboration.configure({ fragment: fragmentOf(doc) }),
    Extension.create({
      name: 'writers',
      // Tiptap's own extension for carets writes names and colours of others into style attributes and the text.
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
  // The name is generated content (app.css), and so no part of the text that is copied.
  label.dataset.name = nameOf({ user }) ?? ''
  caret.append(label)
  return caret
}

const selectionOf = (_user: unknown, client: number) => ({ class: `writer-selection ${colourOf(client)}` })
