import { expect, test } from 'vitest'
import { BOX_WIDTH, heightOf, placeTables } from './layout.ts'

const table = (name: string, columns: number) => ({
  name,
  columns: Array.from({ length: columns }, (_, n) => ({
    name: `c${n}`,
    type: 'text',
    isKey: n === 0,
    isNullable: true,
  })),
})
const key = (from: string, to: string) => ({ name: `${from}_${to}`, from, fromColumn: 'c1', to, toColumn: 'c0' })

test('tables do not overlap, and a table is left of those that it refers to', () => {
  const tables = [
    table('books', 6),
    table('authors', 30),
    table('reviews', 3),
    table('tree', 2),
    ...Array.from({ length: 15 }, (_, n) => table(`loose_${n}`, n)),
  ]
  const keys = [key('books', 'authors'), key('reviews', 'books'), key('books', 'authors'), key('tree', 'tree')]
  const places = placeTables({ tables, keys })
  const boxes = tables.map((one) => ({ ...(places.get(one.name) ?? { x: 0, y: 0 }), height: heightOf(one) }))
  expect(places.size).toBe(tables.length)
  for (const [index, a] of boxes.entries())
    for (const b of boxes.slice(index + 1)) {
      const overlaps = Math.abs(a.x - b.x) < BOX_WIDTH && a.y < b.y + b.height && b.y < a.y + a.height
      expect(overlaps).toBe(false)
    }
  expect(places.get('reviews')?.x).toBeLessThan(places.get('books')?.x ?? 0)
  expect(places.get('books')?.x).toBeLessThan(places.get('authors')?.x ?? 0)
})

test('a schema without tables has no places', () => {
  expect(placeTables({ tables: [], keys: [] }).size).toBe(0)
})
