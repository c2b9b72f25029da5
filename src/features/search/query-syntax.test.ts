// @vitest-environment jsdom
import fc from 'fast-check'
import { afterEach, expect, test } from 'vitest'
import { FILE_TYPE_NAMES, NO_FILTER, SearchFilter } from '../../domain/document-filter.ts'
import type { Field, FieldKind } from '../../domain/fields.ts'
import { filterValue, without } from '../../domain/filters.ts'
import { switchLanguage } from '../../lib/i18n/i18n.ts'
import { completionsOf, formatQuery, parseQuery } from './query-syntax.ts'

const ADA = '7b0e6a52-5a0e-4d3c-9a52-1f3f0f5d0001'
const ADAM = '7b0e6a52-5a0e-4d3c-9a52-1f3f0f5d0002'
const LOGS = '7b0e6a52-5a0e-4d3c-9a52-1f3f0f5d0003'
const SEA = '7b0e6a52-5a0e-4d3c-9a52-1f3f0f5d0004'
const OPEN = '7b0e6a52-5a0e-4d3c-9a52-1f3f0f5d0005'
const DONE = '7b0e6a52-5a0e-4d3c-9a52-1f3f0f5d0006'
const field = (name: string, kind: FieldKind, more: Partial<Field> = {}): Field => ({
  id: `7b0e6a52-5a0e-4d3c-9a52-${[...name]
    .map((letter) => letter.charCodeAt(0).toString(16))
    .join('')
    .padEnd(12, '0')
    .slice(0, 12)}`,
  collection_id: LOGS,
  name,
  kind,
  takes_several: false,
  options: [],
  ...more,
})
const idOf = (name: string) => field(name, 'text').id
const VOCABULARY = {
  collections: [{ id: LOGS, name: 'Keepers’ logs' }],
  tags: [
    { id: SEA, name: 'sea' },
    { id: ADA, name: 'Überfahrt' },
  ],
  people: [
    { id: ADA, name: 'Ada Lovelace' },
    { id: ADAM, name: 'Adam Sedgwick' },
  ],
  authors: ['Mary Somerville', 'Augustin Fresnel'],
  years: [2026, 1822],
  types: FILE_TYPE_NAMES,
  hasVerified: false,
  states: [],
  fields: [
    field('Year', 'number'),
    field('Due date', 'date'),
    field('Status', 'choice', { options: [{ id: OPEN, name: 'Not begun', color: 'red' }] }),
    field('status', 'choice', { options: [{ id: DONE, name: 'not begun', color: 'red' }] }),
    field('Reviewer', 'person'),
    field('Author', 'text'),
  ],
  me: ADAM,
}

const parse = (text: string, isTyping?: boolean) => parseQuery(text, VOCABULARY, isTyping)

afterEach(() => switchLanguage('en'))

test.each([
  ['kind:pdf', { type: 'pdf' }],
  ['kind:note', { kind: 'note' }],
  ['kind:"Word document"', { type: 'word' }],
  ['kind:word-document', { type: 'word' }],
  ['from:ada', undefined],
  ['from:"Ada Lovelace"', { person: ADA }],
  ['from:lovelace', { person: ADA }],
  ['from:ME', { person: ADAM }],
  ['tag:sea', { tag: SEA }],
  ['tag:uberfahrt', { tag: ADA }],
  ['in:keep', { collection: LOGS }],
  ['since:2026', { since: '2026' }],
  ['since:2026-03-05', { since: '2026-03-05' }],
  ['since:week', { since: 'week' }],
  ['since:2026-02-31', undefined],
  ['until:2026-03', { until: '2026-03' }],
  ['until:week', undefined],
  ['title:"annual report"', { title: 'annual report' }],
  ['Title:log', { title: 'log' }],
  ['author:fresnel', { author: 'fresnel' }],
  ['author:"Mary Somerville"', { author: 'Mary Somerville' }],
  ['dated:1822', { dated: '1822' }],
  ['dated:18', undefined],
  ['dated:1819..1822-03', { dated: '1819..1822-03' }],
  ['dated:1822..', { dated: '1822..' }],
  ['dated:1822..1819', undefined],
])('%s', (text, filter) => {
  const { filters, words, unknown } = parse(`lamp ${text} oil`)
  expect(filters).toEqual(filter ?? {})
  expect(words).toBe(filter ? 'lamp oil' : `lamp ${text} oil`)
  expect(unknown).toHaveLength(filter ? 0 : 1)
})

