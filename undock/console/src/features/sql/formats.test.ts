import { expect, test } from 'vitest'
import { toCsv, toJson, toMarkdown } from './formats.ts'

const field = (name: string, type = 25) => ({ name, type, table: 0, column: 0 })

test('exports CSV like Postgres', () => {
  const rows = [
    ['plain', null],
    ['', 'a "word"\nin lines'],
  ]
  expect(toCsv({ fields: [field('a'), field('b,c')], rows })).toBe('a,"b,c"\r\nplain,\r\n"","a ""word""\nin lines"\r\n')
})

test('exports JSON without losing digits or columns with the same name', () => {
  const fields = [field('id', 20), field('id', 1700), field('at', 1184), field('ok', 16), field('data', 3802)]
  const rows = [
    ['9007199254740993', 'NaN', '2026-01-01 00:00:00+00', 't', '{"a": [1]}'],
    ['1', '1.10', null, 'f', 'null'],
  ]
  expect(toJson({ fields, rows })).toBe(
    `[
  {"id": 9007199254740993, "id_2": "NaN", "at": "2026-01-01 00:00:00+00", "ok": true, "data": {"a": [1]}},
  {"id": 1, "id_2": 1.10, "at": null, "ok": false, "data": null}
]
`,
  )
  expect(toJson({ fields, rows: [] })).toBe('[]\n')
})

test('escapes Markdown cells', () => {
  expect(toMarkdown({ fields: [field('a'), field('b')], rows: [['x|y\nz', '<b>_1_']] })).toBe(
    '| a | b |\n| --- | --- |\n| x\\|y<br>z | \\<b\\>\\_1\\_ |\n',
  )
})
