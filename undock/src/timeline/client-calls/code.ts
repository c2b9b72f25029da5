/** What a client call is derived from. @property path Without the service's prefix and without the query.
 *  @property body The value of the JSON body; undefined when there was none. */
export type RecordedCall = {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  readonly headers: Readonly<Record<string, string>>
  readonly body: unknown
}

/** A value as TypeScript. */
export function literal(value: unknown): string {
  if (typeof value === 'string')
    return `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'").replaceAll('\n', '\\n').replaceAll('\r', '\\r').replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')}'`
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'undefined'
  const fields = Object.entries(value).filter(([, one]) => one !== undefined)
  if (fields.length === 0) return '{}'
  return `{ ${fields.map(([name, one]) => `${fieldName(name)}: ${literal(one)}`).join(', ')} }`
}

// In an object literal `__proto__` would set the prototype.
const fieldName = (name: string): string =>
  name === '__proto__' ? "['__proto__']" : /^[A-Za-z_$][\w$]*$/.test(name) ? name : literal(name)

/** Arguments, without undefined ones and empty objects at the end. */
export function call(name: string, ...given: readonly unknown[]): string {
  const last = given.findLastIndex((one) => one !== undefined && !isEmptyObject(one))
  return `${name}(${given
    .slice(0, last + 1)
    .map(literal)
    .join(', ')})`
}

const isEmptyObject = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  Object.values(value).every((one) => one === undefined)

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
