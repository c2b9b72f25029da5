// @vitest-environment jsdom
import { Editor } from '@tiptap/core'
import { expect, test } from 'vitest'
import { noteExtensions } from '../document/extensions.ts'
import { readMarkdown } from '../document/read-markdown.ts'
import { Checklists } from './checklists.ts'
import { Clipboard } from './clipboard.ts'

const HOSTILE = [
  '<script>window.ran = 1</script>',
  '<img src=x onerror="window.ran = 1">',
  'a <b onmouseover="window.ran = 1">b</b>',
  '[x](javascript:window.ran=1)',
  '[x](JAVA\tSCRIPT:window.ran=1)',
  '![x](javascript:window.ran=1)',
  '<a href="javascript:window.ran=1">x</a>',
  '[x](data:text/html;base64,PHNjcmlwdD4=)',
  '```"><script>window.ran=1</script>\n```',
  '@[<img src=x onerror=window.ran=1>](0b1f4a52-9d1c-4a53-8d5b-0a4d2f6a1b2c)',
  '<iframe src="javascript:window.ran=1"></iframe>',
  '<svg><a xlink:href="javascript:window.ran=1"><text>x</text></a></svg>',
]

// jsdom lacks it, and ProseMirror creates one when pasting by code.
globalThis.ClipboardEvent ??= class extends Event {
  clipboardData = null
}

const open = (content: object) =>
  new Editor({ element: document.body, extensions: [...noteExtensions, Checklists, Clipboard], content })

/** Anything in an editor that could run code or load remote content. */
const dangers = ({ view: { dom } }: Editor): string[] =>
  [...dom.querySelectorAll('*')].flatMap((element) => [
    ...(/^(?:script|iframe|object|embed|form|style|svg)$/i.test(element.tagName) ? [element.outerHTML] : []),
    ...element
      .getAttributeNames()
      .filter((name) => name !== 'data-src')
      .filter(
        (name) => name.startsWith('on') || /^\s*(?:javascript|data|vbscript):/i.test(element.getAttribute(name) ?? ''),
      )
      .map((name) => `${name}=${element.getAttribute(name)}`),
  ])

test.each(HOSTILE)('%j is opened in the editor without running', (markdown) => {
  const editor = open(readMarkdown(markdown).toJSON())
  expect(dangers(editor)).toEqual([])
  editor.destroy()
})

test.each(HOSTILE)('%j is pasted as HTML without running', (html) => {
  const editor = open({ type: 'doc', content: [{ type: 'paragraph' }] })
  editor.view.pasteHTML(html)
  expect(dangers(editor)).toEqual([])
  editor.destroy()
})

test('pasted text is parsed as Markdown and joined with the text around it', () => {
  const editor = open({ type: 'doc', content: [{ type: 'paragraph', content: [{ type: 'text', text: 'ab' }] }] })
  editor.commands.setTextSelection(2)
  const text = '**x**\n\n- [x] y'
  const clipboardData = { getData: (type: string) => (type === 'text/plain' ? text : ''), files: [], types: [] }
  editor.view.dom.dispatchEvent(Object.assign(new Event('paste', { cancelable: true }), { clipboardData }))
  expect(editor.getHTML()).toBe(
    '<p>a<strong>x</strong></p><ul dir="auto" data-tight=""><li data-checked="true"><p>yb</p></li></ul>',
  )
  editor.destroy()
})
