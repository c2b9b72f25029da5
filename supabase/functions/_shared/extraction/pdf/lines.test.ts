import { deepStrictEqual } from 'node:assert/strict'
import { linesOf, type TextItem } from './lines.ts'

const run = (str: string, y: number, height: number, hasEOL = false): TextItem => ({
  str,
  height,
  transform: [height, 0, 0, height, 40, y],
  hasEOL,
})

Deno.test('a head that is written after the title, above it, is a line of its own', () => {
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

Deno.test('a raised note sign and a rotated line stay in their lines', () => {
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

for (const [what, runs, text] of [
  ['set apart are words', ['K e e p e r', ' ', 'o f', ' ', 'l a m p s'], 'Keeper of lamps'],
  ['of a formula stay apart', ['a b'], 'a b'],
  ['in the forms that their place gives them are letters', ['ﺍﻟﺮﺋﻴﺴﺓ ﬁnds'], 'الرئيسة finds'],
] as const) {
  Deno.test(`letters ${what}`, () =>
    deepStrictEqual(
      linesOf(runs.map((one) => run(one, 700, 10))).map((line) => line.text),
      [text],
    ))
}
