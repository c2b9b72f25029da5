import { deepStrictEqual } from 'node:assert/strict'
import { hyphensOf } from './hyphens.ts'

const join = (text: string, next: string, ...others: string[]) =>
  hyphensOf([text, next, ...others].map((line) => ({ text: line, size: 10, y: 0 })))(text, next)
const PLAIN = Array.from({ length: 100 }, (_, index) => `The pump takes water ${index}.`)

for (const [what, text, next, others, joined] of [
  ['a divided word', 'an old light-', 'house by', [], 'an old lighthouse by'],
  ['a compound that is elsewhere, too', 'dit au-', 'delà des', ['Au-delà, tout va'], 'dit au-delà des'],
  ['a word that is elsewhere, too', 'the light-', 'house by', ['A lighthouse', ...PLAIN], 'the lighthouse by'],
  ['a compound in text without hyphenation', 'les savoirs-', 'faire du', PLAIN, 'les savoirs-faire du'],
  ['a compound of three', 'c’est-à-', 'dire que', ['pour dire non'], 'c’est-à-dire que'],
  ['a name', 'am Rhein-', 'Main-Gebiet', [], 'am Rhein-Main-Gebiet'],
  ['an abbreviation', 'a NASA-', 'based team', [], 'a NASA-based team'],
  ['capitals', 'THE COMMU-', 'NITY OF', [], 'THE COMMUNITY OF'],
  ['letters without case', 'בית-', 'ספר', [], 'בית-ספר'],
  ['a word that ends like a conjunction', 'ten thous-', 'and ships', ['A thousand'], 'ten thousand ships'],
  ['a German verb', 'die bau-', 'en wollen', [], 'die bauen wollen'],
  ['a shortened Dutch compound', 'de in-', 'en uitvoer', ['een en ander'], 'de in- en uitvoer'],
  ['a shortened compound', 'Ein-', 'und Ausgang', [], 'Ein- und Ausgang'],
  ['a number after a hyphen', 'page 4-', '5 and', [], undefined],
  ['a dash', 'the lamp -', 'and its', [], undefined],
] as const) {
  Deno.test(`lines are joined in ${what}`, () => {
    deepStrictEqual(join(text, next, ...others), joined)
  })
}
