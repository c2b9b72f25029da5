import { expect, test } from 'vitest'
import { describedWith, draftOf, referenceLine, withDraft, withFound } from './reference-draft.ts'

const REFERENCE = {
  type: 'article-journal',
  author: [{ family: 'Berg', given: 'Ludwig', 'non-dropping-particle': 'van' }, { family: 'WHO' }],
  issued: { 'date-parts': [[1822, 7, 29]] },
  'container-title': 'Annales de Chimie',
  volume: '11',
  issue: '2',
  page: '246-296',
  ISSN: '0003-4169',
  DOI: '10.1000/xyz',
}
const paper = { kind: 'file', author: 'Ludwig van Berg, WHO', dated: '1822-07-29', reference: REFERENCE }

test('saving an unchanged form changes nothing', () => {
  expect(withDraft(draftOf(paper), paper)).toEqual(REFERENCE)
})

test('saving a form replaces its fields and keeps all other properties', () => {
  const draft = {
    ...draftOf(paper),
    authors: ' van Berg, Ludwig \n\nThe Society',
    year: '1823',
    volume: ' ',
    doi: 'doi:10.1000/new',
  }
  expect(withDraft(draft, paper)).toEqual({
    ...REFERENCE,
    author: [REFERENCE.author[0], { literal: 'The Society' }],
    issued: { 'date-parts': [[1823]] },
    volume: undefined,
    DOI: '10.1000/new',
  })
  expect(withDraft({ ...draft, authors: '', year: '' }, paper)).toMatchObject({ author: undefined, issued: undefined })
})

test('without a reference, the form starts with the document’s own metadata', () => {
  const page = { kind: 'link', author: 'Ada Keeper', dated: '2020-03-02', reference: null }
  const draft = draftOf(page)
  expect(draft).toMatchObject({ type: 'webpage', authors: 'Keeper, Ada', year: '2020', doi: '' })
  expect(withDraft(draft, page)).toEqual({
    type: 'webpage',
    author: [{ family: 'Keeper', given: 'Ada' }],
    issued: { 'date-parts': [[2020, 3, 2]] },
  })
})

test('a reference is summarized in one line', () => {
  expect(referenceLine(REFERENCE)).toBe('Berg, WHO · 1822 · Annales de Chimie 11(2), 246–296')
  expect(referenceLine({ type: 'book', publisher: 'Light & Sons' })).toBe('Light & Sons')
  expect(referenceLine({ author: ['A', 'B', 'C', 'D'].map((family) => ({ family })) })).toBe('A, B, C, …')
  expect(referenceLine({ type: 'book' })).toBe('')
  expect(referenceLine(null)).toBe('')
})

test('a lookup fills empty fields only, and a second lookup replaces the first', () => {
  const own = { kind: 'file', author: 'Scanner', dated: null, reference: { volume: '7' } }
  const found = describedWith(own, { ...REFERENCE, edition: '2' })
  const draft = withFound({ ...draftOf(own), page: '9', doi: '10.1000/typed' }, found)
  expect(draft).toEqual({ ...draftOf(paper), authors: 'Scanner', volume: '7', page: '9', doi: '10.1000/typed' })
  expect(withDraft(draft, found)).toEqual({
    ...REFERENCE,
    author: [{ literal: 'Scanner' }],
    volume: '7',
    page: '9',
    edition: '2',
    publisher: undefined,
    DOI: '10.1000/typed',
  })

  const second = describedWith(own, { type: 'book', publisher: 'Society', issued: { 'date-parts': [[1901]] } })
  const again = withFound(draft, second, found)
  expect(again).toMatchObject({ type: 'book', year: '1901', publisher: 'Society', 'container-title': '', volume: '7' })
  expect(withDraft(again, second)).not.toHaveProperty('edition')
})
