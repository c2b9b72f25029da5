import { expect, test } from 'vitest'
import { recognizedLines } from './recognized-lines.ts'

const line = (text: string, rowHeight = 40, confidence = 90, y1 = 100) => ({
  text,
  confidence,
  bbox: { y1 },
  rowAttributes: { rowHeight },
})

test('sizes and positions are in points from the bottom, with similar line heights unified', () => {
  const lines = [
    line('A heading', 80, 90, 200),
    line('The text of\nthe page ', 40, 90, 400),
    line('and more', 46, 90, 480),
  ]
  expect(recognizedLines(lines, 0.25, 1000)).toEqual([
    { text: 'A heading', size: 20, y: 200 },
    { text: 'The text of the page', size: 10, y: 150 },
    { text: 'and more', size: 10, y: 130 },
  ])
})

test('lines with low confidence or without letters are left out', () => {
  expect(recognizedLines([line('|| ~', 40, 95), line('sgt oy', 40, 20), line('ok')], 1, 100)).toMatchObject([
    { text: 'ok' },
  ])
  expect(recognizedLines([], 1, 100)).toEqual([])
})

test('a page stays within the limits of the database', () => {
  const many = recognizedLines(
    Array.from({ length: 1500 }, () => line('ä'.repeat(3000))),
    1,
    100,
  )
  expect(new TextEncoder().encode(JSON.stringify(many)).length).toBeLessThan(65_536)
  expect(many[0]?.text).toHaveLength(2000)
  expect(
    recognizedLines(
      Array.from({ length: 1500 }, () => line('a')),
      1,
      100,
    ),
  ).toHaveLength(1000)
})
