import { expect, test } from 'vitest'
import { type Contents, lossesBetween } from './contents.ts'

/** @param columns Their values by name. */
function table(name: string, rows: number, columns: Readonly<Record<string, number>>): Contents {
  const named = Object.entries(columns).map(([column, values], index) => [index + 1, { name: column, values }] as const)
  return new Map([[1, { name, rows, columns: new Map(named) }]])
}
const notes = table('public.notes', 10, { id: 10, title: 8 })

test('a renamed table and a renamed column lose nothing', () => {
  expect(lossesBetween(notes, table('public.pages', 10, { id: 10, heading: 8 }))).toEqual([])
})

test('a table that was created again under its name is compared by name', () => {
  const again = new Map([[2, { name: 'public.notes', rows: 4, columns: new Map([[1, { name: 'id', values: 4 }]]) }]])
  expect(lossesBetween(notes, again)).toEqual([
    { kind: 'rows', name: 'public.notes', count: 6 },
    { kind: 'column', name: 'public.notes.title', count: 8 },
  ])
})

test('values that went with their rows are not counted again', () => {
  expect(lossesBetween(notes, table('public.notes', 7, { id: 7, title: 5 }))).toEqual([
    { kind: 'rows', name: 'public.notes', count: 3 },
  ])
  expect(lossesBetween(notes, table('public.notes', 10, { id: 10, title: 5 }))).toEqual([
    { kind: 'values', name: 'public.notes.title', count: 3 },
  ])
})
