import { deepStrictEqual } from 'node:assert/strict'
import { extractMarkdown, readableMarkdown } from './markdown.ts'

const CASES: readonly [string, string, [string | null, string][]][] = [
  ['text without headings', 'One\n\nTwo', [[null, 'One\n\nTwo']]],
  [
    'headings form a path',
    '# A #\none\n### B\ntwo\n## *C* `d`\nthree',
    [
      ['A', 'one\n'],
      ['A › B', 'two\n'],
      ['A › C d', 'three'],
    ],
  ],
  [
    'setext headings',
    'Title\n=====\none\n\nPart\n----\ntwo',
    [
      ['Title', 'one\n\n'],
      ['Title › Part', 'two'],
    ],
  ],
  ['a rule does not underline a heading', 'one\n\n---\n\ntwo', [[null, 'one\n\n---\n\ntwo']]],
  [
    'a hash in code is not a heading',
    'a\n```sh\n# not\n```\n~~~\n# nor\n```\n~~~\nb',
    [[null, 'a\n```sh\n# not\n```\n~~~\n# nor\n```\n~~~\nb']],
  ],
  ['a hash without a space is not a heading', '#tag', [[null, '#tag']]],
  ['front matter is left out', '---\ntitle: x\n---\ntext', [[null, 'text']]],
  ['Windows line ends', '# A\r\none\r\n', [['A', 'one\r\n']]],
  ['nothing', '', []],
]
for (const [name, source, sections] of CASES) {
  Deno.test(name, () => {
    const found = extractMarkdown(source).sections
    deepStrictEqual(
      found.map(({ heading, text }) => [heading, text]),
      sections,
    )
    for (const { start, text } of found) deepStrictEqual(source.slice(start, start + text.length), text)
  })
}

const READABLE: readonly [string, string][] = [
  ['<table><tr><td/><td>Hemp</td><td>90<b>0</b></td></tr></table>', 'Hemp  900'],
  ['**bold**, *slanted*, _too_, ~~struck~~ and `code`', 'bold, slanted, too, struck and code'],
  ['[a link](https://x.org/a_(b) "t") and ![a picture](p.png)', 'a link and a picture'],
  ['see [this][1] and <https://x.org>', 'see this and https://x.org'],
  ['- one\n- [x] two\n3. three', '• one\n• two\n• three'],
  ['3. three', 'three'],
  ['> quoted\n> twice', 'quoted\ntwice'],
  ['snake_case_name and 2 * 3 * 4', 'snake_case_name and 2 * 3 * 4'],
  ['\\*not slanted\\*', '*not slanted*'],
  ['```js\nlet a = 1\n```', 'let a = 1'],
]
for (const [source, text] of READABLE)
  Deno.test(`reads ${source}`, () => deepStrictEqual(readableMarkdown(source), text))

Deno.test('hostile syntax takes no time', () => {
  for (const source of [
    '['.repeat(50_000),
    '*a '.repeat(50_000),
    '`'.repeat(50_000),
    '[a]('.repeat(20_000),
    `${'_a'.repeat(50_000)}`,
  ]) {
    readableMarkdown(source.slice(0, 1600))
    extractMarkdown(source)
  }
})
