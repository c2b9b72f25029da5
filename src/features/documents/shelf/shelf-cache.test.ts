import { QueryClient } from '@tanstack/react-query'
import { expect, test } from 'vitest'
import { keys } from '../../../domain/keys.ts'
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

test('a removed card leaves the shelf and the count immediately, and returns on failure', () => {
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

test('a changed card keeps its place', () => {
  const client = new QueryClient()
  client.setQueryData(key, shelf())
  changeCards(client, LIBRARY, ['a'], (card) => ({ ...card, title: 'New' }))
  expect(client.getQueryData(key)).toMatchObject({
    pages: [{ documents: [{ id: 'a', title: 'New' }, { id: 'b' }] }, {}],
  })
})
