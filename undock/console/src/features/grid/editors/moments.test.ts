import { expect, test } from 'vitest'
import { pickedText, pickerValue } from './value-tool.tsx'

test.each([
  ['2026-01-01 10:20:30.123456+00', 'datetime-local', '2026-01-01T10:20:30'],
  ['2026-01-01', 'datetime-local', '2026-01-01T00:00:00'],
  ['2026-01-01', 'date', '2026-01-01'],
  ['10:20:30+02', 'time', '10:20:30'],
  ['infinity', 'date', ''],
] as const)('shows %s in a %s picker as %j', (text, type, value) => {
  expect(pickerValue(text, type)).toBe(value)
})

test.each([
  ['2026-02-03T04:05:06', '2026-01-01 10:20:30.123456+05:30', '2026-02-03 04:05:06+05:30'],
  ['2026-02-03T04:05:06', '2026-01-01 10:20:30', '2026-02-03 04:05:06'],
  ['2026-02-03', '2026-01-01', '2026-02-03'],
  ['04:05:06', '', '04:05:06'],
])('picking %s for %j gives %s', (picked, before, text) => {
  expect(pickedText(picked, before)).toBe(text)
})
