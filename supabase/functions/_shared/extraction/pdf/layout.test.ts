import { deepStrictEqual, ok } from 'node:assert/strict'
import { cutPassages } from '../../passages.ts'
import { type Bookmark, sectionsOfPages, titlesInType } from './layout.ts'
import type { Line } from './lines.ts'

/** A page of 10-point lines from top to bottom; `# ` begins a 14-point heading, an empty line is a wider gap. */
function page(...lines: string[]): Line[] {
  return lines.flatMap((text, index) =>
    text === '' ? [] : [{ text: text.replace(/^# /, ''), size: text.startsWith('# ') ? 14 : 10, y: 780 - index * 12 }],
  )
}
const textOf = (pages: Line[][], bookmarks: Bookmark[] = []) =>
  sectionsOfPages(pages, bookmarks).map(({ heading, text }) => [heading, text])
const line = (text: string, size: number): Line => ({ text, size, y: 0 })
const BODY = 'The pump takes water from the lower tank and lifts it.'

Deno.test('running heads, footers and page numbers are dropped, even in short chapters', () => {
  const pages = Array.from({ length: 9 }, (_, index) =>
    page(
      `Chapter ${index === 4 ? 'Two' : 'One'} Pumps ${index + 1}`,
      '',
      ...['It runs', 'It hums', 'It stops', 'It rests'].map((text) => `${text} as pump ${'abcdefghi'[index]} does.`),
      '',
      `- ${index + 1} -`,
    ),
  )
  const [body, ...left] = sectionsOfPages(pages, [])
  ok(body && !/Chapter|- \d -/.test(body.text), body?.text)
  ok(body.text.includes('It runs as pump e does. It hums as pump e does.'))
  deepStrictEqual(
    left.map(({ page, text }) => [page, text]),
    [
      [1, 'Chapter One Pumps 1'],
      [5, 'Chapter Two Pumps 5'],
    ],
  )
})

Deno.test('a heading that is divided inside a word is joined', () => {
  const pages = [page(BODY, BODY, '# Über Grundstücks-', '# verkehr', BODY)]
  deepStrictEqual(textOf(pages).at(-1), ['Über Grundstücksverkehr', BODY])
})

Deno.test('lines of scripts without spaces are joined without one', () => {
  deepStrictEqual(textOf([page('灯台の守り人は北の', '岩礁を通る船を', 'PDF で数える。')]), [
    [null, '灯台の守り人は北の岩礁を通る船を PDF で数える。'],
  ])
})

Deno.test('a repeated line within the text is kept', () => {
  const pages = Array.from({ length: 6 }, (_, index) =>
    page(BODY, 'One.', `Two ${'x'.repeat(index)}y.`, 'Note: wear gloves.', 'Three.', 'Four.'),
  )
  ok(sectionsOfPages(pages, []).every(({ text }) => text.includes('Note: wear gloves.')))
})

Deno.test('a table of contents is dropped, including two-line entries and parts without leaders', () => {
  const contents = page(
    '# Contents',
    '1 Installing . . . . . . . . . . . . 1',
    '1.1 A setup whose name is so long that it continues',
    'in the next line . . . . . . . . . . 4',
    '1.2 Another ....................... 5',
    '1.3 Next ....................... 6',
    '1.4 Last ....................... 7',
    'Part II Upkeep 9',
  )
  deepStrictEqual(textOf([contents, page('# Installing', BODY)])[0], ['Installing', BODY])
})

Deno.test('a footer recurs although it counts pages between other numbers', () => {
  const pages = Array.from({ length: 9 }, (_, index) =>
    page(
      ...['runs', 'hums', 'stops', 'rests'].map((does) => `It ${does} as ${'abcdefghi'[index]} does.`),
      '',
      `© 2024 | ${index + 1} of 9`,
    ),
  )
  deepStrictEqual(textOf(pages).flat().join('').match(/©/g)?.length, 1)
})

Deno.test('a table of contents without leaders is detected by its title and ascending numbers', () => {
  const contents = page('# Contents', 'Preface 3', 'Pumps 5', 'Valves 17', 'Pipes 21', 'Tanks 40')
  deepStrictEqual(textOf([contents, page('# Preface', BODY)])[0], ['Preface', BODY])
})

Deno.test('dot leaders and an index at the end are dropped', () => {
  const index = page(
    ...Array.from({ length: 12 }, (_, number) => `valve ${'abcdefghijkl'[number]}, ${number + 3}, ${number + 9}`),
  )
  const pages = [...Array.from({ length: 9 }, (_, number) => page(`${BODY} ${number}`, 'Continue.', 'And on.')), index]
  ok(!textOf(pages)[0]?.join().includes('valve'))
})

const tickets = [1, 2, 3].map((number) => page(`Berth ticket number ${number}`, 'Quay of the northern reef'))
const sheet = (size: number, count: number, text: string): Line[] =>
  Array.from({ length: count }, (_, index) => ({ text: `${text} ${index}.`, size, y: 780 - index * size * 1.4 }))
for (const [what, pages, said] of [
  ['similar pages', tickets, ['Berth ticket number 3', 'Quay of the northern reef']],
  ['a page of headings only', [page('# Regatta'), page('# Ropes', BODY), page('# Lamps')], ['Regatta', 'Lamps']],
  ['a type size used only on the first page', [[line('Regatta', 30), ...page(BODY)], page(BODY)], ['Regatta']],
  [
    'text above longer small print',
    [[...sheet(11, 9, 'Granite comes by ship'), ...sheet(6, 40, 'Nobody is liable for lamps')]],
    ['ship 0. Granite', 'ship 8.'],
  ],
  ['many lines of large type', [[...sheet(14, 6, 'Oak lasts'), ...sheet(10, 30, BODY)]], ['lasts 0. Oak', 'lasts 5.']],
  [
    'a price list with dot leaders',
    [page(BODY, ...['Storm lantern', 'Tarred canvas', 'Hemp', 'Oil'].map((one, at) => `${one} .......... ${90 - at}`))],
    ['Storm lantern .......... 90', 'Oil .......... 87'],
  ],
  [
    'numbered lines of a form',
    [page(BODY, ...Array.from({ length: 9 }, (_, at) => `Wages of kind ${'abcdefghi'[at]} . . . . . . ${at + 4}`))],
    ['kind c . . . . . . 6'],
  ],
  [
    'numbers above pages that do not count them',
    [1042, 977, 1203, 555, 1310].map((number, at) =>
      page(
        `Invoice ${number}`,
        '',
        ...['It runs', 'It hums', 'It stops', 'It rests'].map((text) => `${text} as ${'abcde'[at]} does.`),
      ),
    ),
    ['Invoice 977', 'Invoice 1310'],
  ],
  ['a word only in a running head', tickets.map((one) => [...one, ...page(BODY, BODY, BODY)]), ['Quay']],
] as const) {
  Deno.test(`kept: ${what}`, () => {
    const text = sectionsOfPages(pages, [])
      .map((section) => section.text)
      .join('\n')
    for (const words of said) ok(text.includes(words), text)
  })
}

Deno.test('headings form a path by size, and larger type on the first page is the title', () => {
  const big = (text: string, size: number, y: number): Line => ({ text, size, y })
  const pages = [
    [big('The Manual', 30, 700), ...page(BODY)],
    [big('Pumps', 18, 780), big('Priming', 14, 760), ...page('', '', '', '', BODY)],
    [big('Valves', 18, 780), ...page('', '', '', BODY)],
  ]
  deepStrictEqual(
    textOf(pages).map(([heading]) => heading),
    [null, 'Pumps › Priming', 'Valves'],
  )
})

Deno.test('bookmarks become headings at their titles, in any size and across two lines', () => {
  const bookmarks = [
    { title: '2 Pumps', level: 1, page: 0 },
    { title: '2.1 Priming and venting', level: 2, page: 0 },
  ]
  const pages = [page('Valves close.', '', '2 Pumps', BODY, '2.1 Priming and', 'venting', 'Open the cock.')]
  deepStrictEqual(textOf(pages, bookmarks), [
    [null, 'Valves close.'],
    ['2 Pumps', BODY],
    ['2 Pumps › 2.1 Priming and venting', 'Open the cock.'],
  ])
})

Deno.test('a sentence across a page break is joined, and the passage has its first page', () => {
  const pages = [page('# Pumps', BODY, 'When the tank is'), page('empty, the pump stops by itself.', BODY)]
  const [section] = sectionsOfPages(pages, [])
  ok(section?.text.includes('When the tank is empty, the pump stops by itself.'))
  deepStrictEqual(section?.page, 1)
  deepStrictEqual(section?.text.slice(section.turns?.[0]?.at, (section.turns?.[0]?.at ?? 0) + 5), 'empty')
  const long = page('# Pumps', ...Array.from({ length: 30 }, (_, index) => `${BODY} ${index}.`))
  deepStrictEqual([...new Set(cutPassages(sectionsOfPages([long, long], [])).map((passage) => passage.page))], [1, 2])
})

Deno.test('page numbers and single letters between texts are dropped', () => {
  const pages = [page(BODY, 'It runs.', '# Figure A', '33', '# Figure B', 'T'), page(BODY, 'x', 'y')]
  ok(cutPassages(sectionsOfPages(pages, [])).every(({ content }) => content.length > 20))
})

const TEXT = Array.from({ length: 20 }, () => line(BODY, 10))
for (const [what, lines, titles] of [
  [
    'up to three lines of one size are joined',
    [line('On the', 20), line('diffraction of', 20), line('light*', 20)],
    ['On the diffraction of light'],
  ],
  [
    'a fourth line is not joined',
    ['A one', 'A two', 'A three', 'A four'].map((text) => line(text, 20)),
    ['A one A two A three', 'A four'],
  ],
  [
    'separate lines are not joined',
    [line('Light', 20), line('Someone', 10), line('Appendix', 20)],
    ['Light', 'Appendix'],
  ],
  ['larger type comes first', [line('A series', 14), line('Light', 20)], ['Light', 'A series']],
  ['a number is not a title', [line('17', 40), line('Light', 20)], ['Light']],
  [
    'an article comes before its journal',
    [line('Journal of Optics', 24), line('Light', 20)],
    ['Light', 'Journal of Optics'],
  ],
  ['an article comes before a running head', [line('Optics Today', 24), line('Light', 20)], ['Light', 'Optics Today']],
  ['a journal alone is the title', [line('Journal of Optics', 24)], ['Journal of Optics']],
  ['type of similar size as the text is not a title', [line('Light', 12)], []],
] as const) {
  Deno.test(`the title on a first page: ${what}`, () =>
    deepStrictEqual(titlesInType([[], [...lines, ...TEXT], [line('Optics Today', 8), ...TEXT]]), titles))
}
