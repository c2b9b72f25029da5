// @vitest-environment node
import { QueryClient } from '@tanstack/react-query'
import { expect, test } from 'vitest'
import { keys } from '../../lib/keys.ts'
import { changeCards } from './shelf-cache.ts'

const LIBRARY = 'l'
const key = [...keys.documents(LIBRARY), {}]
const shelf = () => ({
  pageParams: [null, { value: 'b', id: 'b' }],
  pages: [
    { documents: [{ id: 'a' }, { id: 'b' }], total: 3, next: { value: 'b', id: 'b' } },
    { documents: [{ id: 'c' }], total: null, next: undefined },
  ],
})

test('a card that goes is off the shelf and out of the count at once, and back if that fails', () => {
  const client = new QueryClient()
  client.setQueryData(key, shelf())
  const undo = changeCards(client, LIBRARY, ['b', 'c'], () => undefined)
  expect(client.getQueryData(key)).toMatchObject({
    pages: [
      { documents: [{ id: 'a' }], total: 1, next: { id: 'b' } },
      { documents: [], total: null },
    ],
  })
  undo()
  expect(client.getQueryData(key)).toEqual(shelf())
})

test('a card that changes keeps its place', () => {
  const client = new QueryClient()
  client.setQueryData(key, shelf())
  changeCards(client, LIBRARY, ['a'], (card) => ({ ...card, title: 'New' }))
  expect(client.getQueryData(key)).toMatchObject({
    pages: [{ documents: [{ id: 'a', title: 'New' }, { id: 'b' }] }, {}],
  })
})
