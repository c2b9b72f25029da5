export class TemplateError extends Error {
  override readonly name = 'TemplateError'
}

/** `dot` is the current value, `root` is `$`. */
export type Scope = { readonly dot: unknown; readonly root: unknown }

type Term =
  | { readonly kind: 'literal'; readonly value: unknown }
  | { readonly kind: 'field'; readonly from: 'dot' | 'root'; readonly path: readonly string[] }
  | { readonly kind: 'call'; readonly name: string; readonly args: readonly Term[] }
  | { readonly kind: 'pipeline'; readonly pipeline: Pipeline }

/** Each command passes its value to the next as its last argument. */
export type Pipeline = readonly Term[]

const TOKEN =
  /\s*(?:("(?:[^"\\]|\\.)*"|`[^`]*`)|(-?\d+(?:\.\d+)?)|(\$?(?:\.[A-Za-z_]\w*)+|\$|\.)|([A-Za-z_]\w*)|([()|]))/y

export function parsePipeline(source: string): Pipeline {
  const tokens = tokenize(source)
  const pipeline = readPipeline(tokens)
  if (tokens.length > 0) throw new TemplateError(`cannot read {{${source}}}`)
  return pipeline
}

function tokenize(source: string): string[] {
  const tokens: string[] = []
  const trimmed = source.trimEnd()
  TOKEN.lastIndex = 0
  while (TOKEN.lastIndex < trimmed.length) {
    const match = TOKEN.exec(trimmed)
    if (!match) throw new TemplateError(`cannot read {{${source}}}`)
    tokens.push(match[0].trimStart())
  }
  return tokens
}

function readPipeline(tokens: string[]): Pipeline {
  const commands = [readCommand(tokens)]
  while (tokens[0] === '|') {
    tokens.shift()
    commands.push(readCommand(tokens))
  }
  return commands
}

function readCommand(tokens: string[]): Term {
  const [first] = tokens
  if (first === undefined || first === ')' || first === '|') throw new TemplateError('an action is empty')
  const isCall = /^[A-Za-z_]\w*$/.test(first) && !Object.hasOwn(CONSTANTS, first)
  if (!isCall) return readTerm(tokens)
  tokens.shift()
  if (!Object.hasOwn(FUNCTIONS, first)) throw new TemplateError(`function "${first}" is not defined`)
  const args: Term[] = []
  while (tokens[0] !== undefined && tokens[0] !== '|' && tokens[0] !== ')') args.push(readTerm(tokens))
  return { kind: 'call', name: first, args }
}

function readTerm(tokens: string[]): Term {
  const token = tokens.shift() ?? ''
  if (token === '(') {
    const pipeline = readPipeline(tokens)
    if (tokens.shift() !== ')') throw new TemplateError('unclosed (')
    return { kind: 'pipeline', pipeline }
  }
  if (token.startsWith('"')) return { kind: 'literal', value: unquote(token) }
  if (token.startsWith('`')) return { kind: 'literal', value: token.slice(1, -1) }
  if (/^-?\d/.test(token)) return { kind: 'literal', value: Number(token) }
  if (Object.hasOwn(CONSTANTS, token)) return { kind: 'literal', value: CONSTANTS[token as keyof typeof CONSTANTS] }
  if (/^[$.]/.test(token)) {
    const path = token.replace(/^\$/, '').split('.').filter(Boolean)
    return { kind: 'field', from: token.startsWith('$') ? 'root' : 'dot', path }
  }
  throw new TemplateError(`unexpected "${token}"`)
}

function unquote(token: string): string {
  try {
    return JSON.parse(token)
  } catch {
    throw new TemplateError(`cannot read ${token}`)
  }
}

const CONSTANTS = { true: true, false: false, nil: null } as const

export function evaluate(pipeline: Pipeline, scope: Scope): unknown {
  let value: unknown
  pipeline.forEach((term, at) => {
    const piped = at > 0 ? [value] : []
    if (at > 0 && term.kind !== 'call') throw new TemplateError('only a function takes a piped value')
    value = evaluateTerm(term, scope, piped)
  })
  return value
}

function evaluateTerm(term: Term, scope: Scope, piped: readonly unknown[] = []): unknown {
  switch (term.kind) {
    case 'literal':
      return term.value
    case 'field':
      return term.path.reduce(member, term.from === 'root' ? scope.root : scope.dot)
    case 'pipeline':
      return evaluate(term.pipeline, scope)
    case 'call': {
      const args = [...term.args.map((arg) => evaluateTerm(arg, scope)), ...piped]
      return FUNCTIONS[term.name]?.(...args)
    }
  }
}

/** Own members only: a template must not reach a prototype. */
function member(value: unknown, name: unknown): unknown {
  if (typeof value !== 'object' || value === null) return undefined
  return Object.hasOwn(value, String(name)) ? (value as Record<string, unknown>)[String(name)] : undefined
}

export function isTruthy(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0
  if (typeof value === 'object' && value !== null) return Object.keys(value).length > 0
  return Boolean(value)
}

const compare = (a: unknown, b: unknown): number =>
  typeof a === 'number' && typeof b === 'number' ? a - b : String(a) < String(b) ? -1 : Number(String(a) > String(b))

const FUNCTIONS: Readonly<Record<string, (...args: unknown[]) => unknown>> = {
  and: (...args) => args.find((arg) => !isTruthy(arg)) ?? args.at(-1),
  or: (...args) => args.find(isTruthy) ?? args.at(-1),
  not: (arg) => !isTruthy(arg),
  eq: (first, ...others) => others.some((other) => first === other),
  ne: (a, b) => a !== b,
  lt: (a, b) => compare(a, b) < 0,
  le: (a, b) => compare(a, b) <= 0,
  gt: (a, b) => compare(a, b) > 0,
  ge: (a, b) => compare(a, b) >= 0,
  len: (value) => (typeof value === 'string' ? Buffer.byteLength(value) : Object.keys(value ?? {}).length),
  index: (value, ...path) => path.reduce(member, value),
  slice: (value, from, to) => String(value ?? '').slice(Number(from ?? 0), to === undefined ? undefined : Number(to)),
  print: (...args) => args.map(String).join(''),
  printf: (format, ...args) => String(format).replace(/%[svdq]/g, () => String(args.shift() ?? '')),
  urlquery: (...args) => encodeURIComponent(args.map(String).join('')).replaceAll('%20', '+'),
  html: (...args) => args.map(String).join(''),
}
