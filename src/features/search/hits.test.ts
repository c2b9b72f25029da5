import fc from 'fast-check'
import { expect, test } from 'vitest'
import { countPassages, excerpt, groupByDocument, splitAtHighlights } from './hits.ts'

const marks = (text: string, ranges: unknown) =>
  splitAtHighlights(text, ranges)
    .map(({ text: piece, marked }) => (marked ? `[${piece}]` : piece))
    .join('')

test.each([
  ['no ranges', [], 'the lamp burns'],
  ['one', [[4, 8]], 'the [lamp] burns'],
  [
    'two, out of order',
    [
      [9, 14],
      [4, 8],
    ],
    'the [lamp] [burns]',
  ],
  [
    'overlapping',
    [
      [0, 6],
      [4, 8],
    ],
    '[the la][mp] burns',
  ],
  [
    'at the start and the end',
    [
      [0, 3],
      [9, 14],
    ],
    '[the] lamp [burns]',
  ],
  ['beyond the end', [[9, 999]], 'the lamp [burns]'],
  [
    'empty and reversed',
    [
      [5, 5],
      [8, 4],
    ],
    'the l[]amp burns'.replace('[]', ''),
  ],
  ['invalid ranges', { start: 4 }, 'the lamp burns'],
  ['null', null, 'the lamp burns'],
  ['with invalid entries', [['4', '8']], 'the lamp burns'],
])('%s', (_name, ranges, expected) => {
  expect(marks('the lamp burns', ranges)).toBe(expected)
})

test('offsets count UTF-16 units, even outside the BMP', () => {
  expect(marks('📚 the lamp', [[7, 11]])).toBe('📚 the [lamp]')
})

test('splitting by any ranges loses and repeats no letter', () => {
  const ranges = fc.array(fc.tuple(fc.integer({ min: -5, max: 60 }), fc.integer({ min: -5, max: 60 })))
  fc.assert(
    fc.property(fc.string({ maxLength: 40 }), ranges, (text, at) => {
      expect(
        splitAtHighlights(text, at)
          .map((piece) => piece.text)
          .join(''),
      ).toBe(text)
    }),
  )
})

test('hits are grouped by document, ordered by the best hit', () => {
  const hits = [
    { document_id: 'b', n: 1 },
    { document_id: 'a', n: 2 },
    { document_id: 'b', n: 3 },
  ]
  expect(groupByDocument(hits)).toEqual([[hits[0], hits[2]], [hits[1]]])
})

test('the number of passages includes the ones folded under their documents', () => {
  const hit = (document_id: string, more_in_document: number) => ({ document_id, more_in_document })
  expect(countPassages([hit('a', 3), hit('b', 0), hit('a', 3)], 10)).toBe('6 passages in 2 documents')
  expect(countPassages([hit('a', 0)], 10)).toBe('1 passage in 1 document')
  expect(countPassages([hit('a', 3), hit('b', 0)], 2)).toBe('The best passages of 2 documents')
})

test('an excerpt starts before the most query words', () => {
  const filler = 'something else '.repeat(40)
  const content = `A fork. ${filler}The fork copies each file descriptor.`
  const at = content.indexOf('fork copies')
  const ranges = [
    [2, 6],
    [at, at + 4],
    [at + 17, at + 21],
    [at + 22, at + 32],
  ]
  const text = excerpt(content, ranges).map((piece) => piece.text)
  expect(text[0]).toMatch(/^… .*The $/)
  expect(text[0]?.length).toBeLessThan(130)
  expect(text.slice(1).join('')).toBe('fork copies each file descriptor.')
  expect(excerpt(content, [[2, 6]])[0]?.text).toBe('A ')
})
