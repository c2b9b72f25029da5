import { z } from 'zod'
import { JsonTooComplexError, parseJson } from '../../kernel/json.ts'
import { bytesOf } from '../../kernel/request-body.ts'
import { invalidRequest, storageError } from '../errors.ts'

/** A whole number, also as text in a query or a lenient client's JSON. */
export const wholeNumber = (minimum: number, maximum = Number.MAX_SAFE_INTEGER) =>
  z.preprocess(
    (value) => (typeof value === 'string' && /^-?\d+$/.test(value) ? Number(value) : value),
    z.int().min(minimum).max(maximum),
  )

/** Bytes of a JSON body: a thousand of the longest keys, and room to spare. */
const MAX_JSON = 4 * 1024 * 1024

/** Reads a JSON body of up to `limit` bytes.
 *  @param isStrict Whether values of another type are refused, as upstream does for vectors.
 *  @throws {StorageError} InvalidRequest in the words of upstream's validator; EntityTooLarge */
export async function readJson<T>(
  request: Request,
  schema: z.ZodType<T>,
  limit = MAX_JSON,
  isStrict = false,
): Promise<T> {
  const text = await readText(bytesOf(request), limit)
  if (text === '') return parse(schema, undefined, 'body')
  let value: unknown
  try {
    value = parseJson(text)
  } catch (error) {
    if (error instanceof JsonTooComplexError) throw storageError('EntityTooLarge', { message: error.message })
    throw invalidRequest("Body is not valid JSON but content-type is set to 'application/json'", 'FastifyError')
  }
  return parse(schema, value, 'body', isStrict)
}

/** Reads a text body of up to `limit` bytes. @throws {StorageError} EntityTooLarge */
export async function readText(source: AsyncIterable<Uint8Array>, limit: number): Promise<string> {
  const parts: Uint8Array[] = []
  let length = 0
  for await (const bytes of source) {
    length += bytes.byteLength
    if (length > limit) throw storageError('EntityTooLarge', { message: 'Request body is too large' })
    parts.push(bytes)
  }
  return Buffer.concat(parts).toString('utf8')
}

/** Validates input. @param place Its origin in the message: body, querystring. @throws {StorageError} InvalidRequest */
export function parse<T>(schema: z.ZodType<T>, value: unknown, place: string, isStrict = false): T {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  const { issues } = parsed.error
  const copy = structuredClone(value)
  if (!isStrict && issues.filter((issue) => coerce(copy, issue)).length > 0) return parse(schema, copy, place)
  const [issue] = issues
  throw invalidRequest(issue ? wording(issue, value, place) : `${place} is invalid`, 'Error')
}

/** Converts the value that an issue is about the way upstream's validator does. @returns whether it changed. */
function coerce(root: unknown, issue: z.core.$ZodIssue): boolean {
  const parent = lookUp(root, issue.path.slice(0, -1))
  const name = issue.path.at(-1)
  if (issue.code !== 'invalid_type' || name === undefined || typeof parent !== 'object' || parent === null) return false
  const before = Reflect.get(parent, name)
  const after = coerced(before, issue.expected)
  return after !== before && Reflect.set(parent, name, after)
}

/** Ajv's `coerceTypes: 'array'`. The Dart client sends null for options without a value. */
function coerced(value: unknown, type: string): unknown {
  if (value === undefined || (typeof value === 'object' && value !== null)) return value
  if (type === 'string') return value === null ? '' : String(value)
  if (type === 'array') return [value]
  if (type === 'number' || type === 'int') return value === '' || Number.isNaN(Number(value)) ? value : Number(value)
  if (type !== 'boolean') return value
  if (value === 'true' || value === 1) return true
  return value === 'false' || value === 0 || value === null ? false : value
}

function wording(issue: z.core.$ZodIssue, value: unknown, place: string): string {
  const parent = issue.path.slice(0, -1)
  const name = issue.path.at(-1)
  if (issue.code === 'invalid_type' && name !== undefined && lookUp(value, issue.path) === undefined) {
    return `${[place, ...parent].join('/')} must have required property '${String(name)}'`
  }
  return `${[place, ...issue.path].join('/')} ${requirement(issue)}`
}

function requirement(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${issue.expected === 'int' ? 'integer' : issue.expected}`
    case 'too_small':
      return issue.origin === 'array'
        ? `must NOT have fewer than ${issue.minimum} items`
        : `must be >= ${issue.minimum}`
    case 'too_big':
      return issue.origin === 'array' ? `must NOT have more than ${issue.maximum} items` : `must be <= ${issue.maximum}`
    case 'unrecognized_keys':
      return 'must NOT have additional properties'
    case 'invalid_value':
      return 'must be equal to one of the allowed values'
    default:
      return issue.message
  }
}

const lookUp = (value: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce<unknown>(
    (inner, key) => (typeof inner === 'object' && inner !== null ? Reflect.get(inner, key) : undefined),
    value,
  )
