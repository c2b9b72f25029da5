import { expect, test } from 'vitest'
import { Columns, movedColumn, resizedColumn, shownColumns, toggledColumn } from './columns.ts'

const SIZE = { column: 'size', width: 90 }
const KIND = { column: 'kind' }

test('a list shows all columns by default, else the chosen ones that still exist', () => {
  expect(shownColumns(null, ['kind', 'size'])).toEqual([KIND, { column: 'size' }])
  expect(shownColumns([SIZE, { column: 'gone' }, KIND], ['kind', 'size'])).toEqual([SIZE, KIND])
})

test('columns are added last, hidden, moved, and resized within bounds', () => {
  expect(toggledColumn([SIZE], 'kind', true)).toEqual([SIZE, KIND])
  expect(toggledColumn([SIZE, KIND], 'size', false)).toEqual([KIND])
  expect(movedColumn([SIZE, KIND], 1, -1)).toEqual([KIND, SIZE])
  expect(movedColumn([SIZE, KIND], 1, 1)).toEqual([SIZE, KIND])
  expect(resizedColumn([SIZE, KIND], 'kind', 5)).toEqual([SIZE, { column: 'kind', width: 60 }])
})

test('an invalid stored view has no columns', () => {
  expect(Columns.parse([SIZE])).toEqual([SIZE])
  expect(Columns.parse([{ column: 'size', width: 1e9 }])).toEqual([])
})
