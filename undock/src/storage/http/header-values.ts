import { invalidRequest } from '../errors.ts'

// Printable ASCII, as S3 has it; 8 KiB is what clients and proxies surely take.
const HEADER_VALUE = /^[\t\x20-\x7E]{0,8192}$/

export const isHeaderValue = (value: string): boolean => HEADER_VALUE.test(value)

/** Checks what a client wants to be stored with an object and sent as a header with it: fields of a form and metadata can hold
 *  line breaks, which a header cannot.
 *  @throws {StorageError} InvalidRequest */
export function checkHeaderValues(values: Readonly<Record<string, string | null | undefined>>): void {
  for (const [name, value] of Object.entries(values)) {
    if (value && !isHeaderValue(value)) throw invalidRequest(`${name} cannot be the value of a header`)
  }
}
