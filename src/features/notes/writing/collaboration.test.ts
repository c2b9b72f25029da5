// @vitest-environment jsdom
import { Editor } from '@tiptap/core'
import { afterEach, expect, test } from 'vitest'
import { Awareness } from 'y-protocols/awareness'
import * as Y from 'yjs'
import { noteExtensions } from '../document/extensions.ts'
import { collaborationIn } from './collaboration.ts'
import { changeText, docOf, firstState, REMOTE } from './shared-text.ts'

let editor: Editor | undefined
afterEach(() => editor?.destroy())

test('the caret keeps its place when remote text arrives right after it moved', () => {
  const doc = docOf(firstState('The lamp burns.'))
  editor = new Editor({
    element: document.body.appendChild(document.createElement('div')),
    extensions: [...noteExtensions, ...collaborationIn(doc, new Awareness(doc))],
  })
  editor.view.focus()
  const text = editor.view.dom.querySelector('p')?.firstChild
  // Like a key press: the caret moves first, and the event is in a later task.
  document.getSelection()?.collapse(text ?? null, 'The lamp burns.'.length)
  const theirs = docOf(firstState('The lamp burns.'))
  changeText(theirs, 'Hear: The lamp burns.')
  Y.applyUpdate(doc, Y.encodeStateAsUpdate(theirs), REMOTE)
  editor.commands.insertContent(' Well.')
  expect(editor.getText()).toBe('Hear: The lamp burns. Well.')
})
