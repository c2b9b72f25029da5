import { invalidRequest } from '../errors.ts'

// Printable ASCII, like S3; clients and proxies surely accept 8 KiB.
const HEADER_VALUE = /^[\t\x20-\x7E]{0,8192}$/

export const isHeaderValue = (value: string): boolean => HEADER_VALUE.test(value)

/** Checks values that will be sent as headers: form fields and metadata may contain line breaks, headers can't.
 *  @throws {StorageError} InvalidRequest */
export function checkHeaderValues(values: Readonly<Record<string, string | null | undefined>>): void {
  for (const [name, value] of Object.entries(values)) {
    if (value && !isHeaderValue(value)) throw invalidRequest(`${name} cannot be the value of a header`)
  }
}
