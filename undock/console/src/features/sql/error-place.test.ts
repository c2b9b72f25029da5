import { expect, test } from 'vitest'
import { errorPlace, lineOf } from './error-place.ts'

const script = 'select 1;\n\n-- two\nselect\n  nope;'
const failed = (position?: number) => ({
  start: script.indexOf('-- two'),
  text: '-- two\nselect\n  nope',
  error: { message: 'no', code: '42703', position },
})

test('an error is at the line of its position in the statement', () => {
  const place = errorPlace(failed('-- two\nselect\n  n'.length))
  expect([script.slice(place, place + 4), lineOf(script, place), lineOf(script, place, 10)]).toEqual(['nope', 5, 14])
})

test('an error without a position is at the first word of the statement', () => {
  const place = errorPlace(failed())
  expect([script.slice(place, place + 6), lineOf(script, place)]).toEqual(['select', 4])
})
