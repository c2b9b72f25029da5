import { parseNumbers, rawNumber } from '../../lib/json-source.ts'
import { FileError, type FileRow, type FileTable, PREVIEW_ROWS } from './file-table.ts'

/** Rows per batch. */
const PIECE = 2_000

/** Reads JSON: an array of objects, or one object per line, with properties as columns. @throws {FileError} */
export function readJsonTable(text: string): FileTable {
  const { objects, unit } = readObjects(text)
  const columns = new Set<string>()
  for (const { value } of objects) for (const name of Object.keys(value)) columns.add(name)
  if (columns.size === 0) throw new FileError('The file has no rows.')
  const names = [...columns]
  const rowsOf = (from: number, to: number): FileRow[] =>
    objects.slice(from, to).map(({ place, value }) => ({ place, values: names.map((name) => value[name]) }))
  return {
    format: 'json',
    columns: names,
    unit,
    preview: rowsOf(0, PREVIEW_ROWS),
    async forEachPiece(take) {
      for (let from = 0; from < objects.length; from += PIECE) await take(rowsOf(from, from + PIECE))
    },
  }
}

type PlacedObject = { readonly place: number; readonly value: Readonly<Record<string, unknown>> }

function readObjects(text: string): { objects: PlacedObject[]; unit: 'Line' | 'Row' } {
  let whole: unknown
  try {
    whole = parseJson(text)
  } catch (error) {
    if (!text.trimStart().startsWith('{')) throw new FileError(`This is not valid JSON: ${(error as Error).message}`)
    return { objects: readLines(text), unit: 'Line' }
  }
  const rows = Array.isArray(whole) ? whole : [whole]
  return { objects: rows.map((value, n) => ({ place: n + 1, value: objectOf(value, `Row ${n + 1}`) })), unit: 'Row' }
}

function readLines(text: string): PlacedObject[] {
  return text.split(/\r?\n/).flatMap((line, n) => {
    if (line.trim() === '') return []
    try {
      return [{ place: n + 1, value: objectOf(parseJson(line), `Line ${n + 1}`) }]
    } catch (error) {
      if (error instanceof FileError) throw error
      throw new FileError(`Line ${n + 1} is not valid JSON: ${(error as Error).message}`)
    }
  })
}

function objectOf(value: unknown, where: string): Record<string, unknown> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>
  throw new FileError(`${where} is not an object with a property for each column.`)
}

/** Parses JSON so that numbers keep all their digits when written by `JSON.stringify`. */
const parseJson = (text: string): unknown => parseNumbers(text, rawNumber)
