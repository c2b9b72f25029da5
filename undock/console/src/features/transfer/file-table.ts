/** A row of a file.
 *  @property place Its line, or its number where the file has rows instead of lines; from 1.
 *  @property values Texts of CSV or values of JSON, in the order of the file's columns; undefined where a row has none. */
export type FileRow = { readonly place: number; readonly values: readonly unknown[] }

/** What a file holds.
 *  @property unit What `place` counts. */
export type FileTable = {
  readonly format: 'csv' | 'json'
  readonly columns: readonly string[]
  readonly unit: 'Line' | 'Row'
  readonly preview: readonly FileRow[]
  /** Gives all rows in pieces, the next one when the last was taken. @throws {FileError} and what `take` throws. */
  forEachPiece(take: (rows: readonly FileRow[]) => Promise<void>): Promise<void>
}

/** Rows that are shown and checked before the import begins. */
export const PREVIEW_ROWS = 100

/** A file that cannot be read, in words for the person who has chosen it. */
export class FileError extends Error {
  override readonly name = 'FileError'
}

/** Bytes of a file: its text must fit into one string of the browser. */
const FILE_LIMIT = 400 * 1024 * 1024

/** The text of a file in UTF-8, in UTF-16 with a byte order mark, or else in Windows-1252, as Excel saves CSV.
 *  @throws {FileError} */
export async function readText(file: File): Promise<{ text: string; encoding: string }> {
  if (file.size > FILE_LIMIT)
    throw new FileError(`${file.name} is larger than 400 MB. Import it in parts, or with \\copy in psql.`)
  const bytes = new Uint8Array(await file.arrayBuffer())
  if (bytes[0] === 0xff && bytes[1] === 0xfe)
    return { text: new TextDecoder('utf-16le').decode(bytes), encoding: 'UTF-16' }
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes), encoding: 'UTF-8' }
  } catch {
    return { text: new TextDecoder('windows-1252').decode(bytes), encoding: 'Windows-1252' }
  }
}
