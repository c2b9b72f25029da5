import { expect, test } from 'vitest'
import { linesOfNote, linesOfPassages, placeAt, textOf } from './readable-lines.ts'

const [first, second] = ['0b1f4a52-9d1c-4a53-8d5b-0a4d2f6a1b2c', '1b1f4a52-9d1c-4a53-8d5b-0a4d2f6a1b2c']

test('overlapping passages are joined, and headings are added once', () => {
  const lines = linesOfPassages([
    { id: first, heading: 'Oil', content: 'It burns.\nThe flame\nis bright and tall.' },
    { id: second, heading: 'Oil', content: 'The flame\nis bright and tall. It smells.' },
  ])
  expect(textOf(lines)).toBe('Oil\nIt burns.\nThe flame is bright and tall.\nIt smells.')
  expect(placeAt(lines, textOf(lines).indexOf('tall'))).toEqual({ passage: first })
  expect(placeAt(lines, textOf(lines).indexOf('smells'))).toEqual({ passage: second })
})

test('a line of a note is located by its longest run of plain words', () => {
  const lines = linesOfNote('# The coast\n\n- [ ] see **the green lamp** [there](/x)\n')
  expect(lines.map(({ place }) => place)).toEqual([{ quote: 'The coast' }, {}, { quote: 'the green lamp' }])
  expect(placeAt(lines, textOf(lines).indexOf('\n\n') + 1)).toEqual({ quote: 'the green lamp' })
})
