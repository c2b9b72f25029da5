import { expect, test } from 'vitest'
import { readCsv } from './csv-table.ts'
import { type FileRow, type FileTable, readText } from './file-table.ts'
import { readJsonTable } from './json-table.ts'

const settings = { hasHeader: true, delimiter: '' }

async function allRows({ forEachPiece }: Pick<FileTable, 'forEachPiece'>): Promise<FileRow[]> {
  const rows: FileRow[] = []
  await forEachPiece(async (piece) => {
    rows.push(...piece)
  })
  return rows
}

test('reads CSV with line numbers and skips blank lines', async () => {
  const table = await readCsv('id;text\r\n1;"two\r\nlines"\r\n\r\n2;"say ""hi"""\r\n3;\r\n', settings)
  expect(table.columns).toEqual(['id', 'text'])
  const rows = [
    { place: 2, values: ['1', 'two\r\nlines'] },
    { place: 5, values: ['2', 'say "hi"'] },
    { place: 6, values: ['3', ''] },
  ]
  expect(table.preview).toEqual(rows)
  expect(await allRows(table)).toEqual(rows)
})

test('reads a long file in chunks, each row once', async () => {
  const lines = Array.from({ length: 60_000 }, (_, n) => `${n},"größer, als ein Stück ${n}"`)
  const table = await readCsv(['a,b', ...lines].join('\n'), settings)
  const rows = await allRows(table)
  expect(rows.map(({ place, values }) => [place, values[0]])).toEqual(lines.map((_, n) => [n + 2, String(n)]))
  expect(rows.at(-1)?.values[1]).toBe('größer, als ein Stück 59999')
})

test('reports the line of invalid CSV', async () => {
  await expect(readCsv('a,b\n1,2\n3,4,5\n', settings)).rejects.toThrow('Line 3 has 3 values, but the first line has 2.')
  await expect(readCsv('a,b\n1,2\n3,"4\n', settings)).rejects.toThrow(/^Line 3: /)
  await expect(readCsv('', settings)).rejects.toThrow('The file is empty.')
  expect((await readCsv('1,2\n', { ...settings, hasHeader: false })).columns).toEqual(['Column 1', 'Column 2'])
  const stopped = (await readCsv('a\n1\n2\n', settings)).forEachPiece(async () => {
    throw new Error('stop')
  })
  await expect(stopped).rejects.toThrow('stop')
})

test('reads JSON without losing digits, with all properties as columns', async () => {
  const table = readJsonTable('[{"id": 12345678901234567890, "price": 1.10}, {"id": 2, "data": {"n": 0.30}}]')
  expect(table.columns).toEqual(['id', 'price', 'data'])
  expect((await allRows(table)).map(({ values }) => values.map((one) => JSON.stringify(one)))).toEqual([
    ['12345678901234567890', '1.10', undefined],
    ['2', undefined, '{"n":0.30}'],
  ])
})

test("reads JSON lines and reports lines that aren't objects", () => {
  expect(readJsonTable('{"a": 1}\n\n{"a": 2}\n').preview.map(({ place }) => place)).toEqual([1, 3])
  expect(() => readJsonTable('{"a": 1}\n{"a": }\n')).toThrow('Line 2 is not valid JSON')
  expect(() => readJsonTable('[{"a": 1}, 2]')).toThrow('Row 2 is not an object with a property for each column.')
  expect(() => readJsonTable('a,b')).toThrow('This is not valid JSON')
  expect(() => readJsonTable('[]')).toThrow('The file has no rows.')
})

test("reads files that aren't UTF-8", async () => {
  expect(await readText(new File([new Uint8Array([0x67, 0x72, 0xfc, 0x6e])], 'a.csv'))).toEqual({
    text: 'grün',
    encoding: 'Windows-1252',
  })
  const excel = new Uint8Array([0xff, 0xfe, 0x61, 0, 0x09, 0, 0x62, 0])
  expect(await readText(new File([excel], 'a.txt'))).toEqual({ text: 'a\tb', encoding: 'UTF-16' })
  expect(await readText(new File(['\ufeffgrün'], 'a.csv'))).toEqual({ text: 'grün', encoding: 'UTF-8' })
})
