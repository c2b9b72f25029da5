import { storageError } from '../errors.ts'

/** Bytes of a content, both ends included. */
export type ByteRange = { readonly start: number; readonly end: number }

/** Parses a Range header with one satisfiable range.
 *  @param size The content's length in bytes.
 *  @throws {StorageError} InvalidRange (HTTP 416) */
export function parseRange(header: string, size: number): ByteRange {
  const [, first, last] = /^bytes=(\d*)-(\d*)$/.exec(header) ?? []
  if (first === undefined || last === undefined || size <= 0) throw unsatisfiable(size)
  if (first === '') {
    const suffix = Number(last)
    if (!Number.isSafeInteger(suffix) || suffix <= 0) throw unsatisfiable(size)
    return { start: Math.max(size - suffix, 0), end: size - 1 }
  }
  const start = Number(first)
  const end = last === '' ? size - 1 : Math.min(Number(last), size - 1)
  if (!Number.isSafeInteger(start) || !Number.isSafeInteger(end) || start > end) throw unsatisfiable(size)
  return { start, end }
}

const unsatisfiable = (size: number) =>
  storageError('InvalidRange', { headers: { 'content-range': `bytes */${size}` } })