test('kind and type replace each other, and the last value of a filter wins', () => {
  expect(parse('kind:note kind:pdf').filters).toEqual({ kind: undefined, type: 'pdf' })
  expect(parse('since:2025 since:week').filters).toEqual({ since: 'week' })
})

test.each(['error:404', 'https://example.org', '12:30', ':', '"kind:pdf"', 'a"b c"d', 'kinder:pdf'])(
  '%s is parsed as words',
  (text) => {
    expect(parse(`lamp ${text}`)).toMatchObject({ words: `lamp ${text}`, filters: {}, unknown: [] })
  },
)

test('phrases and excluded words are kept', () => {
  expect(parse('"whale oil" -lamp tag:sea or keeper').words).toBe('"whale oil" -lamp or keeper')
})

test('a filter applies only once a space follows its value', () => {
  expect(parse('lamp kind:p', true)).toMatchObject({
    words: 'lamp',
    filters: {},
    pending: { field: 'kind', value: 'p', start: 5 },
  })
  expect(parse('lamp kind:', true)).toMatchObject({ words: 'lamp', pending: { value: '' } })
  expect(parse('lamp from:"Ada Lov', true)).toMatchObject({ words: 'lamp', pending: { value: 'Ada Lov' } })
  expect(parse('lamp kind:pdf ', true)).toMatchObject({ words: 'lamp', filters: { type: 'pdf' }, pending: undefined })
  expect(parse('lamp kind:')).toMatchObject({ words: 'lamp', filters: {}, unknown: [] })
})

test('words that are not filters are never dropped', () => {
  const word = fc.stringMatching(/^[a-zä0-9-]{1,8}$/)
  fc.assert(
    fc.property(fc.array(word), (words) => {
      expect(parse(words.join('  ')).words).toBe(words.join(' '))
    }),
  )
})

test('filters have German names too, and English ones still work', async () => {
  await switchLanguage('de')
  expect(parse('lampe schlagwort:sea seit:woche').filters).toEqual({ tag: SEA, since: 'week' })
  expect(parse('lampe art:notiz von:ich seit:2026 bis:2027 titel:log').filters).toEqual({
    kind: 'note',
    type: undefined,
    person: ADAM,
    since: '2026',
    until: '2027',
    title: 'log',
  })
  expect(parse('lampe autor:fresnel datiert:1822').filters).toEqual({ author: 'fresnel', dated: '1822' })
  expect(parse('lampe kind:note').filters).toMatchObject({ kind: 'note' })
})

const labels = (text: string) => completionsOf(text, VOCABULARY)?.options.map(({ label }) => label)

test('filters and their values are completed at the end of the text', () => {
  expect(labels('lamp ki')).toEqual(['kind:'])
  expect(labels('lamp k')).toBeUndefined()
  expect(labels('lamp kind:')).toHaveLength(8)
  expect(labels('lamp kind:p')).toEqual(['PDF', 'Presentation', 'Web page'])
  expect(labels('lamp from:ad')).toEqual(['Ada Lovelace', 'Adam Sedgwick'])
  expect(labels('lamp from:"Ada L')).toEqual(['Ada Lovelace'])
  expect(labels('lamp kind:pdf ')).toBeUndefined()
  expect(labels('lamp title:x')).toBeUndefined()
  expect(labels('lamp author:so')).toEqual(['Mary Somerville'])
  expect(labels('lamp dated:1')).toEqual(['1822'])
  expect(completionsOf('lamp tag:s', VOCABULARY)).toEqual({
    start: 5,
    options: [{ label: 'sea', names: ['sea'], filter: { tag: SEA } }],
  })
})

