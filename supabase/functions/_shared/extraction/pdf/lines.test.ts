import { deepStrictEqual } from 'node:assert/strict'
import { linesOf, spelled, type TextItem } from './lines.ts'

const run = (str: string, y: number, height: number, hasEOL = false): TextItem => ({
  str,
  width: 0,
  height,
  transform: [height, 0, 0, height, 40, y],
  hasEOL,
})

Deno.test('a header drawn after the title above it is a separate line', () => {
  const lines = linesOf([run('Annual report 2025', 600, 36), run('THE TRUST', 720, 12, true), run('Lamps.', 500, 10)])
  deepStrictEqual(
    lines.map(({ text, size }) => [text, size]),
    [
      ['Annual report 2025', 36],
      ['THE TRUST', 12],
      ['Lamps.', 10],
    ],
  )
})

Deno.test('a superscript and a rotated line stay in their lines', () => {
  const rotated = (str: string, y: number): TextItem => ({ ...run(str, y, 10), transform: [0, 10, -10, 0, 40, y] })
  const lines = linesOf([
    run('The lamp', 600, 10),
    run('1', 605, 6),
    run(' burns.', 600, 10, true),
    rotated('Up ', 100),
    rotated('there', 140),
  ])
  deepStrictEqual(
    lines.map(({ text }) => text),
    ['The lamp1 burns.', 'Up there'],
  )
})

for (const [language, drawn, said] of [
  ['Hindi', 'समानता प्र ाप्त', 'समानता प्राप्त'],
  ['Arabic', 'أحرارا ًمتساوين وضميرا ً وعليهم', 'أحراراً متساوين وضميراً وعليهم'],
  ['Latin', 'Erd \u030bos', 'Erd \u030bos'],
] as const) {
  Deno.test(`a mark that is drawn apart stays in its word in ${language}`, () => {
    deepStrictEqual(linesOf([run(drawn, 600, 10)])[0]?.text, said)
  })
}

Deno.test('a number between words from right to left stands apart', () => {
  const at = (x: number, str: string, width: number): TextItem => ({
    ...run(str, 600, 12),
    width,
    transform: [12, 0, 0, 12, x, 600],
  })
  const [line] = linesOf([at(156.8, 'القانون رقم', 60), at(135, '217', 18.8), at(112, 'لسنة', 20)])
  deepStrictEqual(line?.text, 'القانون رقم 217 لسنة')
})

Deno.test('numbers of glyphs are read as the characters they stand for, in the fonts that lack a table', () => {
  const items = [
    { ...run('7KH\x03OlQGOLFKH\x03ODPS', 700, 10, true), fontName: 'a' },
    { ...run('EXUQV\x11', 680, 10, true), fontName: 'a' },
    { ...run('The lamp.', 660, 10, true), fontName: 'b' },
  ]
  deepStrictEqual(
    linesOf(spelled(items)).map(({ text }) => text),
    ['The ländliche lamp', 'burns.', 'The lamp.'],
  )
})

for (const [what, runs, text] of [
  ['with letter spacing form words', ['K e e p e r', ' ', 'o f', ' ', 'l a m p s'], 'Keeper of lamps'],
  ['of a formula stay separate', ['a b'], 'a b'],
  ['and old-style figures are normalized', ['\uf731\uf739\uf730\uf735 \uf761\uf762'], '1905 ab'],
  ['in vertical forms are normalized', ['船を数える︒'], '船を数える。'],
  ['in presentation forms are normalized', ['ﺍﻟﺮﺋﻴﺴﺓ ﬁnds'], 'الرئيسة finds'],
] as const) {
  Deno.test(`letters ${what}`, () =>
    deepStrictEqual(
      linesOf(runs.map((one) => run(one, 700, 10))).map((line) => line.text),
      [text],
    ))
}

const at = (x: number, y: number, str: string): TextItem => ({
  ...run(str, y, 10),
  width: 5 * str.length,
  transform: [10, 0, 0, 10, x, y],
})
const turned = ({ transform: [, , , , x = 0, y = 0], ...item }: TextItem): TextItem => ({
  ...item,
  transform: [0, 10, -10, 0, -y, x],
})
for (const [what, runs, text] of [
  [
    'cells drawn from right to left stay separate words',
    [at(300, 700, 'approved'), at(40, 700, 'Keeper')],
    'approved Keeper',
  ],
  [
    'an accent drawn over its letter stays in the word',
    [at(40, 700, 'Caf'), at(55, 700, 'e'), at(56, 700, '´')],
    'Cafe´',
  ],
  ['text drawn twice for a bold effect is read once', [at(40, 700, 'Toll'), at(40.3, 699.8, 'Toll')], 'Toll'],
  ['repeated words are both read', [at(40, 700, 'no'), at(50, 700, ' '), at(55, 700, 'no')], 'no no'],
] as const) {
  Deno.test(what, () => {
    for (const drawn of [runs, runs.map(turned)]) deepStrictEqual(linesOf(drawn)[0]?.text, text)
  })
}

const ACCENTED: readonly (readonly [drawn: string, written: string])[] = [
  ['Herv´e, S¨ackinger, ˇSedek, P˚al, Erd˝os, voil`a, fac¸ade', 'Hervé, Säckinger, Šedek, Pål, Erdős, voilà, façade'],
  ['Pas¸ca, Mar´ıa', 'Paşca, María'],
  ['It´s l´amour, don´t quote `a` or 5´ 30¨', 'It´s l´amour, don´t quote `a` or 5´ 30¨'],
]
for (const [drawn, written] of ACCENTED)
  Deno.test(`accents drawn apart from their letters: ${written}`, () =>
    deepStrictEqual(linesOf([run(drawn, 600, 10)])[0]?.text, written))
