import { RESERVED_OPERATORS, type TokenReader } from './layout.ts'
import { parseAppliedPattern, parsePattern } from './parse-pattern.ts'
import type { Binding, Branch, Expression, Field, Pattern, Statement } from './syntax.ts'

type Fixity = { readonly level: number; readonly associativity: 'left' | 'right' | 'none' }

const fixity = (level: number, associativity: Fixity['associativity']): Fixity => ({ level, associativity })

const FIXITIES: Readonly<Record<string, Fixity>> = {
  $: fixity(0, 'right'),
  shouldRespondWith: fixity(1, 'none'),
  shouldBe: fixity(1, 'none'),
  shouldNotBe: fixity(1, 'none'),
  shouldSatisfy: fixity(1, 'none'),
  shouldContain: fixity(1, 'none'),
  '||': fixity(2, 'right'),
  '&&': fixity(3, 'right'),
  '<$>': fixity(4, 'left'),
  '==': fixity(4, 'none'),
  '/=': fixity(4, 'none'),
  '<': fixity(4, 'none'),
  '<=': fixity(4, 'none'),
  '>': fixity(4, 'none'),
  '>=': fixity(4, 'none'),
  elem: fixity(4, 'none'),
  '=~': fixity(4, 'none'),
  ':': fixity(5, 'right'),
  '++': fixity(5, 'right'),
  '<>': fixity(6, 'right'),
  '+': fixity(6, 'left'),
  '-': fixity(6, 'left'),
  '^?': fixity(8, 'left'),
  '.': fixity(9, 'right'),
}
const DEFAULT_FIXITY = fixity(9, 'left')

const KEYWORDS = new Set(['then', 'else', 'in', 'of', 'where', 'let', 'do', 'if', 'case'])

/** A definition with its `where`. */
export function parseBinding(reader: TokenReader): Binding {
  const parameters: Pattern[] = []
  const { text: name } = reader.take()
  while (!reader.is('=')) parameters.push(parsePattern(reader))
  reader.expect('=')
  const body = parseExpression(reader)
  if (!reader.accepts('where')) return { name, parameters, body }
  const bindings = reader.block(() => parseBinding(reader))
  return { name, parameters, body: { kind: 'let', bindings, body } }
}

function parseExpression(reader: TokenReader): Expression {
  const value = parseOperation(reader, 0)
  if (!reader.accepts('::')) return value
  while (reader.peek().kind !== 'boundary' && !endsType(reader)) reader.take()
  return value
}

function endsType(reader: TokenReader): boolean {
  return [')', ',', ']', '}', '=', '<-', 'then', 'else'].some((end) => reader.is(end))
}

function parseOperation(reader: TokenReader, level: number): Expression {
  let left = reader.is('-') ? parseNegation(reader) : parseApplication(reader)
  for (;;) {
    const { kind, text, line } = reader.peek()
    if (kind !== 'operator' || RESERVED_OPERATORS.has(text)) return left
    const { level: own, associativity } = FIXITIES[text] ?? DEFAULT_FIXITY
    if (own < level || closesSection(reader)) return left
    reader.take()
    const right = parseOperation(reader, associativity === 'right' ? own : own + 1)
    left = apply({ kind: 'name', name: text, line }, left, right)
  }
}

/** Whether the operator is the last token before a parenthesis: `(x <)`. */
function closesSection(reader: TokenReader): boolean {
  const following = reader.following()
  return following?.kind === 'symbol' && following.text === ')'
}

function parseNegation(reader: TokenReader): Expression {
  const { line } = reader.take()
  return apply({ kind: 'name', name: 'negate', line }, parseApplication(reader))
}

function parseApplication(reader: TokenReader): Expression {
  const { kind, text } = reader.peek()
  if (kind === 'operator' && text === '\\') return parseLambda(reader)
  if (kind === 'variable') {
    if (text === 'let') return parseLet(reader)
    if (text === 'if') return parseConditional(reader)
    if (text === 'case') return parseCase(reader)
    if (text === 'do') return parseDo(reader)
  }
  let value = parseAtom(reader)
  while (beginsAtom(reader)) value = apply(value, parseAtom(reader))
  return reader.is('do', 'variable') ? apply(value, parseDo(reader)) : value
}

function beginsAtom(reader: TokenReader): boolean {
  const { kind, text } = reader.peek()
  if (kind === 'symbol') return text === '(' || text === '['
  if (kind === 'variable') return !KEYWORDS.has(text)
  return kind === 'constructor' || kind === 'string' || kind === 'number' || kind === 'quotation'
}

function parseLambda(reader: TokenReader): Expression {
  reader.expect('\\')
  const patterns: Pattern[] = []
  while (!reader.is('->')) patterns.push(parsePattern(reader))
  reader.expect('->')
  return { kind: 'lambda', patterns, body: parseExpression(reader) }
}

