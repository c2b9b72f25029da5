import { expect, test } from 'vitest'
import { toCsv } from './csv.ts'

test('a result is CSV as Postgres writes it', () => {
  const fields = [{ name: 'a' }, { name: 'b,c' }].map((one) => ({ ...one, type: 25, table: 0, column: 0 }))
  const rows = [
    ['plain', null],
    ['', 'a "word"\nin lines'],
  ]
  expect(toCsv({ fields, rows })).toBe('a,"b,c"\r\nplain,\r\n"","a ""word""\nin lines"\r\n')
})
