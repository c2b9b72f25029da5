import type { Node } from '@tiptap/pm/model'
import fc from 'fast-check'
import { noteSchema } from '../../src/features/notes/document/extensions.ts'

const LINES = [
  'text',
  'more *text* here',
  '**a** _b_ ~~c~~ `d`',
  '# heading',
  'title\n===',
  '- a',
  '* b',
  '  + c',
  '1. one',
  '7) seven',
  '   - deep',
  '- [ ] task',
  '- [x] done',
  '> quote',
  '> > - x',
  '---',
  '***',
  '```',
  '~~~ js',
  '    code',
  '\ttab',
  '| a | b |',
  '|---|:-:|',
  '| c \\| d |',
  '[ref]: /x "title"',
  '[ref] and [text][ref]',
  '[^1] and ![p](x.png)',
  '[^1]: a footnote',
  '<div>',
  '</div>',
  '<!-- c -->',
  'a <b>c</b>',
  'end  ',
  'end\\',
  '&amp; \\* https://example.org',
  '$$',
  '',
  '',
  '  ',
  '\u00a0',
  '🐋 _ü_ß',
]

export const someMarkdown = fc
  .array(fc.tuple(fc.constantFrom('', '', '', ' ', '> ', '  ', '- '), fc.constantFrom(...LINES)), { maxLength: 14 })
  .chain((lines) =>
    fc
      .constantFrom('\n', '\r\n')
      .map((end) => lines.map(([before, line]) => before + line.replaceAll('\n', end)).join(end)),
  )

const { nodes, marks } = noteSchema

const word = fc.oneof(
  fc.constantFrom(
    'lamp',
    'sea',
    'a_b_',
    '*',
    '_',
    '**',
    '[',
    '](',
    ']',
    '<b>',
    '#',
    '1.',
    '-',
    '+',
    '>',
    '`',
    '``',
    '|',
    '~',
    '&amp;',
    '\\',
    '!',
    'www.a.org',
    'é',
    '🐋',
    ':',
    '$',
    '@',
  ),
  fc.string({
    unit: fc.constantFrom(
      'a',
      'b',
      '*',
      '_',
      '[',
      ']',
      '(',
      ')',
      '\\',
      '`',
      '<',
      '>',
      '&',
      '#',
      '-',
      '1',
      '.',
      '|',
      '~',
      '!',
      '"',
    ),
    minLength: 1,
    maxLength: 4,
  }),
)
const words = fc.array(word, { minLength: 1, maxLength: 4 }).map((parts) => parts.join(' '))
const href = fc.constantFrom('https://example.org/a_b', '/l/x/d/y?a=(b)', 'a b', 'mailto:a@example.org', '#x', '')
const mark = fc.oneof(
  fc.constantFrom('bold', 'italic', 'strike', 'code').map((name) => noteSchema.mark(name)),
  fc.tuple(href, fc.option(fc.constant('a "title"'))).map(([url, title]) => marks.link.create({ href: url, title })),
)
const someMarks = fc
  .array(mark, { maxLength: 2 })
  .map((all) => all.reduce<readonly ReturnType<typeof noteSchema.mark>[]>((set, one) => one.addToSet(set), []))

const text = fc.tuple(words, someMarks).map(([value, active]) => {
  // GFM tables can't represent a backslash followed by a bar in code.
  const isCode = active.some(({ type }) => type === marks.code)
  return noteSchema.text(isCode ? value.replaceAll('\\|', '/') : value, active)
})
const picture = fc
  .tuple(fc.constantFrom('a.png', 'b c.png', 'https://x.org/y.png'), words)
  .map(([src, alt]) => nodes.image.create({ src, alt }))
const mention = fc
  .constantFrom('Ada Lovelace', 'A*a_', 'x')
  .map((label) => nodes.mention.create({ id: '0b1f4a52-9d1c-4a53-8d5b-0a4d2f6a1b2c', label }))
