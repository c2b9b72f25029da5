import { deepStrictEqual } from 'node:assert/strict'
import { chooseAuthor, choosePageTitle, chooseTitle, dayOf } from './about.ts'

for (const junk of [
  '',
  '  ',
  '-',
  '12',
  'Microsoft Word - report.doc',
  'thesis.dvi',
  'Untitled',
  '(anonymous)',
  'Document1',
  'Presentation 3',
  'slide 1',
  'C:\\Users\\ada\\x',
  '/tmp/x',
  'file:///x',
  'PowerPoint-Präsentation',
  '0b1e2d3c4b5a69788796a5b4c3d2e1f0',
  'Table of Contents',
  '(Microsoft Word - report)',
  'ISBN 978-3-16-148410-0',
  'PII: S0140-6736(20)30183-5',
  'S0140673620301835',
  'doi:10.1000/xyz',
  'https://doi.org/10.1000/xyz',
  'arXiv:1706.03762v7 [cs.CL] 2 Aug 2023',
  'report_final_v3',
  'a word '.repeat(29),
]) {
  Deno.test(`“${junk}” is not a title`, () => deepStrictEqual(chooseTitle(junk, 'The title'), 'The title'))
}
for (const title of [
  'The Debian GNU/Linux FAQ',
  'R',
  'DOI, ISBN and ISSN',
  'S-Bahn',
  'Presentation of the year',
  '図書館の歴史',
  'Word',
]) {
  Deno.test(`“${title}” is a title if it has at least two letters`, () =>
    deepStrictEqual(chooseTitle(title), title.length < 2 ? null : title))
}

Deno.test('a manual page has the name of its command as its title', () => {
  deepStrictEqual(
    [choosePageTitle('pg_ctl'), chooseTitle('pg_ctl'), choosePageTitle('Untitled')],
    ['pg_ctl', null, null],
  )
})

Deno.test('a page of a manual has the name of its chapter as its title', () => {
  const titles = [
    'Kapitel 6. Wartung: Die APT-Werkzeuge',
    '2.3. Lamps and lenses',
    'Chapter 6',
    'Chapter 1. Introduction',
  ]
  deepStrictEqual(titles.map(choosePageTitle), [titles[0], titles[1], null, null])
})

Deno.test('authors are listed once, without programs', () => {
  deepStrictEqual(chooseAuthor('Ada  Keeper', 'Ben', 'Ada Keeper', 'unknown', null), 'Ada Keeper, Ben')
  deepStrictEqual(chooseAuthor('Microsoft Office User', ''), null)
})

const NOW = new Date('2026-01-01T00:00:00Z')
for (const [text, day] of [
  ["D:20230120164927-06'00'", '2023-01-20'],
  ['2024-03-05T10:00:00Z', '2024-03-05'],
  ['2024', '2024-01-01'],
  ['Tue, 5 Mar 2024 10:00:00 +0000', '2024-03-05'],
  ['Tue, 31 Dec 2024 20:30:00 -0800', '2024-12-31'],
  ['2031-01-01', null],
  ['0001-01-01', null],
  ['2024-13-40', null],
  ['soon', null],
  [undefined, null],
] as const) {
  Deno.test(`the date of ${text} is ${day}`, () => deepStrictEqual(dayOf(text, NOW), day))
}

Deno.test('the names that libraries write for authors are none', () =>
  deepStrictEqual(chooseAuthor('(anonymous)', 'python-docx', 'Ada Lovelace'), 'Ada Lovelace'))
