import { expect, test } from 'vitest'
import { doiIn, nameFrom, namesIn, nameText, referenceOf, storable } from './reference.ts'

test('unknown and invalid properties of a stored reference are ignored', () => {
  expect(
    referenceOf({ volume: '3', DOI: ['no'], note: 'x', issued: { raw: 'soon' }, author: [{ family: 'Fresnel' }] }),
  ).toEqual({
    volume: '3',
    author: [{ family: 'Fresnel' }],
  })
  expect(referenceOf(null)).toBeNull()
  expect(referenceOf('a book')).toBeNull()
})

test.each([
  ['10.1000/xyz(1)', '10.1000/xyz(1)'],
  [' https://doi.org/10.1000/xyz ', '10.1000/xyz'],
  ['DOI: 10.1000/xyz', '10.1000/xyz'],
  ['10.1/xyz', undefined],
  ['10.1000/', undefined],
  ['10.1000/a b', undefined],
  ['https://example.org/10.1000/xyz', undefined],
])('the DOI of %j is %j', (text, doi) => {
  expect(doiIn(text)).toBe(doi)
})

test.each([
  ['Fresnel, Augustin', { family: 'Fresnel', given: 'Augustin' }],
  ['King, Martin Luther, Jr.', { family: 'King', given: 'Martin Luther, Jr.' }],
  ['World Health Organization', { literal: 'World Health Organization' }],
])('%j parses as a name and is formatted the same', (text, name) => {
  expect(nameFrom(text)).toEqual(name)
  expect(nameText(nameFrom(text))).toBe(text)
})

test.each([
  ['Ada Keeper, Ben Light', ['Keeper, Ada', 'Light, Ben']],
  ['Keeper, Ada', ['Keeper, Ada']],
  ['Keeper, Ada; Light, Ben', ['Keeper, Ada', 'Light, Ben']],
  ['Ada Keeper and Ben Light', ['Keeper, Ada', 'Light, Ben']],
  ['NASA', ['NASA']],
])('the authors of %j', (author, names) => {
  expect(namesIn(author).map(nameText)).toEqual(names)
})

test('a reference keeps its first 40 authors, and only type and DOI if it is too long', () => {
  const author = Array.from({ length: 3000 }, (_, index) => ({ family: `Author ${index}` }))
  expect(storable({ author, DOI: '10.1000/xyz' })).toEqual({ author: author.slice(0, 40), DOI: '10.1000/xyz' })
  expect(storable({ type: 'book', publisher: 'x'.repeat(9000), DOI: '10.1000/xyz' })).toEqual({
    type: 'book',
    DOI: '10.1000/xyz',
  })
  expect(storable({ type: 'book' })).toEqual({ type: 'book' })
})
