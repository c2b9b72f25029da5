import { expect, test } from 'vitest'
import { anchorOf, isElsewhere, isQuoted, noteOf, pagesLeft, remarksOf } from './document-model.ts'

const comment = { id: 'c', quote: 'dark', page: 3, start_offset: 7, resolved_at: null, body: 'Why?', color: null }
const passage = { page: 2, content: 'The sea is dark.' }

test.each([
  ['words of a text', { quote: 'sea' }, false, true],
  ['words of a PDF, on a page', { quote: 'sea', page: 2 }, true, true],
  ['words of a PDF, without a page', { quote: 'sea' }, true, false],
  ['words with a passage', { quote: 'sea', passage: 'p' }, false, false],
  ['no words', { page: 2 }, false, false],
])('whether %s are searched for in the text', (_, wanted, isPdf, expected) => {
  expect(isQuoted(wanted, isPdf)).toBe(expected)
})

test.each([
  ['a comment', { comment: 'c', quote: 'sea' }, { page: 3, quote: 'dark', start: 7 }],
  ['a comment without a quote', { comment: 'd' }, { page: 2, quote: 'The sea is dark.' }],
  ['words', { quote: 'sea', page: 5 }, { page: 5, quote: 'sea' }],
  ['a passage', { passage: 'p' }, { page: 2, quote: 'The sea is dark.' }],
])('%s in the address is shown', (_, wanted, expected) => {
  expect(anchorOf(wanted, true, [comment, { ...comment, id: 'd', quote: null }], passage)).toEqual(expected)
})

test('without a place in the address, reading resumes where it stopped', () => {
  expect(anchorOf({}, false, [comment], undefined)).toBeUndefined()
  expect(isElsewhere({ passage: undefined })).toBe(false)
  expect(isElsewhere({ follow: 'ada' })).toBe(true)
})

test('highlights have a color, comments none, and resolved comments are not marked', () => {
  const highlight = { ...comment, body: '', color: 'green' }
  const resolved = { ...comment, resolved_at: '2026-01-01' }
  expect(remarksOf([comment, highlight, resolved, { ...comment, quote: null }])).toEqual([
    { quote: 'dark', page: 3, start: 7 },
    { quote: 'dark', page: 3, start: 7, color: 'green' },
  ])
})

test('recognized pages do not count as pages left', () => {
  expect(pagesLeft({ recognized_pages: [{ page: 2 }], pages_without_text: [1, 2, 3] })).toBe(2)
  expect(pagesLeft(null)).toBe(0)
})

test('a note can be edited once its text has loaded', () => {
  const document = { id: 'n', title: 'Lamps', kind: 'note', version: { id: 'v', body: '' } }
  expect(noteOf(document)).toEqual({ id: 'n', title: 'Lamps', version: { id: 'v', body: '' } })
  expect(noteOf({ ...document, kind: 'file' })).toBeUndefined()
  expect(noteOf({ ...document, version: { id: 'v', body: null } })).toBeUndefined()
})