function parseLet(reader: TokenReader): Expression {
  reader.expect('let')
  const bindings = reader.block(() => parseBinding(reader))
  reader.crossBoundary('in')
  reader.expect('in')
  return { kind: 'let', bindings, body: parseExpression(reader) }
}

function parseConditional(reader: TokenReader): Expression {
  reader.expect('if')
  const condition = parseExpression(reader)
  reader.crossBoundary('then')
  reader.expect('then')
  const then = parseExpression(reader)
  reader.crossBoundary('else')
  reader.expect('else')
  return { kind: 'if', condition, then, otherwise: parseExpression(reader) }
}

function parseCase(reader: TokenReader): Expression {
  reader.expect('case')
  const subject = parseExpression(reader)
  reader.expect('of')
  const branches = reader.block((): Branch => {
    const pattern = parseAppliedPattern(reader)
    reader.expect('->')
    return { pattern, body: parseExpression(reader) }
  })
  return { kind: 'case', subject, branches }
}

function parseDo(reader: TokenReader): Expression {
  reader.expect('do')
  return { kind: 'do', statements: reader.block(() => parseStatement(reader)) }
}

function parseStatement(reader: TokenReader): Statement {
  if (reader.is('let', 'variable')) return parseLetStatement(reader)
  const start = reader.position
  try {
    const pattern = parseAppliedPattern(reader)
    reader.expect('<-')
    return { kind: 'bind', pattern, value: parseExpression(reader) }
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    reader.position = start
    return { kind: 'expression', value: parseExpression(reader) }
  }
}

function parseLetStatement(reader: TokenReader): Statement {
  const start = reader.position
  reader.expect('let')
  const bindings = reader.block(() => parseBinding(reader))
  if (!reader.is('in', 'variable')) return { kind: 'let', bindings }
  reader.position = start
  return { kind: 'expression', value: parseExpression(reader) }
}

function parseAtom(reader: TokenReader): Expression {
  let value = parseSimpleAtom(reader)
  while (reader.is('{', 'symbol')) value = { kind: 'record', base: value, fields: parseFields(reader) }
  return value
}

function parseFields(reader: TokenReader): Field[] {
  reader.expect('{')
  const fields: Field[] = []
  while (!reader.accepts('}')) {
    const { text: name } = reader.take()
    reader.expect('=')
    fields.push({ name, value: parseExpression(reader) })
    if (!reader.is('}')) reader.expect(',')
  }
  return fields
}

function parseSimpleAtom(reader: TokenReader): Expression {
  const { kind, text, line, quoter = '' } = reader.take()
  if (kind === 'string') return { kind: 'literal', value: text }
  if (kind === 'number') return { kind: 'literal', value: Number(text) }
  if (kind === 'quotation') return { kind: 'quotation', quoter, text }
  if (kind === 'constructor') return { kind: 'name', name: text, line }
  if (kind === 'variable' && !KEYWORDS.has(text)) return { kind: 'name', name: text, line }
  if (kind === 'symbol' && text === '[') return parseList(reader)
  if (kind === 'symbol' && text === '(') return parseParenthesis(reader)
  reader.position -= 1
  throw reader.unexpected()
}

function parseList(reader: TokenReader): Expression {
  if (reader.accepts(']')) return { kind: 'list', items: [] }
  const first = parseExpression(reader)
  if (reader.accepts('..')) {
    const to = parseExpression(reader)
    reader.expect(']')
    return { kind: 'range', from: first, to }
  }
  return { kind: 'list', items: parseItemsUntil(reader, ']', first) }
}

function parseItemsUntil(reader: TokenReader, end: string, first: Expression): Expression[] {
  const items = [first]
  while (!reader.accepts(end)) {
    reader.expect(',')
    items.push(parseExpression(reader))
  }
  return items
}

function parseParenthesis(reader: TokenReader): Expression {
  if (reader.accepts(')')) return { kind: 'tuple', items: [] }
  const { kind, text, line } = reader.peek()
  if (kind === 'operator' && !RESERVED_OPERATORS.has(text) && text !== '-') {
    const operator: Expression = { kind: 'name', name: reader.take().text, line }
    if (reader.accepts(')')) return operator
    const right = parseExpression(reader)
    reader.expect(')')
    const left: Pattern = { kind: 'name', name: '(left)' }
    return { kind: 'lambda', patterns: [left], body: apply(operator, { kind: 'name', name: left.name, line }, right) }
  }
  const first = parseExpression(reader)
  const following = reader.peek()
  if (following.kind === 'operator') {
    const operator: Expression = { kind: 'name', name: reader.take().text, line }
    reader.expect(')')
    return apply(operator, first)
  }
  const items = parseItemsUntil(reader, ')', first)
  return items.length === 1 ? first : { kind: 'tuple', items }
}

const apply = (callee: Expression, ...values: readonly Expression[]): Expression =>
  values.reduce<Expression>((fn, argument) => ({ kind: 'apply', callee: fn, argument }), callee)
