/** Available in browsers but not declared by TypeScript (https://github.com/tc39/proposal-json-parse-with-source). */
type JsonWithSource = {
  parse(text: string, reviver: (key: string, value: unknown, context?: { source?: string }) => unknown): unknown
  rawJSON?(text: string): unknown
}
const WITH_SOURCE: JsonWithSource = JSON

/** Parses JSON and replaces each number, because JavaScript's have fewer digits. @param ofNumber Called with the number and its source
 *  text.
 *  @throws {SyntaxError} */
export const parseNumbers = (text: string, ofNumber: (value: number, source: string) => unknown): unknown =>
  WITH_SOURCE.parse(text, (_key, value, context) =>
    typeof value === 'number' ? ofNumber(value, context?.source ?? String(value)) : value,
  )

/** A number that `JSON.stringify` writes with all its digits; the nearest one in browsers without support. */
export const rawNumber = (value: number, source: string): unknown =>
  source === String(value) ? value : (WITH_SOURCE.rawJSON?.(source) ?? value)

/** Parses a JSON object; empty text means an empty object. @throws {SyntaxError} with a message for the user. */
export function parseObject(text: string): Record<string, unknown> {
  if (text.trim() === '') return {}
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw new SyntaxError(`This is not valid JSON: ${(error as Error).message}`)
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>
  throw new SyntaxError('This must be a JSON object, such as {"name": "Ada"}.')
}

/** Formats JSON; returns it unchanged if it's invalid, or if JavaScript can't represent one of its numbers. */
export function indented(text: string): string {
  if (/\d{16,}|\d[eE]|\d\.\d*0(?!\d)/.test(text)) return text
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}
