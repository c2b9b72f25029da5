/** Parser combinators with the error semantics of Haskell's Parsec: which alternative's failure is reported, where, and
 *  with which "expecting …" list. Clients see these texts in PGRST100, so they must equal PostgREST's. */

type Kind = 'unexpectedInput' | 'unexpected' | 'expected'
/** The text is only quoted when reported: most failures are followed by an alternative that succeeds. */
type Message = { readonly kind: Kind; readonly text: string }
export type ParseFailure = { readonly at: number; readonly messages: readonly Message[] }

type Reply<T> =
  | {
      readonly ok: true
      readonly consumed: boolean
      readonly value: T
      readonly at: number
      readonly failure: ParseFailure
    }
  | { readonly ok: false; readonly consumed: boolean; readonly failure: ParseFailure }

export type Parser<T> = (input: string, at: number) => Reply<T>

const unknown = (at: number): ParseFailure => ({ at, messages: [] })
const KIND_ORDER: Record<Kind, number> = { unexpectedInput: 0, unexpected: 1, expected: 2 }

/** The failure further in the input wins; at the same place their messages are joined. */
function merge(one: ParseFailure, other: ParseFailure): ParseFailure {
  if (other.messages.length === 0) return one.messages.length === 0 && other.at > one.at ? other : one
  if (one.messages.length === 0) return other
  if (one.at === other.at) return { at: one.at, messages: [...one.messages, ...other.messages] }
  return one.at > other.at ? one : other
}

export const succeed =
  <T>(value: T): Parser<T> =>
  (_input, at) => ({ ok: true, consumed: false, value, at, failure: unknown(at) })

export const fail: Parser<never> = (_input, at) => ({ ok: false, consumed: false, failure: unknown(at) })

export function chain<A, B>(first: Parser<A>, next: (value: A) => Parser<B>): Parser<B> {
  return (input, at) => {
    const one = first(input, at)
    if (!one.ok) return one
    const two = next(one.value)(input, one.at)
    if (two.consumed) return two
    const failure = one.failure.messages.length === 0 ? two.failure : merge(one.failure, two.failure)
    return { ...two, consumed: one.consumed, failure }
  }
}

export const map = <A, B>(parser: Parser<A>, change: (value: A) => B): Parser<B> =>
  chain(parser, (value) => succeed(change(value)))

export const after = <T>(before: Parser<unknown>, parser: Parser<T>): Parser<T> => chain(before, () => parser)

export const before = <T>(parser: Parser<T>, behind: Parser<unknown>): Parser<T> =>
  chain(parser, (value) => map(behind, () => value))

export const between = <T>(open: Parser<unknown>, parser: Parser<T>, close: Parser<unknown>): Parser<T> =>
  after(open, before(parser, close))

/** Tries the next alternative only if the previous one failed without consuming input. */
export function either<T>(...alternatives: readonly [Parser<T>, ...Parser<T>[]]): Parser<T> {
  return alternatives.reduce((one, other) => (input, at) => {
    const first = one(input, at)
    if (first.ok || first.consumed) return first
    const second = other(input, at)
    return second.consumed ? second : { ...second, failure: merge(first.failure, second.failure) }
  })
}

/** Treats a failure as if no input had been consumed, so that alternatives are tried. */
export const attempt =
  <T>(parser: Parser<T>): Parser<T> =>
  (input, at) => {
    const reply = parser(input, at)
    return reply.ok ? reply : { ...reply, consumed: false }
  }

/** Replaces the list of what was expected by one name. */
export const label =
  <T>(parser: Parser<T>, text: string): Parser<T> =>
  (input, at) => {
    const reply = parser(input, at)
    if (reply.consumed || (reply.ok && reply.failure.messages.length === 0)) return reply
    return { ...reply, failure: expecting(reply.failure, text) }
  }

const expecting = ({ at, messages }: ParseFailure, text: string): ParseFailure => ({
  at,
  messages: [{ kind: 'expected', text }, ...messages.filter(({ kind }) => kind !== 'expected')],
})

export const lookAhead =
  <T>(parser: Parser<T>): Parser<T> =>
  (input, at) => {
    const reply = parser(input, at)
    return reply.ok ? { ok: true, consumed: false, value: reply.value, at, failure: unknown(at) } : reply
  }

export function many<T>(parser: Parser<T>): Parser<T[]> {
  return (input, start) => {
    const values: T[] = []
    let at = start
    for (;;) {
      const reply = parser(input, at)
      if (!reply.ok) {
        if (reply.consumed) return reply
        return { ok: true, consumed: values.length > 0, value: values, at, failure: reply.failure }
      }
      values.push(reply.value)
      at = reply.at
    }
  }
}

export const many1 = <T>(parser: Parser<T>): Parser<T[]> =>
  chain(parser, (first) => map(many(parser), (rest) => [first, ...rest]))

export const separated1 = <T>(parser: Parser<T>, separator: Parser<unknown>): Parser<T[]> =>
  chain(parser, (first) => map(many(after(separator, parser)), (rest) => [first, ...rest]))

export const separated = <T>(parser: Parser<T>, separator: Parser<unknown>): Parser<T[]> =>
  either(separated1(parser, separator), succeed<T[]>([]))

export const optional = <T, D>(parser: Parser<T>, otherwise: D): Parser<T | D> =>
  either<T | D>(parser, succeed(otherwise))

function satisfy(accepts: (character: string) => boolean): Parser<string> {
  return (input, at) => {
    const character = characterAt(input, at)
    if (character === '' || !accepts(character))
      return { ok: false, consumed: false, failure: unexpectedInput(at, character) }
    const end = at + character.length
    return { ok: true, consumed: true, value: character, at: end, failure: unknown(end) }
  }
}

