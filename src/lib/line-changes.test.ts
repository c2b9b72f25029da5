import fc from 'fast-check'
import { expect, test } from 'vitest'
import { compareTexts } from './line-changes.ts'

function applied(a: string, b: string): string {
  let text = ''
  let reached = 0
  for (const { fromA, toA, fromB, toB } of compareTexts(a, b).changes) {
    text += a.slice(reached, fromA) + b.slice(fromB, toB)
    reached = toA
  }
  return text + a.slice(reached)
}

const text = fc
  .array(fc.constantFrom('the lamp', 'the sea', 'a', '', 'is dark 🐋', 'is deep'), { maxLength: 12 })
  .chain((lines) => fc.constantFrom('\n', '\n\n', ' ').map((sign) => lines.join(sign)))

test('applying the changes to one text gives the other', () => {
  fc.assert(fc.property(text, text, (a, b) => void expect(applied(a, b)).toBe(b)))
})

test('changed words are marked within their line, and distant lines still match', () => {
  const { changes, rough } = compareTexts('one\nthe green lamp\nthree', 'zero\none\nthe red lamp\nthree')
  expect(changes.map(({ fromA, toA, fromB, toB }) => [fromA, toA, fromB, toB])).toEqual([
    [0, 0, 0, 5],
    [8, 8 + 'green'.length, 13, 13 + 'red'.length],
  ])
  expect(rough).toBe(0)
})

test('large texts with little in common are compared by lines only', () => {
  const book = (word: string) =>
    Array.from({ length: 4_000 }, (_, line) =>
      line % 40 === 0 ? `${line}` : `${word} ${line} ${'x'.repeat(80)}`,
    ).join('\n')
  const [a, b] = [book('lamp'), book('sea')]
  expect(applied(a, b)).toBe(b)
  expect(compareTexts(a, b).rough).toBeGreaterThan(20)
})
