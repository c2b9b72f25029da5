import type { Node } from '@tiptap/pm/model'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { someDocument, someMarkdown } from '../../../../tests/support/arbitrary-notes.ts'
import { noteSchema } from './extensions.ts'
import { readMarkdown } from './read-markdown.ts'
import { toggleTask } from './tasks.ts'
import { writeMarkdown } from './write-markdown.ts'

const HARD = [
  '',
  '\n',
  '  \n\n',
  'text',
  'text\n',
  '\n\ntext',
  'a\r\nb\r\n\r\nc\r\n',
  '\uFEFF# a',
  '# a\nb',
  'a\n===\nb',
  '- a\n- b\n\n\n- c',
  '* a\n\n+ b',
  '- a\n  - b\n    1. c\n',
  '1) a\n2) b',
  '  - a\n\n    b',
  '- [ ] a\n- [x] b\n- c',
  '- [ ] &#x20;',
  '-\n-',
  '```js title=x\nlet a\n```\n\n',
  '```\nopen',
  '    code\n\n    more',
  '~~~\na\n~~~',
  '> a\nb\n> c\n\n> d',
  '>',
  '***',
  '* * *\n---\n___',
  'a  \nb\\\nc',
  '| a | b |\n|:--|--:|\n| `x\\|y` | c\\|d |\n| e |',
  'a | b\n-|-\nc | d | e',
  '|a|\n|-|\n|x<br>y|',
  '[a][b] and [b] and ![c][b]\n\n[b]: /x "t"',
  '[b]: /x\n[c]: /y\n\n[b]',
  '> [b]: /x\n\n[b]',
  '<div>\n\n*a*\n\n</div>',
  'a <b>c</b> <!-- d --> e',
  '<!-- open\n\na',
  '<br>\na',
  'a[^1]\n\n[^1]: note\n\n    more\n',
  '---\ntitle: a\n---\n\n# b',
  '---\ntitle: a\n---',
  '---\na\n---',
  '$$\na_1 * b\n$$',
  '**a *b* c** *d **e***',
  '~~a~~ `b` ``c ` d``',
  '\\*a\\* &amp; &copy; &#35;',
  'https://example.org www.example.org a@example.org <https://x.org>',
  '@[Ada Lovelace](0b1f4a52-9d1c-4a53-8d5b-0a4d2f6a1b2c) said',
  '# a `b` **c** #',
  'a\n\n\n\n\nb',
  '\ta',
  'snake_case and 2*3*4',
  '![a](b.png "t")',
  '[a]: /x\n[b]: /y\n # title [a]\n  title [b]\n===',
  '> [a]: /x\n> title\n> ---',
]

test.each(HARD)('%j round-trips', (text) => {
  const doc = readMarkdown(text)
  doc.check()
  expect(writeMarkdown(doc)).toBe(text)
  // Also with new nodes instead of those that were read.
  expect(writeMarkdown(doc.type.schema.nodeFromJSON(doc.toJSON()))).toBe(text)
})

const again = (doc: Node): Node => noteSchema.nodeFromJSON(doc.toJSON())
// Adjacent lists can't have the same marker, so it may differ.
const FORM = new Set(['source', 'marker', 'delimiter'])
const bare = (doc: Node): unknown =>
  JSON.parse(JSON.stringify(doc.toJSON(), (key, value) => (FORM.has(key) ? undefined : value)))

test('any text round-trips', () => {
  fc.assert(
    fc.property(someMarkdown, (text) => {
      const doc = readMarkdown(text)
      doc.check()
      expect(writeMarkdown(doc)).toBe(text)
      expect(writeMarkdown(again(doc))).toBe(text)
    }),
    { numRuns: 400 },
  )
})

const row = { type: 'tableRow', content: [{ type: 'tableHeader', content: [{ type: 'paragraph' }] }] }
const item = (...content: unknown[]) => ({ type: 'listItem', attrs: { checked: null }, content })
const list = (tight: boolean, ...content: unknown[]) => ({ type: 'bulletList', attrs: { tight, marker: '-' }, content })

test('in a blockquote, a blank line in one list leaves the others tight', () => {
  const empty = list(true, item({ type: 'paragraph' }), item({ type: 'paragraph' }))
  const doc = noteSchema.nodeFromJSON({
    type: 'doc',
    content: [
      { type: 'blockquote', content: [list(false, item(empty), item(empty, { type: 'table', content: [row] }))] },
    ],
  })
  expect(bare(readMarkdown(writeMarkdown(doc)))).toEqual(bare(doc))
})

test('any document round-trips', () => {
  fc.assert(
    fc.property(someDocument, (doc) => {
      expect(bare(readMarkdown(writeMarkdown(doc)))).toEqual(bare(doc))
    }),
    { numRuns: 200 },
  )
})

function withText(doc: Node, at: number, text: string): Node {
  const block = doc.child(at)
  const changed = block.type.create(block.attrs, noteSchema.text(text))
  return doc.copy(doc.content.replaceChild(at, changed))
}

test.each([
  ['# One\nTwo\n***\n+ a\n+ b\n', 1, '# One\n\n2\n\n***\n+ a\n+ b\n'],
  ['One\n\n\nTwo  \n\n\nThree', 1, 'One\n\n\n2\n\n\nThree'],
  ['One\r\n\r\nTwo\r\n', 0, '2\r\n\r\nTwo\r\n'],
  ['[One]\n\n[Two][One]\n\n[One]: /x', 0, '2\n\n[Two][One]\n\n[One]: /x'],
  ['[One][x]\n\n[x]: /x', 1, '[One](/x)\n\n2'],
  ['One\n\n```\nopen\n', 0, '2\n\n```\nopen\n'],
])('changing a block leaves the others unchanged: %j', (text, at, written) => {
  expect(writeMarkdown(withText(readMarkdown(text), at, '2'))).toBe(written)
})

test('adjacent blocks that would merge are kept apart', () => {
  const list = readMarkdown('- a\n- b').child(0)
  const open = readMarkdown('```\nopen').child(0)
  const doc = noteSchema.node('doc', null, [list, list, open, list])
  expect(writeMarkdown(doc)).toBe('- a\n- b\n\n* a\n* b\n\n```\nopen\n```\n\n- a\n- b')
})

test.each([
  ['- [ ] a\n* [x] b', 0, 2, '- [x] a\n* [x] b'],
  ['1. [ ] a\n   - [X] b [ ]\n\n`- [ ] c`', 1, 2, '1. [ ] a\n   - [ ] b [ ]\n\n`- [ ] c`'],
  ['- [ ] a', 0, 2, undefined],
  ['- [ ] a', 1, 1, undefined],
])('a check box in Markdown is ticked: %j', (text, index, count, ticked) => {
  expect(toggleTask(text, index, count)).toBe(ticked)
})
