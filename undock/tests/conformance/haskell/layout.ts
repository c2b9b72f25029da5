import type { Token } from './tokens.ts'

/** These end an expression. */
export const RESERVED_OPERATORS = new Set(['=', '->', '<-', '|', '::', '\\', '..'])

/** Reads tokens one by one and implements the layout rule: in an open block, a token that starts a line in or left of the block's
 *  column is read as a boundary. */
export class TokenReader {
  /** The index of the next token; resetting it rereads tokens. */
  position = 0
  readonly #tokens: readonly Token[]
  /** The column of the innermost open block. */
  #indent = 1
  /** The token that starts the block's current item, which is not a boundary. */
  #itemStart = 0

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens
  }

  get isAtEnd(): boolean {
    return this.position >= this.#tokens.length
  }

  peek(): Token {
    const token = this.#tokens[this.position]
    if (!token) return END
    return token.isFirstOfLine && token.column <= this.#indent && this.position !== this.#itemStart
      ? { ...END, line: token.line }
      : token
  }

  is(text: string, kind?: Token['kind']): boolean {
    const token = this.peek()
    return token.text === text && token.kind !== 'string' && (kind === undefined || token.kind === kind)
  }

  take(): Token {
    const token = this.peek()
    if (token.kind === 'boundary') throw this.unexpected()
    this.position += 1
    return token
  }

  expect(text: string): void {
    if (!this.is(text)) throw this.unexpected(text)
    this.take()
  }

  accepts(text: string): boolean {
    if (!this.is(text)) return false
    this.take()
    return true
  }

  /** The token after the next, whatever the layout. */
  following(): Token | undefined {
    return this.#tokens[this.position + 1]
  }

  unexpected(wanted?: string): SyntaxError {
    const { text, line } = this.#tokens[this.position] ?? { text: 'the end', line: this.#tokens.at(-1)?.line }
    return new SyntaxError(`line ${line}: unexpected ${text}${wanted === undefined ? '' : ` instead of ${wanted}`}`)
  }

  /** Items that all start in the column of the first. */
  block<Item>(parseItem: () => Item): Item[] {
    const first = this.#tokens[this.position]
    if (!first) return []
    const [outerIndent, outerStart] = [this.#indent, this.#itemStart]
    const items: Item[] = []
    if (first.column > outerIndent || first.line === this.#tokens[this.position - 1]?.line) {
      this.#indent = first.column
      for (let token: Token | undefined = first; token; token = this.#tokens[this.position]) {
        if (token !== first && !(token.isFirstOfLine && token.column === this.#indent)) break
        // An operator can't start an item: it closes the block and applies to all of it.
        if (token.kind === 'operator' && token.text !== '!' && !RESERVED_OPERATORS.has(token.text)) break
        this.#itemStart = this.position
        items.push(parseItem())
      }
    }
    this.#indent = outerIndent
    this.#itemStart = outerStart
    return items
  }

  /** `in`, `then` and `else` may be in the column of the enclosing block. */
  crossBoundary(keyword: string): void {
    const token = this.#tokens[this.position]
    if (token?.text === keyword && token.kind === 'variable' && token.column >= this.#indent)
      this.#itemStart = this.position
  }
}

const END: Token = { kind: 'boundary', text: '', line: 0, column: 0, isFirstOfLine: false }
