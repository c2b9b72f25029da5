import { deepStrictEqual, ok } from 'node:assert/strict'
import type { Section } from './extraction/extraction.ts'
import { cutPassages } from './passages.ts'
import { sentenceGroups } from './sentences.ts'

const section = (text: string, start = 0): Section => ({ page: 3, heading: 'A', text, start })
const sentence = (words: number, name: string) => `${name}${' word'.repeat(words - 1)}. `
const wordsOf = (text: string) => text.split(/\s+/).length

const CASES: readonly [string, Section[], object[]][] = [
  ['an empty section has no passage', [section('  \n ')], []],
  ['punctuation alone is not a passage', [section('--- *** ---')], []],
  [
    'a short section is one passage, trimmed',
    [section('  One. Two.  ', 100)],
    [{ page: 3, heading: 'A', start: 102, end: 111, content: 'One. Two.' }],
  ],
  [
    'sections are never joined',
    [section('One.'), { page: 4, heading: 'B', text: 'Two.', start: 0 }],
    [
      { page: 3, heading: 'A', start: 0, end: 4, content: 'One.' },
      { page: 4, heading: 'B', start: 0, end: 4, content: 'Two.' },
    ],
  ],
  [
    'null characters, which Postgres rejects, are dropped',
    [section('O\0ne.')],
    [{ page: 3, heading: 'A', start: 0, end: 5, content: 'One.' }],
  ],
]
for (const [name, sections, passages] of CASES) {
  Deno.test(name, () => deepStrictEqual(cutPassages(sections), passages))
}

Deno.test('passages end with a sentence and overlap by a short one', () => {
  const text = ['Alpha', 'Beta', 'Gamma', 'Delta'].map((name, index) => sentence(index === 1 ? 20 : 100, name)).join('')
  const passages = cutPassages([section(text)])
  deepStrictEqual(
    passages.map(({ content }) => [content.split(' ')[0], wordsOf(content)]),
    [
      ['Alpha', 120],
      ['Beta', 120],
      ['Delta', 100],
    ],
  )
})

Deno.test('every range holds exactly its content', () => {
  const text = Array.from({ length: 60 }, (_, index) => sentence(5 + ((index * 37) % 40), `S${index} “ä😀”`)).join('\n')
  const passages = cutPassages([section(text)])
  ok(passages.length > 3)
  for (const { start, end, content } of passages) deepStrictEqual(text.slice(start, end), content)
})

Deno.test('a short remainder is joined to the previous passage', () => {
  const passages = cutPassages([section(sentence(190, 'Long') + sentence(15, 'Rest'))])
  deepStrictEqual(passages.length, 1)
})

Deno.test('text without spaces or full stops is split, but never inside a character', () => {
  for (const text of ['x'.repeat(50_000), '😀'.repeat(5000), 'x😀'.repeat(5000), '図書館'.repeat(3000)]) {
    const passages = cutPassages([section(`a ${text} b`)])
    ok(
      passages.every(({ content }) => content.length <= 1700),
      'a passage is too long',
    )
    ok(
      passages.every(({ content }) => content.isWellFormed()),
      'a character is split',
    )
    deepStrictEqual(passages.at(-1)?.end, text.length + 4)
  }
})

Deno.test('a list stays with its introductory sentence, up to a limit', () => {
  const items = Array.from({ length: 9 }, (_, index) => `• item ${index}${' word'.repeat(15)}.`)
  const text = `${sentence(150, 'Before')}\nBring the following:\n\n${items.join('\n\n')}\n\nAfter it.`
  const list = cutPassages([section(text)]).find(({ content }) => content.includes('Bring the following:'))
  ok(list && items.every((item) => list.content.includes(item)), list?.content)
})

Deno.test('a sentence continues across line ends, abbreviations, initials and list numbers', () => {
  const sentences = (text: string) => sentenceGroups(text, 1600).map(({ start, end }) => text.slice(start, end))
  deepStrictEqual(sentences('The pump starts\nwhen it is dark. It stops\nat dawn.'), [
    'The pump starts\nwhen it is dark.',
    'It stops\nat dawn.',
  ])
  deepStrictEqual(sentences('Use tools, e.g. Wrenches. See Fig. 3 by J. Smith. Done.'), [
    'Use tools, e.g. Wrenches.',
    'See Fig. 3 by J. Smith.',
    'Done.',
  ])
  deepStrictEqual(sentences('Steps.\n1. Open the cock.\n2. Wait.\n\nThen go.'), [
    'Steps.',
    '1. Open the cock.\n2. Wait.',
    'Then go.',
  ])
})

Deno.test('a table of figures is kept next to text', () => {
  const sections = [
    { page: 1, heading: null, start: 0, text: 'The lamp burns oil.' },
    { page: 2, heading: null, start: 0, text: '851.5 854.9 839.3 837.5 1,485.1' },
    { page: 3, heading: null, start: 0, text: '12' },
  ]
  deepStrictEqual(
    cutPassages(sections).map(({ content }) => content),
    ['The lamp burns oil.', '851.5 854.9 839.3 837.5 1,485.1'],
  )
})

Deno.test('fragments are dropped next to text, unless they have a heading of their own', () => {
  const free = (text: string): Section => ({ page: null, heading: null, text, start: 0 })
  const contents = (sections: Section[]) => cutPassages(sections).map(({ content }) => content)
  deepStrictEqual(contents([free('33'), free('The pump starts at dawn.')]), ['The pump starts at dawn.'])
  deepStrictEqual(contents([free('33')]), ['33'])
  deepStrictEqual(contents([{ ...free('555-1234'), heading: 'Phone' }, free('The pump starts at dawn.')]), [
    '555-1234',
    'The pump starts at dawn.',
  ])
  const under = (heading: string, text: string): Section => ({ page: 1, heading, text, start: 0 })
  deepStrictEqual(
    cutPassages([under('Tolls', '42 %'), under('Lamps', 'They burn oil.'), under('Lamps', '33')]).map(
      ({ content }) => content,
    ),
    ['42 %', 'They burn oil.'],
  )
})
