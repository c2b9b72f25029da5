import { validateHeaderName, validateHeaderValue } from 'node:http'
import { z } from 'zod'
import { restError } from '../errors.ts'
import { asHeader } from '../request/header-text.ts'

const HeaderList = z.array(z.record(z.string(), z.string()).refine((header) => Object.keys(header).length === 1))

/** The setting `response.headers`: a JSON array of objects with one header each.
 *  @throws PGRST111
 *  @throws {TypeError} for an invalid name or value. */
export function parseResponseHeaders(text: string | null): (readonly [name: string, value: string])[] {
  if (text === null) return []
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw restError('PGRST111', [])
  }
  const parsed = HeaderList.safeParse(value)
  if (!parsed.success) throw restError('PGRST111', [])
  const headers = parsed.data.flatMap((header) => Object.entries(header))
  for (const [name, value] of headers) {
    validateHeaderName(name)
    validateHeaderValue(name, asHeader(value))
  }
  return headers
}

/** The setting `response.status`: a number, optionally followed by text.
 *  @throws PGRST112 */
export function parseResponseStatus(text: string | null): number | null {
  if (text === null) return null
  const status = Number(/^\d+/.exec(text)?.[0] ?? Number.NaN)
  if (!(status >= 200 && status <= 599)) throw restError('PGRST112', [])
  return status
}
