import { expect, test } from 'vitest'
import type { Relation } from './features/catalog.ts'
import type { ListedUser } from './features/users/queries.ts'
import { paletteGroups, rank } from './palette-groups.ts'

const NOTHING = {
  actions: [],
  relations: undefined,
  snippets: undefined,
  buckets: undefined,
  functions: undefined,
  users: [],
}
const relation = (schema: string, name: string) => ({ schema, name }) as Relation
const itemsOf = (heading: string, found: Partial<Parameters<typeof paletteGroups>[0]>, text = '') =>
  paletteGroups({ ...NOTHING, ...found }, text).find((group) => group.heading === heading)?.items ?? []

test('gives all items unique values', () => {
  const named = [{ id: 'same', name: 'same' }]
  const groups = paletteGroups(
    { ...NOTHING, relations: [relation('public', 'same')], snippets: named, buckets: named, functions: named },
    '',
  )
  const values = groups.flatMap(({ items }) => items.map(({ value }) => value))
  expect(new Set(values).size).toBe(values.length)
  expect(values.filter((value) => value.endsWith('same'))).toHaveLength(4)
})

test("lists the project's tables before those of the services", () => {
  const relations = [relation('auth', 'users'), relation('public', 'b'), relation('public', 'a')]
  expect(itemsOf('Tables and views', { relations }).map(({ value }) => value)).toEqual([
    'table public.b',
    'table public.a',
    'table auth.users',
  ])
})

test("shows a user's first known property and matches the search text", () => {
  const user = { id: '1', email: null, phone: null, name: null }
  const users = [
    { ...user, email: 'ada@example.com', name: 'Ada' },
    { ...user, phone: '4912', name: 'Ada' },
    { ...user, name: 'Ada' },
    user,
  ] as ListedUser[]
  expect(itemsOf('Users', { users }, '49').map(({ name, detail, keywords }) => [name, detail, keywords])).toEqual([
    ['ada@example.com', 'Ada', ['49']],
    ['4912', 'Ada', ['49']],
    ['Ada', null, ['49']],
    ['1', null, ['49']],
  ])
})

test("doesn't match the kind before a value", () => {
  expect(rank('table public.books', 'table')).toBe(0)
  expect(rank('table public.books', 'books')).toBeGreaterThan(0)
  expect(rank('user 1', 'ada', ['ada'])).toBeGreaterThan(0)
})
