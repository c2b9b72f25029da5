import { ServiceError } from './service-error.ts'

/** Names, objects and lists per text: parsing a million would block all other requests for half a second. */
export const MAX_JSON_VALUES = 150_000
/** Code that walks the values is recursive. */
export const MAX_JSON_DEPTH = 1_000

/** Thrown for JSON that would take too long to parse or is nested too deeply, answered like a too large body. */
export class JsonTooComplexError extends ServiceError {
  constructor(what: string) {
    super('json_too_complex', 413, `The JSON ${what}`)
    this.name = 'JsonTooComplexError'
  }
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COLON = 0x3a
const OPEN_LIST = 0x5b
const CLOSE_LIST = 0x5d
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d

/** Parses JSON from an untrusted client. @throws {JsonTooComplexError}, and {SyntaxError} for invalid JSON */
export function parseJson(text: string): unknown {
  checkComplexity(text)
  return JSON.parse(text)
}

/** Returns the value of a JSON text that we trust; undefined if it isn't JSON. */
export function tryJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export const isJsonObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function checkComplexity(text: string): void {
  // A bracket counts as one level and one value.
  if (text.length <= MAX_JSON_DEPTH) return
  let values = 0
  let depth = 0
  for (let at = 0; at < text.length; at += 1) {
    switch (text.charCodeAt(at)) {
      case QUOTE:
        at = endOfString(text, at)
        break
      case OPEN_LIST:
      case OPEN_OBJECT:
        values += 1
        depth += 1
        if (depth > MAX_JSON_DEPTH) throw new JsonTooComplexError(`nests deeper than ${MAX_JSON_DEPTH} levels`)
        break
      case COLON:
        values += 1
        break
      case CLOSE_LIST:
      case CLOSE_OBJECT:
        depth -= 1
        break
      default:
    }
    if (values > MAX_JSON_VALUES) throw new JsonTooComplexError(`holds more than ${MAX_JSON_VALUES} values`)
  }
}

function endOfString(text: string, start: number): number {
  let at = start + 1
  while (at < text.length && text.charCodeAt(at) !== QUOTE) at += text.charCodeAt(at) === BACKSLASH ? 2 : 1
  return at
}
