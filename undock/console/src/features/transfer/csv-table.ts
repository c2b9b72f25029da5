import type { ParseResult, Parser } from 'papaparse'
import { FileError, type FileRow, type FileTable, PREVIEW_ROWS } from './file-table.ts'

/** @property delimiter Empty to detect it. */
export type CsvSettings = { readonly hasHeader: boolean; readonly delimiter: string }

/** Characters parsed before yielding to the browser. */
const CHUNK = 512 * 1024

/** Reads the columns and first rows of CSV. @throws {FileError} */
export async function readCsv(text: string, { hasHeader, delimiter }: CsvSettings): Promise<FileTable> {
  const { parse } = (await import('papaparse')).default
  // Blank lines, which have one field, would break the delimiter's detection.
  const delimiterUsed = delimiter || parse(text, { preview: 20, skipEmptyLines: true }).meta.delimiter
  const start = parse<string[]>(text, { delimiter: delimiterUsed, preview: PREVIEW_ROWS + 1 })
  const [first] = start.data
  if (!first || (first.length === 1 && first[0] === '')) throw new FileError('The file is empty.')
  const columns = first.map((name, n) => (hasHeader && name.trim() !== '' ? name.trim() : `Column ${n + 1}`))
  return {
    format: 'csv',
    columns,
    unit: 'Line',
    preview: rowReader(columns.length, hasHeader)(start),
    forEachPiece(take) {
      const read = rowReader(columns.length, hasHeader)
      return new Promise((resolve, reject) => {
        parse<string[]>(text, {
          delimiter: delimiterUsed,
          chunkSize: CHUNK,
          chunk(result: ParseResult<string[]>, parser: Parser) {
            parser.pause()
            // Rejects before stopping the parser, which reports completion.
            const fail = (error: unknown) => {
              reject(error)
              parser.abort()
            }
            try {
              take(read(result)).then(() => parser.resume(), fail)
            } catch (error) {
              fail(error)
            }
          },
          complete: () => resolve(),
        })
      })
    },
  }
}

/** Converts the parser's results to rows with line numbers, as values can contain line breaks. Skips blank lines. */
function rowReader(width: number, hasHeader: boolean): (result: ParseResult<string[]>) => FileRow[] {
  let line = 1
  let isHeader = hasHeader
  return ({ data, errors, meta }) => {
    const rows: FileRow[] = []
    const faults = new Map(errors.filter(({ type }) => type === 'Quotes').map((fault) => [fault.row, fault.message]))
    for (const [index, values] of data.entries()) {
      const fault = faults.get(index)
      if (fault !== undefined) throw new FileError(`Line ${line}: ${fault}.`)
      const isBlank = values.length === 1 && values[0] === ''
      if (!isBlank && values.length !== width)
        throw new FileError(`Line ${line} has ${values.length} values, but the first line has ${width}.`)
      if (isHeader) isHeader = false
      else if (!isBlank) rows.push({ place: line, values })
      line += 1
      for (const value of values) line += value.split(meta.linebreak).length - 1
    }
    return rows
  }
}