const characterAt = (input: string, at: number): string => {
  const code = input.codePointAt(at)
  return code === undefined ? '' : String.fromCodePoint(code)
}

const unexpectedInput = (at: number, character: string): ParseFailure => ({
  at,
  messages: [{ kind: 'unexpectedInput', text: character }],
})

export const anyCharacter: Parser<string> = satisfy(() => true)
export const oneOf = (characters: string): Parser<string> => satisfy((character) => characters.includes(character))
export const noneOf = (characters: string): Parser<string> => satisfy((character) => !characters.includes(character))
export const letter: Parser<string> = label(
  satisfy((character) => /^\p{L}$/u.test(character)),
  'letter',
)
export const digit: Parser<string> = label(
  satisfy((character) => character >= '0' && character <= '9'),
  'digit',
)
export const character = (wanted: string): Parser<string> =>
  label(
    satisfy((found) => found === wanted),
    quoteString(wanted),
  )

/** Parses a fixed text. Failures are reported at its beginning, and count as consumed if the first character matched. */
export function text(wanted: string): Parser<string> {
  const expected: Message = { kind: 'expected', text: quoteString(wanted) }
  return (input, at) => {
    if (input.startsWith(wanted, at)) {
      const end = at + wanted.length
      return { ok: true, consumed: true, value: wanted, at: end, failure: unknown(end) }
    }
    let matched = 0
    while (input[at + matched] !== undefined && input[at + matched] === wanted[matched]) matched++
    const character = characterAt(input, at + matched)
    const unexpected: Message = { kind: 'unexpectedInput', text: character }
    return { ok: false, consumed: matched > 0, failure: { at, messages: [expected, unexpected] } }
  }
}

export function notFollowedBy(parser: Parser<string>): Parser<undefined> {
  return (input, at) => {
    const reply = parser(input, at)
    if (!reply.ok) return { ok: true, consumed: false, value: undefined, at, failure: reply.failure }
    return {
      ok: false,
      consumed: false,
      failure: { at: reply.at, messages: [{ kind: 'unexpected', text: quoteCharacter(reply.value) }] },
    }
  }
}

export const end: Parser<undefined> = label((input, at) => {
  if (at >= input.length) return { ok: true, consumed: false, value: undefined, at, failure: unexpectedInput(at, '') }
  const quote = quoteCharacter(characterAt(input, at))
  return { ok: false, consumed: false, failure: { at, messages: [{ kind: 'unexpected', text: quote }] } }
}, 'end of input')

export const rest: Parser<string> = (input, at) => ({
  ok: true,
  consumed: at < input.length,
  value: input.slice(at),
  at: input.length,
  failure: unexpectedInput(input.length, ''),
})

export type Parsed<T> =
  | { readonly value: T }
  | { readonly error: { readonly message: string; readonly details: string } }

/** @param source The input's name in the error message. */
export function parse<T>(parser: Parser<T>, source: string, input: string): Parsed<T> {
  const reply = parser(input, 0)
  if (reply.ok) return { value: reply.value }
  const { line, column } = position(input, reply.failure.at)
  return {
    error: { message: `"${source}" (line ${line}, column ${column})`, details: listMessages(reply.failure.messages) },
  }
}

const TAB = 8

function position(input: string, at: number): { line: number; column: number } {
  let line = 1
  let column = 1
  for (const found of input.slice(0, at)) {
    if (found === '\n') {
      line++
      column = 1
    } else column += found === '\t' ? TAB - ((column - 1) % TAB) : 1
  }
  return { line, column }
}

function listMessages(messages: readonly Message[]): string {
  if (messages.length === 0) return 'unknown parse error'
  const sorted = [...messages].sort((one, other) => KIND_ORDER[one.kind] - KIND_ORDER[other.kind])
  const textsOf = (kind: Kind): string[] =>
    sorted.filter((message) => message.kind === kind).map((message) => message.text)
  const [firstInput] = textsOf('unexpectedInput')
  const unexpected = textsOf('unexpected')
  const parts: string[] = []
  if (unexpected.length === 0 && firstInput !== undefined)
    parts.push(`unexpected ${firstInput === '' ? 'end of input' : quoteString(firstInput)}`)
  const named = alternatives(unexpected)
  if (named) parts.push(`unexpected ${named}`)
  const expected = alternatives(textsOf('expected'))
  if (expected) parts.push(`expecting ${expected}`)
  return parts.join(' ').trim()
}

function alternatives(texts: readonly string[]): string {
  const distinct = [...new Set(texts.filter(Boolean))]
  const last = distinct.pop()
  if (last === undefined) return ''
  return distinct.length === 0 ? last : `${distinct.join(', ')} or ${last}`
}

const NAMED_CONTROLS: Readonly<Record<string, string>> = {
  '\n': '\\n',
  '\t': '\\t',
  '\r': '\\r',
  '\f': '\\f',
  '\v': '\\v',
  '\b': '\\b',
  '\x07': '\\a',
  '\x7f': '\\DEL',
  '\0': '\\NUL',
}

const escaped = (found: string, quote: string): string => {
  if (found === quote || found === '\\') return `\\${found}`
  const code = found.codePointAt(0) ?? 0
  return NAMED_CONTROLS[found] ?? (code < 32 || code > 126 ? `\\${code}` : found)
}

const quoteCharacter = (found: string): string => `'${escaped(found, "'")}'`
const quoteString = (found: string): string => `"${[...found].map((one) => escaped(one, '"')).join('')}"`
