/** A row of a file. @property place Its line or, in formats without lines, its number; from 1. @property values CSV texts or JSON values in
 *  the order of the file's columns; undefined if missing. */
export type FileRow = { readonly place: number; readonly values: readonly unknown[] }

/** A file's contents.
 *  @property unit What `place` counts. */
export type FileTable = {
  readonly format: 'csv' | 'json'
  readonly columns: readonly string[]
  readonly unit: 'Line' | 'Row'
  readonly preview: readonly FileRow[]
  /** Passes all rows to `take` in batches, one at a time. @throws {FileError} and whatever `take` throws. */
  forEachPiece(take: (rows: readonly FileRow[]) => Promise<void>): Promise<void>
}

/** The number of rows previewed and checked before the import. */
export const PREVIEW_ROWS = 100

/** A file that can't be read, with a message for the user. */
export class FileError extends Error {
  override readonly name = 'FileError'
}

/** The maximum file size, because the text must fit in one string. */
const FILE_LIMIT = 400 * 1024 * 1024

/** Decodes a file as UTF-8, UTF-16 with a byte order mark, or else Windows-1252, which Excel uses for CSV.
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
