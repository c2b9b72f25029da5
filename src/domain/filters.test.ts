import { expect, test, vi } from 'vitest'
import { filterMenus } from './filters.ts'

const [ADA, NAMESAKE] = ['7b0e6a52-5a0e-4d3c-9a52-1f3f0f5d0001', '7b0e6a52-5a0e-4d3c-9a52-1f3f0f5d0002']
const VOCABULARY = {
  collections: [],
  tags: [],
  people: [
    { id: ADA, name: 'Ada' },
    { id: NAMESAKE, name: 'Ada' },
  ],
  authors: [],
  years: [1822],
  types: [],
  hasVerified: false,
  states: [],
  me: ADA,
}

test('of two people with the same name, the menu shows the chosen one', () => {
  const onFilter = vi.fn()
  const [menu] = filterMenus(['from'], { person: NAMESAKE }, VOCABULARY, onFilter)
  expect(menu?.value).toBe('1')
  menu?.onChange('0')
  expect(onFilter).toHaveBeenCalledWith({ person: ADA })
  menu?.onChange('')
  expect(onFilter).toHaveBeenCalledWith({ person: undefined })
})

test('a menu lists the value of the URL, and is hidden without anything to choose', () => {
  const menus = (filter: object) => filterMenus(['author', 'dated', 'verified'], filter, VOCABULARY, vi.fn())
  expect(menus({}).map(({ label }) => label)).toEqual(['Dated'])
  const [author] = menus({ author: 'Fresnel' })
  expect(author).toMatchObject({ value: '-1', options: [{ value: '' }, { value: '-1', label: 'Fresnel' }] })
})
