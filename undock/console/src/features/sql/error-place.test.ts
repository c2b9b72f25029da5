import { expect, test } from 'vitest'
import { errorMarks, errorPlace, lineOf } from './run-script.ts'

const script = 'select 1;\n\n-- two\nselect\n  nope;'
const failed = (position?: number) => ({
  start: script.indexOf('-- two'),
  text: '-- two\nselect\n  nope',
  error: { message: 'no', code: '42703', position },
})

test("finds an error's line from its position in the statement", () => {
  const place = errorPlace(failed('-- two\nselect\n  n'.length))
  expect([script.slice(place, place + 4), lineOf(script, place), lineOf(script, place, 10)]).toEqual(['nope', 5, 14])
})

test("an error without a position is at the statement's first word", () => {
  const place = errorPlace(failed())
  expect([script.slice(place, place + 6), lineOf(script, place)]).toEqual(['select', 4])
})

test('marks errors of selected text at their position in the script', () => {
  const done = {
    start: 0,
    text: 'select 1',
    result: { command: 'SELECT', count: 1, duration: 1, isPartial: false, fields: [], rows: [] },
  }
  expect(errorMarks([done, failed(1)], 100)).toEqual([{ from: 100 + script.indexOf('-- two'), message: 'no' }])
})
