import { expect, test } from 'vitest'
import { flatten, MAX_DEPTH, moveTargets, pathTo, treeOf, within } from './tree.ts'

const collection = (id: string, parent_id: string | null = null) => ({ id, name: id, parent_id })
const FOREST = [collection('a'), collection('b', 'a'), collection('c', 'b'), collection('d'), collection('x', 'hidden')]

test('collections are nested under their parents, or at the top if the parent is not visible', () => {
  expect(flatten(treeOf(FOREST)).map(({ id, depth }) => `${id}${depth}`)).toEqual(['a1', 'b2', 'c3', 'd1', 'x1'])
})

test('descendants and path of a collection', () => {
  expect(within(FOREST, 'a')).toEqual(['a', 'b', 'c'])
  expect(pathTo(FOREST, 'c').map(({ id }) => id)).toEqual(['a', 'b', 'c'])
  expect(pathTo(FOREST, undefined)).toEqual([])
})

test('a collection can be moved neither into itself nor below the depth limit', () => {
  expect(moveTargets(FOREST, 'a').map(({ id }) => id)).toEqual(['d', 'x'])
  const deep = Array.from({ length: MAX_DEPTH }, (_, n) => collection(`n${n}`, n ? `n${n - 1}` : null))
  const collections = moveTargets([...deep, collection('two'), collection('leaf', 'two')], 'two')
  expect(collections.at(-1)?.id).toBe(`n${MAX_DEPTH - 3}`)
})

test('a cycle does not cause an endless loop', () => {
  expect(treeOf([collection('a', 'b'), collection('b', 'a')])).toEqual([])
  expect(pathTo([collection('a', 'b'), collection('b', 'a')], 'a')).toHaveLength(MAX_DEPTH)
})
