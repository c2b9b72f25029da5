import Papa from 'papaparse'
import { expect, test } from 'vitest'
import type { AuditEntry } from './audit-queries.ts'
import { beginningOf, linesOf } from './format.ts'

const ENTRY: AuditEntry = {
  id: 7,
  created_at: '2026-11-24T04:00:00.123456+00:00',
  kind: 'document.renamed',
  person_id: '7b0e6a52-5a0e-4d3c-9a52-1f3f0f5d0001',
  person: 'Ada',
  document_id: null,
  details: { title: 'a "b",\r\n=c', from: 'ü' },
}

test('a CSV row has all properties of the entry', () => {
  const { data } = Papa.parse<string[]>((beginningOf('csv') + linesOf([ENTRY], 'csv')).slice(1), {
    skipEmptyLines: true,
  })
  expect(data[0]).toEqual(['time', 'kind', 'person', 'person_id', 'document_id', 'details', 'id'])
  expect(data[1]?.slice(0, 5)).toEqual(['2026-11-24T04:00:00.123Z', 'document.renamed', 'Ada', ENTRY.person_id, ''])
  expect(JSON.parse(data[1]?.[5] ?? '')).toEqual(ENTRY.details)
  expect(beginningOf('csv').startsWith('\uFEFF"time",')).toBe(true)
})

test.each(['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1', '\n=1', '＝1', '＋1', '－1', '＠A'])(
  '%j is not exported as a formula',
  (person) => {
    const { data } = Papa.parse<string[]>(linesOf([{ ...ENTRY, person }], 'csv'))
    expect(data[0]?.[2]).toBe(`'${person}`)
  },
)

test('a name with quotes and separators stays in its cell', () => {
  const person = 'a";=1+1,"b'
  expect(Papa.parse<string[]>(linesOf([{ ...ENTRY, person }], 'csv')).data[0]?.[2]).toBe(person)
})

test('JSON Lines has one entry per line', () => {
  const lines = linesOf([ENTRY, { ...ENTRY, id: 8, person: '=1' }], 'jsonl')
    .trimEnd()
    .split('\n')
  expect(lines.map((line) => JSON.parse(line).id)).toEqual([7, 8])
  expect(JSON.parse(lines[1] ?? '')).toMatchObject({ time: '2026-11-24T04:00:00.123Z', person: '=1' })
})
