import { expect, test } from 'vitest'
import { highlightsFile } from './format.ts'
import type { Highlight } from './queries.ts'

const mark = (id: string, change: Partial<Highlight>): Highlight => ({
  id,
  quote: 'A steady *lamp*',
  body: '',
  color: null,
  page: null,
  start_offset: 10,
  resolved_at: null,
  created_at: '2026-11-02T12:00:00Z',
  document_id: 'lamps',
  author: { display_name: 'Ada' },
  document: { title: 'Lamps' },
  ...change,
})
const exported = {
  library: { id: 'lab', name: 'Lab' },
  highlights: [
    mark('two', { page: 3, color: 'blue', author: null }),
    mark('three', {
      document_id: 'ropes',
      document: { title: '=Ropes' },
      body: 'Why, @[Ben](7b0e6a52-5a0e-4d3c-9a52-1f3f0f5d0001)?',
    }),
    mark('one', { page: 2 }),
  ],
  citations: new Map([['lamps', 'Ada (1846). Lamps.']]),
  origin: 'https://carrel.example',
}

test('Markdown groups highlights by document, in text order, with citations', () => {
  expect(highlightsFile('md', exported)).toBe(`# Highlights in “Lab”

## Lamps

Ada (1846). Lamps.

> A steady \\*lamp\\*

— Page 2, Yellow, Ada, Nov 2, 2026: [Open in Carrel](https://carrel.example/l/lab/d/lamps?comment=one)

> A steady \\*lamp\\*

— Page 3, Blue, Former member, Nov 2, 2026: [Open in Carrel](https://carrel.example/l/lab/d/lamps?comment=two)

## =Ropes

> A steady \\*lamp\\*

— Comment, Ada, Nov 2, 2026: [Open in Carrel](https://carrel.example/l/lab/d/ropes?comment=three)

Why, @Ben?
`)
})

test('CSV has one highlight per row, with its citation and link, and no formulas', () => {
  const [head, first, second, ...rest] = highlightsFile('csv', exported).split('\r\n')
  expect(head).toBe('\uFEFF"quote","comment","color","page","person","created","document","citation","link"')
  expect(first).toBe(
    '"A steady *lamp*","","blue","3","","2026-11-02T12:00:00.000Z","Lamps","Ada (1846). Lamps.","https://carrel.example/l/lab/d/lamps?comment=two"',
  )
  expect(second).toMatch(/^"A steady \*lamp\*","Why, @Ben\?","","","Ada",.*,"'=Ropes","",/)
  expect(rest).toHaveLength(2)
})
