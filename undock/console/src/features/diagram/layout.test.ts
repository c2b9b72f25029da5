import { expect, test } from 'vitest'
import { BOX_WIDTH, heightOf, placeTables, shownColumns, tableId } from './layout.ts'

const table = (name: string, columns: number, schema = 'public') => ({
  schema,
  name,
  columns: Array.from({ length: columns }, (_, n) => ({
    name: `c${n}`,
    type: 'text',
    isKey: n === 0,
    isNullable: true,
  })),
})
type Table = ReturnType<typeof table>
const key = (from: string, to: string) => ({
  name: `${from}_${to}`,
  from: from.includes('.') ? from : `public.${from}`,
  fromColumn: 'c1',
  to: to.includes('.') ? to : `public.${to}`,
  toColumn: 'c0',
})

function draw(tables: readonly Table[], keys: readonly ReturnType<typeof key>[]) {
  const heights = new Map(tables.map((one) => [tableId(one), heightOf(one.columns.length)]))
  const { places, groups } = placeTables({ tables, keys }, heights)
  const boxes = tables.map((one) => ({
    ...(places.get(tableId(one)) ?? { x: Number.NaN, y: Number.NaN }),
    width: BOX_WIDTH,
    height: heights.get(tableId(one)) ?? 0,
  }))
  const right = Math.max(...groups.map(({ x, width }) => x + width))
  const bottom = Math.max(...groups.map(({ y, height }) => y + height))
  return { places, groups, boxes, shape: right / bottom }
}
type Box = { x: number; y: number; width: number; height: number }
function expectApart(boxes: readonly Box[]) {
  for (const [index, a] of boxes.entries())
    for (const b of boxes.slice(index + 1)) {
      const overlaps = a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height
      expect(overlaps).toBe(false)
    }
}

test('places tables without overlap, left of the tables they refer to', () => {
  const tables = [
    table('books', 6),
    table('authors', 30),
    table('reviews', 3),
    table('tree', 2),
    ...Array.from({ length: 15 }, (_, n) => table(`loose_${n}`, n)),
  ]
  const keys = [key('books', 'authors'), key('reviews', 'books'), key('books', 'authors'), key('tree', 'tree')]
  const { places, groups, boxes } = draw(tables, keys)
  expectApart(boxes)
  expectApart(groups)
  expect(groups.map(({ title }) => title).sort()).toEqual(['around authors', 'without foreign keys'])
  const left = (name: string) => places.get(`public.${name}`)?.x ?? 0
  expect(left('reviews')).toBeLessThan(left('books'))
  expect(left('books')).toBeLessThan(left('authors'))
})

test.each([
  ['no relations', 60, []],
  ['all refer to one table', 60, Array.from({ length: 59 }, (_, n) => key(`t${n + 1}`, 't0'))],
  ['a chain of references', 60, Array.from({ length: 59 }, (_, n) => key(`t${n}`, `t${n + 1}`))],
  ['half of them related', 60, Array.from({ length: 30 }, (_, n) => key(`t${n + 1}`, `t${n % 5}`))],
] as const)('many tables have the shape of a screen when %s', (_, count, keys) => {
  const { boxes, groups, shape } = draw(
    Array.from({ length: count }, (_, n) => table(`t${n}`, 3)),
    keys,
  )
  expectApart(boxes)
  expectApart(groups)
  expect(shape).toBeGreaterThan(0.7)
  expect(shape).toBeLessThan(3)
})

test('groups tables by schema', () => {
  const tables = [table('a', 1), table('b', 1), table('a', 1, 'shop'), table('b', 1, 'shop')]
  const { groups, boxes } = draw(tables, [key('a', 'b'), key('shop.a', 'shop.b'), key('shop.a', 'a')])
  expectApart(boxes)
  expect(groups.map(({ title }) => title).sort()).toEqual(['public: around b', 'shop: around b'])
})

test('a folded table shows its keys or only its name', () => {
  const [one, tied] = [table('books', 4), new Set(['c2'])]
  const shown = (detail: 'names' | 'keys' | 'columns') => shownColumns(one, detail, tied).map(({ name }) => name)
  expect([shown('names'), shown('keys'), shown('columns').length]).toEqual([[], ['c0', 'c2'], 4])
})

test('lays out nothing without tables', () => {
  expect(draw([], []).places.size).toBe(0)
})
