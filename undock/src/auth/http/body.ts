import type { z } from 'zod'
import { JsonTooComplexError, parseJson } from '../../kernel/json.ts'
import { BodyTooLargeError, readBody as readBytes } from '../../kernel/request-body.ts'
import { authError } from '../errors.ts'
import { storable } from '../models/params.ts'

/** Upstream's limit. */
const MAX_BODY_BYTES = 1 << 20

/** Reads a JSON body of at most one MiB by its schema. An empty body is invalid; as in Go, `null` is an empty object.
 *  @throws `bad_json`, `request_entity_too_large` */
export async function readBody<T extends z.ZodType>(request: Request, schema: T): Promise<z.infer<T>> {
  return parseBody(await readText(request), schema)
}

export function parseBody<T extends z.ZodType>(text: string, schema: T): z.infer<T> {
  let parsed: unknown
  try {
    parsed = parseJson(text)
  } catch (error) {
    if (error instanceof JsonTooComplexError) throw authError('bodyInvalid', [error.message])
    throw authError('bodyInvalid', [text.trim() === '' ? 'unexpected end of JSON input' : 'invalid character'])
  }
  const result = schema.safeParse(storable(parsed ?? {}))
  if (result.success) return result.data
  const issue = result.error.issues[0]
  const where = issue?.path.join('.') || 'body'
  throw authError('bodyInvalid', [`${where}: ${issue?.message ?? 'invalid'}`])
}

export async function readText(request: Request): Promise<string> {
  try {
    return (await readBytes(request, MAX_BODY_BYTES)).toString('utf8')
  } catch (error) {
    if (error instanceof BodyTooLargeError) throw authError('bodyTooLarge', [MAX_BODY_BYTES])
    throw error
  }
}
