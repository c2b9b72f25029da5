import { Extension, type Extensions } from '@tiptap/core'
import { Collaboration } from '@tiptap/extension-collaboration'
import { Plugin } from '@tiptap/pm/state'
import { yCursorPlugin, yUndoPluginKey } from '@tiptap/y-tiptap'
import type { Awareness } from 'y-protocols/awareness'
import type * as Y from 'yjs'
import { nameOf } from './presence.ts'
import { fragmentOf, REMOTE } from './shared-text.ts'

/** Writers' colors in OKLCH, dark enough for white names. */
const COLORS = ['0.55 0.17 250', '0.55 0.17 25', '0.52 0.13 150', '0.52 0.19 305', '0.54 0.12 75', '0.53 0.11 200']

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
        // Undo reverts only what was pasted, not also what was typed just before.
        new Plugin({
          props: {
            handleDOMEvents: { paste: ({ state }) => yUndoPluginKey.getState(state)?.undoManager.stopCapturing() },
          },
        }),
      ],
    }),
  ]
}

const styleOf = (client: number): string => `--writer: oklch(${COLORS[client % COLORS.length]})`

function caretOf(user: unknown, client: number): HTMLElement {
  const caret = document.createElement('span')
  caret.className = 'writer-caret'
  caret.style.cssText = styleOf(client)
  const label = document.createElement('span')
  // Generated content (app.css), so it isn't copied with the text.
  label.dataset.name = nameOf({ user }) ?? ''
  caret.append(label)
  return caret
}

const selectionOf = (_user: unknown, client: number) => ({ class: 'writer-selection', style: styleOf(client) })
