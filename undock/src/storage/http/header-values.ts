import { invalidRequest, storageError } from '../errors.ts'

/** A range of bytes, both ends included. */
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

/** Types in which browsers run scripts when opened directly: HTML, SVG and other XML, and containers of HTML. */
const ACTIVE = /html|svg|[/+]xml|xsl|^multipart\/|rfc822|x-mimearchive/i

/** Such a document may only display itself, as with GitHub's raw files; `<img src>` isn't affected. Upstream sends no
 *  policy, because hosted files have their own domain; here they share the API's. */
const POLICY = "default-src 'none'; img-src data:; font-src data:; style-src 'unsafe-inline'; sandbox"

/** Keeps uploaded content from running scripts on the API's origin. Call it last: it depends on the content type. */
export function guardContent(headers: Headers): void {
  headers.set('x-content-type-options', 'nosniff')
  if (ACTIVE.test(headers.get('content-type') ?? '')) headers.set('content-security-policy', POLICY)
  else headers.delete('content-security-policy')
}

const HEADER_VALUE = /^[\t\x20-\x7E]{0,8192}$/

export const isHeaderValue = (value: string): boolean => HEADER_VALUE.test(value)

/** Checks values that will be sent as headers: form fields and metadata may contain line breaks, headers can't.
 *  @throws {StorageError} InvalidRequest */
export function checkHeaderValues(values: Readonly<Record<string, string | null | undefined>>): void {
  for (const [name, value] of Object.entries(values)) {
    if (value && !isHeaderValue(value)) throw invalidRequest(`${name} cannot be the value of a header`)
  }
}
