/** A lower-case word, quoted name, string, number or other symbol, with its place in the text. */
export type Token = {
  readonly kind: 'word' | 'quoted' | 'string' | 'number' | 'sign'
  readonly text: string
  readonly start: number
  readonly end: number
}

const SKIPPED = /(?:\s+|--[^\r\n]*|\/\*(?:(?!\/\*)[\s\S])*?\*\/)+/y
const WORD = /[\p{L}_][\p{L}\p{N}_$]*/uy
const QUOTED = /"((?:[^"\0]|"")+)"/y
const STRING = /'((?:[^']|'')*)'/y
const ESCAPED = /[eE]'((?:[^'\\]|''|\\['\\])*)'/y
const DOLLARS = /\$([\p{L}_][\p{L}\p{N}_]*)?\$([\s\S]*?)\$\1\$/uy
const NUMBER = /[+-]?\d+(?:\.\d+)?/y

/** Splits a statement into tokens, by Postgres' rules for their plain forms.
 *  @returns null for anything else, such as nested comments or several statements. */
export function readTokens(text: string): Token[] | null {
  const tokens: Token[] = []
  let at = 0
  const match = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at
    return pattern.exec(text)
  }
  const add = (kind: Token['kind'], found: RegExpExecArray, value: string): void => {
    tokens.push({ kind, text: value, start: at, end: at + found[0].length })
    at += found[0].length
  }
  while (at < text.length) {
    const skipped = match(SKIPPED)
    if (skipped) {
      at += skipped[0].length
      continue
    }
    const escaped = match(ESCAPED)
    const dollars = match(DOLLARS)
    const found = match(QUOTED)
    const string = match(STRING)
    const number = match(NUMBER)
    const word = match(WORD)
    if (escaped) add('string', escaped, (escaped[1] ?? '').replaceAll("''", "'").replaceAll(/\\(['\\])/g, '$1'))
    else if (dollars) add('string', dollars, dollars[2] ?? '')
    else if (found) add('quoted', found, (found[1] ?? '').replaceAll('""', '"'))
    else if (string) add('string', string, (string[1] ?? '').replaceAll("''", "'"))
    else if (number) add('number', number, number[0])
    // `U&"…"` and `n'…'` look like plain tokens but aren't.
    else if (word && /^['"&]/.test(text.slice(at + word[0].length))) return null
    else if (word) add('word', word, word[0].toLowerCase())
    else if (/[(),.=*<>:[\]+-]/.test(text[at] as string)) {
      tokens.push({ kind: 'sign', text: text[at] as string, start: at, end: at + 1 })
      at += 1
    } else return null
  }
  return tokens
}

/** A publication's schemas (null is the current schema), and the text of its tables. */
export type PublicationObjects = { readonly schemas: (string | null)[]; readonly tables: string }

/** Reads tokens one after another; a method that doesn't find what it looks for consumes nothing. */
export class StatementReader {
  readonly #text: string
  readonly #tokens: readonly Token[]
  #at = 0

  constructor(text: string, tokens: readonly Token[]) {
    this.#text = text
    this.#tokens = tokens
  }

  get isDone(): boolean {
    return this.#at === this.#tokens.length
  }

  words(...words: readonly string[]): boolean {
    return this.#take('word', words)
  }

  symbols(...signs: readonly string[]): boolean {
    return this.#take('sign', signs)
  }

  name(): string | null {
    return this.#one('word', 'quoted')
  }

  string(): string | null {
    return this.#one('string')
  }

  value(): string | null {
    return this.#one('string', 'word', 'quoted', 'number')
  }

  path(): string | null {
    const parts = this.#separated('.', () => this.name())
    return parts === null ? null : parts.map((part) => `"${part.replaceAll('"', '""')}"`).join('.')
  }

  parameter(): string | null {
    return this.#separated('.', () => this.name())?.join('.') ?? null
  }

  list(one: () => string | null): string[] | null {
    if (!this.symbols('(')) return null
    const values = this.#separated(',', one)
    return values && this.symbols(')') ? values : null
  }

  #separated(separator: string, one: () => string | null): string[] | null {
    const values: string[] = []
    do {
      const value = one()
      if (value === null) return null
      values.push(value)
    } while (this.symbols(separator))
    return values
  }

  /** Reads `name = value`; a name alone means `true`. */
  assignment(): string | null {
    const name = this.name()
    if (name === null || name.includes('=')) return null
    if (!this.symbols('=')) return `${name}=true`
    const value = this.value()
    return value === null ? null : `${name}=${value}`
  }

  option(): string | null {
    const name = this.name()
    const value = this.string()
    return name === null || value === null || name.includes('=') ? null : `${name}=${value}`
  }

  /** Reads `table a (x) where (…), tables in schema b, c`, up to `with` or the end. */
  publicationObjects(): PublicationObjects | null {
    const schemas: (string | null)[] = []
    const tables: string[] = []
    let isSchemas = false
    do {
      if (this.words('tables', 'in', 'schema')) isSchemas = true
      else if (this.#peek('word') === 'table') isSchemas = false
      else if (schemas.length + tables.length === 0) return null
      if (isSchemas) {
        const name = this.words('current_schema') ? undefined : this.name()
        if (name === null) return null
        schemas.push(name ?? null)
      } else {
        const start = this.#tokens[this.#at]?.start ?? 0
        if (!this.#skipObject()) return null
        tables.push(this.#text.slice(start, this.#tokens[this.#at - 1]?.end))
      }
    } while (this.symbols(','))
    return { schemas, tables: tables.join(', ') }
  }

  rest(): string {
    const start = this.#tokens[this.#at]?.start ?? this.#text.length
    this.#at = this.#tokens.length
    return this.#text.slice(start)
  }

  /** Skips to a comma, `with` or the end, outside parentheses. */
  #skipObject(): boolean {
    const from = this.#at
    for (let depth = 0; !this.isDone; this.#at += 1) {
      const { kind, text } = this.#tokens[this.#at] as Token
      if (depth === 0 && ((kind === 'sign' && text === ',') || (kind === 'word' && text === 'with'))) break
      if (kind === 'sign' && text === '(') depth += 1
      if (kind === 'sign' && text === ')') depth -= 1
    }
    return this.#at > from
  }

  #peek(kind: Token['kind']): string | null {
    const token = this.#tokens[this.#at]
    return token?.kind === kind ? token.text : null
  }

  #take(kind: Token['kind'], texts: readonly string[]): boolean {
    const are = texts.every((text, index) => {
      const token = this.#tokens[this.#at + index]
      return token?.kind === kind && token.text === text
    })
    if (are) this.#at += texts.length
    return are
  }

  #one(...kinds: readonly Token['kind'][]): string | null {
    const token = this.#tokens[this.#at]
    if (!token || !kinds.includes(token.kind)) return null
    this.#at += 1
    return token.text
  }
}