/** A space keeps marks from touching adjacent letters, which Markdown can only write with character references. */
const inline = (more: fc.Arbitrary<Node>[]) =>
  fc
    .array(fc.oneof(text, text, picture, mention, ...more), { minLength: 1, maxLength: 4 })
    .map((pieces) => pieces.flatMap((piece, index) => (index === 0 ? [piece] : [noteSchema.text(' '), piece])))
const lineBreak = words.map((value) => [nodes.hardBreak.create(), noteSchema.text(value)])

const paragraph = fc
  .tuple(inline([]), fc.option(lineBreak))
  .map(([first, second]) => nodes.paragraph.create(null, [...first, ...(second ?? [])]))
const heading = fc
  .tuple(fc.integer({ min: 1, max: 6 }), inline([]))
  .map(([level, content]) => nodes.heading.create({ level }, content))
const codeText = fc
  .array(fc.constantFrom('let a', '```', '~~~', '', '  x', '# y'), { minLength: 1, maxLength: 4 })
  .map((lines) => lines.join('\n'))
const code = fc
  .tuple(fc.constantFrom(null, 'js', 'c++'), codeText)
  .map(([language, value]) => nodes.codeBlock.create({ language }, value ? noteSchema.text(value) : null))
const rule = fc.constant(0).map(() => nodes.horizontalRule.create())
const html = fc
  .constantFrom('<div>\n*a*\n</div>', '<!-- a -->', '[ref]: /x')
  .map((value) => nodes.sourceBlock.create(null, noteSchema.text(value)))
const align = fc.constantFrom(null, 'left', 'center', 'right')
const cell = fc.option(inline([])).map((content) => nodes.paragraph.create(null, content ?? []))
const table = fc.array(align, { minLength: 1, maxLength: 3 }).chain((columns) =>
  fc.array(fc.tuple(...columns.map(() => cell)), { minLength: 1, maxLength: 3 }).map((rows) =>
    nodes.table.create(
      null,
      rows.map((cells, row) =>
        nodes.tableRow.create(
          null,
          cells.map((content, column) =>
            (row === 0 ? nodes.tableHeader : nodes.tableCell).create({ align: columns[column] ?? null }, content),
          ),
        ),
      ),
    ),
  ),
)

const { block } = fc.letrec<{ block: Node; list: Node; quote: Node }>((tie) => ({
  block: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    paragraph,
    heading,
    code,
    rule,
    table,
    html,
    tie('list'),
    tie('quote'),
  ),
  quote: fc
    .array(tie('block'), { minLength: 1, maxLength: 3 })
    .map((blocks) => nodes.blockquote.create(null, apart(blocks))),
  list: fc
    .tuple(
      fc.boolean(),
      fc.constantFrom('-', '*', '+'),
      fc.constantFrom(1, 1, 7),
      fc.constantFrom('.', ')'),
      fc.array(fc.tuple(fc.constantFrom(null, null, true, false), fc.array(tie('block'), { maxLength: 2 })), {
        minLength: 2,
        maxLength: 3,
      }),
    )
    .map(([ordered, marker, start, delimiter, items]) => {
      // A list is loose if an item has more than one paragraph.
      const tight = items.every(([, blocks]) => blocks.length < 2)
      const children = items.map(([checked, blocks]) => {
        const content = blocks.length === 0 ? [nodes.paragraph.create()] : apart(blocks)
        return nodes.listItem.create({ checked: content[0]?.type === nodes.paragraph ? checked : null }, content)
      })
      return ordered
        ? nodes.orderedList.create({ start, tight, delimiter }, children)
        : nodes.bulletList.create({ tight, marker }, children)
    }),
}))

/** No adjacent lists, because one of them would have to change its marker. */
const apart = (blocks: readonly Node[]): Node[] =>
  blocks.flatMap((one, index) =>
    index > 0 && isList(one) && isList(blocks[index - 1]) ? [nodes.horizontalRule.create(), one] : [one],
  )
const isList = (node: Node | undefined) => node?.type === nodes.bulletList || node?.type === nodes.orderedList

export const someDocument = fc
  .array(block, { minLength: 1, maxLength: 5 })
  .map((blocks) => nodes.doc.create(null, apart(blocks)))
