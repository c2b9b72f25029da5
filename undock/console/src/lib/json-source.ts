/** What browsers have and TypeScript's library does not declare (https://github.com/tc39/proposal-json-parse-with-source). */
type JsonWithSource = {
  parse(text: string, reviver: (key: string, value: unknown, context?: { source?: string }) => unknown): unknown
  rawJSON?(text: string): unknown
}
const WITH_SOURCE: JsonWithSource = JSON

/** Parses JSON, with something else in the place of each number, because JavaScript's have fewer digits.
 *  @param ofNumber Gets the number, and as the document writes it.
 *  @throws {SyntaxError} */
export const parseNumbers = (text: string, ofNumber: (value: number, source: string) => unknown): unknown =>
  WITH_SOURCE.parse(text, (_key, value, context) =>
    typeof value === 'number' ? ofNumber(value, context?.source ?? String(value)) : value,
  )

/** A number that `JSON.stringify` writes with all its digits; the nearest one where the browser knows none. */
export const rawNumber = (value: number, source: string): unknown =>
  source === String(value) ? value : (WITH_SOURCE.rawJSON?.(source) ?? value)
