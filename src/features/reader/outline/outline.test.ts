import { expect, test } from 'vitest'
import { countItems, lastBefore, nestHeadings, pathTo, visibleRows } from './outline.ts'

const headings = [
  { title: 'Lamps', level: 2 },
  { title: 'Oil', level: 4 },
  { title: 'Wick', level: 3 },
  { title: 'Lenses', level: 2 },
  { title: 'Fog', level: 1 },
]
const items = nestHeadings(headings)

test('headings are nested by level, even when levels are skipped', () => {
  expect(items).toEqual([
    {
      id: '0',
      title: 'Lamps',
      items: [
        { id: '1', title: 'Oil', items: [] },
        { id: '2', title: 'Wick', items: [] },
      ],
    },
    { id: '3', title: 'Lenses', items: [] },
    { id: '4', title: 'Fog', items: [] },
  ])
  expect(countItems(items)).toBe(5)
})

test('a collapsed heading hides its descendants, and the path leads to a hidden heading', () => {
  const titles = (isOpen: boolean) =>
    visibleRows(items, () => isOpen).map(({ item, depth }) => `${depth} ${item.title}`)
  expect(titles(false)).toEqual(['1 Lamps', '1 Lenses', '1 Fog'])
  expect(titles(true)).toEqual(['1 Lamps', '2 Oil', '2 Wick', '1 Lenses', '1 Fog'])
  expect(pathTo(items, '2')).toEqual(['0'])
  expect(pathTo(items, '4')).toEqual([])
})

test('the current heading is the last one above the line', () => {
  const tops = [10, 20, 20, 40]
  const at = (limit: number) => lastBefore(tops.length, (index) => tops[index] ?? 0, limit)
  expect([at(5), at(10), at(20), at(39), at(100)]).toEqual([-1, 0, 2, 2, 3])
})
