/** Reads the text of a JSON object; empty text is an object without properties.
 *  @throws {SyntaxError} in words for the person who typed it. */
export function parseObject(text: string): Record<string, unknown> {
  if (text.trim() === '') return {}
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw new SyntaxError(`This is no JSON: ${(error as Error).message}`)
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>
  throw new SyntaxError('This must be a JSON object, such as {"name": "Ada"}.')
}
