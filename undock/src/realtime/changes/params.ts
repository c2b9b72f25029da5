import { createHash } from 'node:crypto'

const OPERATORS = [
  'eq', 'neq', 'lt', 'lte', 'gt', 'gte', 'in', 'like', 'ilike', 'is', 'match', 'imatch', 'isdistinct',
] as const // biome-ignore format: one list
export type Operator = (typeof OPERATORS)[number]
export type Filter = {
  readonly column: string
  readonly operator: Operator
  readonly value: string
  readonly negate: boolean
}

export type Action = 'INSERT' | 'UPDATE' | 'DELETE'

export type ChangeParams = {
  readonly action: Action | '*'
  readonly schema: string
  readonly table: string
  readonly filters: readonly Filter[]
  /** Null for all columns the role may read. */
  readonly columns: readonly string[] | null
}

/** A refused subscription. The client gets the text in a `system` message, so there's no HTTP status. */
export class SubscriptionError extends Error {}

type Binding = Readonly<Record<string, unknown>>

/** Returns the id client and server use for a binding; equal bindings have equal ids. */
export function bindingId(binding: Binding): number {
  const canonical = JSON.stringify(Object.entries(binding).sort(([a], [b]) => (a < b ? -1 : 1)))
  // 27 bits, like upstream's ids.
  return createHash('sha1').update(canonical).digest().readUInt32BE(0) >>> 5
}

/** The bindings of a join's reply: as sent, with ids. */
export const changeBindings = (bindings: readonly Binding[]) =>
  bindings.map((binding) => ({ ...binding, id: bindingId(binding) }))

/** Parses a binding; accepted forms and error texts match Subscriptions.parse_subscription_params/1.
 *  @throws {SubscriptionError} */
export function parseChangeParams(binding: Binding): ChangeParams {
  const { event, schema, table, filter, select } = binding
  const upper = typeof event === 'string' ? event.toUpperCase() : '*'
  const action = upper === 'INSERT' || upper === 'UPDATE' || upper === 'DELETE' ? upper : '*'
  const columns = parseSelect(select)
  const params = (schemaName: string, tableName: string, filters: readonly Filter[]): ChangeParams => {
    if (columns && (schemaName === '*' || tableName === '*'))
      throw new SubscriptionError(
        'Column selection is not supported for wildcard subscriptions. Provide an explicit schema and table name.',
      )
    return { action, schema: schemaName, table: tableName, filters, columns }
  }
  const hasFilter = 'filter' in binding
  if (typeof schema === 'string' && typeof table === 'string') {
    if (!hasFilter) return params(schema, table, [])
    if (typeof filter === 'string') return params(schema, table, parseFilters(filter))
  }
  if (typeof schema === 'string' && !('table' in binding) && !hasFilter) return params(schema, '*', [])
  if (typeof table === 'string' && !('schema' in binding) && !hasFilter) return params('public', table, [])
  const text = 'user_token' in binding || 'auth_token' in binding ? '<redacted>' : JSON.stringify(binding)
  throw new SubscriptionError(
    `No subscription params provided. Please provide at least a \`schema\` or \`table\` to subscribe to: ${text}`,
  )
}

function parseSelect(select: unknown): readonly string[] | null {
  if (typeof select === 'string')
    throw new SubscriptionError(
      'Error parsing `select` params: expected a list of column name strings, e.g. select: ["col1", "col2"]',
    )
  if (!Array.isArray(select)) return null
  const names = select.filter((name) => typeof name === 'string')
  return names.length > 0 ? names : null
}

const fault = (reason: string) => new SubscriptionError(`Error parsing \`filter\` params: ${reason}`)
const shown = (...parts: readonly string[]) => `[${parts.map((part) => JSON.stringify(part)).join(', ')}]`

/** Parses comma-separated conditions, all of which must hold: `id=gt.0,name=in.(a,b)`. */
export function parseFilters(text: string): Filter[] {
  return text.trim() === '' ? [] : splitTopLevel(text.trim()).map((part) => parseFilter(part.trim()))
}

function parseFilter(text: string): Filter {
  if (text === '') throw fault('filter must not contain empty segments (check for extra commas)')
  const [column, condition] = splitOnce(text, '=')
  if (condition === undefined) throw fault(shown(text))
  const negate = condition.startsWith('not.')
  const positive = negate ? condition.slice('not.'.length) : condition
  const [operator, value] = splitOnce(positive, '.')
  if (value === undefined) throw fault(shown(positive))
  if (!isOperator(operator)) throw fault(shown(operator, value))
  if (operator !== 'in') return { column, operator, value: unquote(value), negate }
  if (!(value.length >= 2 && value.startsWith('(') && value.endsWith(')')))
    throw fault('`in` filter value must be wrapped by parentheses')
  return { column, operator, value: `{${value.slice(1, -1)}}`, negate }
}

const isOperator = (text: string): text is Operator => (OPERATORS as readonly string[]).includes(text)

function splitOnce(text: string, separator: string): [string, string | undefined] {
  const at = text.indexOf(separator)
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + separator.length)]
}

/** Splits at commas outside parentheses and quoted values. */
function splitTopLevel(text: string): string[] {
  const parts: string[] = []
  let [current, depth, quoted, previous] = ['', 0, false, '']
  for (let index = 0; index < text.length; index++) {
    const char = text.charAt(index)
    if (quoted && char === '\\' && index + 1 < text.length) {
      current += char + text.charAt(++index)
      previous = text.charAt(index)
      continue
    }
    if (quoted) quoted = char !== '"'
    // A quote only opens at the start of a value.
    else if (char === '"') quoted = previous === '.' || previous === '(' || previous === ','
    else if (char === '(') depth += 1
    else if (char === ')') depth = Math.max(0, depth - 1)
    else if (char === ',' && depth === 0) {
      parts.push(current)
      current = ''
      previous = ''
      continue
    }
    current += char
    previous = char
  }
  return [...parts, current]
}

/** `"a,\"b"` becomes `a,"b`; a value without a closing quote is unchanged. */
function unquote(value: string): string {
  const quoted = /^"((?:[^"\\]|\\.)*)"$/s.exec(value)?.[1]
  return quoted === undefined ? value : quoted.replaceAll(/\\(.)/gs, '$1')
}
