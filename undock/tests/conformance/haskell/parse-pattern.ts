import type { TokenReader } from './layout.ts'
import type { Pattern } from './syntax.ts'

export function parsePattern(reader: TokenReader): Pattern {
  reader.accepts('!')
  const token = reader.take()
  switch (token.kind) {
    case 'variable':
      return token.text === '_' ? { kind: 'wildcard' } : { kind: 'name', name: token.text }
    case 'string':
      return { kind: 'literal', value: token.text }
    case 'number':
      return { kind: 'literal', value: Number(token.text) }
    case 'constructor':
      return { kind: 'constructor', name: token.text, items: [] }
    default:
  }
  if (token.text === '[') return { kind: 'list', items: parsePatternsUntil(reader, ']') }
  if (token.text !== '(') throw reader.unexpected()
  const items = parsePatternsUntil(reader, ')')
  return items.length === 1 && items[0] ? items[0] : { kind: 'tuple', items }
}

function parsePatternsUntil(reader: TokenReader, end: string): Pattern[] {
  const items: Pattern[] = []
  while (!reader.accepts(end)) {
    items.push(parseAppliedPattern(reader))
    if (!reader.is(end)) reader.expect(',')
  }
  return items
}

/** `Just location`, or a single pattern. */
export function parseAppliedPattern(reader: TokenReader): Pattern {
  const first = parsePattern(reader)
  if (first.kind !== 'constructor') return first
  const items: Pattern[] = []
  while (!['->', '<-', ')', ',', ']', '='].includes(reader.peek().text)) items.push(parsePattern(reader))
  return { ...first, items }
}