test('a filter is shown with the names of its values', () => {
  const filter = SearchFilter.parse({ tag: SEA, type: 'pdf', since: '2026', title: 'log', person: SEA })
  expect(filterValue('tag', filter, VOCABULARY)).toBe('sea')
  expect(filterValue('kind', filter, VOCABULARY)).toBe('PDF')
  expect(filterValue('since', filter, VOCABULARY)).toBe('2026')
  expect(filterValue('title', filter, VOCABULARY)).toBe('log')
  expect(filterValue('from', filter, VOCABULARY)).toBe('…')
  expect(filterValue('in', filter, VOCABULARY)).toBeUndefined()
  expect({ ...NO_FILTER, ...filter, ...without('kind') }.type).toBeUndefined()
})

test('a formatted query parses to the same query', () => {
  const filter = SearchFilter.parse({
    tag: SEA,
    type: 'word',
    since: 'week',
    until: '2026',
    title: 'a log',
    person: ADA,
    author: 'Mary Somerville',
    dated: '1819..',
  })
  const text = formatQuery('"whale oil" lamp', filter, VOCABULARY)
  expect(text).toBe(
    '"whale oil" lamp kind:"Word document" from:"Ada Lovelace" since:"The last week" until:2026 tag:sea title:"a log" author:"Mary Somerville" dated:1819..',
  )
  expect(parse(text)).toMatchObject({ words: '"whale oil" lamp', unknown: [] })
  expect({ ...NO_FILTER, ...parse(text).filters }).toEqual({ ...NO_FILTER, ...filter })
})

test.each([
  ['year:1912', { fields: [idOf('Year')], from: 1912, to: 1912 }, 'Year:1912'],
  ['year:>1912,5', { fields: [idOf('Year')], above: 1912.5 }, 'Year:>1912.5'],
  ['year:1900..', { fields: [idOf('Year')], from: 1900 }, 'Year:>=1900'],
  ['year:none', { fields: [idOf('Year')], empty: true }, 'Year:none'],
  ['"due date":<=2026-03', { fields: [idOf('Due date')], to: '2026-03-31' }, '"Due date":<=2026-03-31'],
  [
    '"due date":2024..2025',
    { fields: [idOf('Due date')], from: '2024-01-01', to: '2025-12-31' },
    '"Due date":2024-01-01..2025-12-31',
  ],
  ['status:"not begun"', { fields: [idOf('Status'), idOf('status')], any: [OPEN, DONE] }, undefined],
  ['reviewer:"Ada Lovelace"', { fields: [idOf('Reviewer')], any: [ADA] }, 'Reviewer:"Ada Lovelace"'],
  ['"author":fresnel', { fields: [idOf('Author')], words: 'fresnel' }, '"Author":fresnel'],
])('a custom field: %s', (text, filter, written) => {
  const { filters } = parse(`lamp ${text}`)
  expect(filters.fields).toEqual(filter && [filter])
  if (written) expect(formatQuery('lamp', { ...NO_FILTER, ...filters }, VOCABULARY)).toBe(`lamp ${written}`)
})

test('filters of several fields combine, and the last one of a field wins', () => {
  expect(parse('year:>5 "due date":2026 year:6').filters.fields).toEqual([
    { fields: [idOf('Due date')], from: '2026-01-01', to: '2026-12-31' },
    { fields: [idOf('Year')], from: 6, to: 6 },
  ])
  expect(parse('lamp year:soon')).toMatchObject({
    words: 'lamp year:soon',
    unknown: [{ field: { name: 'Year' }, value: 'soon' }],
  })
})

test('names and values of custom fields are completed', () => {
  expect(completionsOf('due', VOCABULARY)?.options).toEqual([{ label: '"Due date":', text: '"Due date":' }])
  expect(completionsOf('status:not', VOCABULARY)?.options[0]).toMatchObject({ label: 'Not begun' })
})
