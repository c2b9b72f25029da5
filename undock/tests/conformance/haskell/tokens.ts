type TokenKind =
  | 'variable'
  | 'constructor'
  | 'operator'
  | 'symbol'
  | 'string'
  | 'number'
  | 'quotation'
  /** The end of an item or block closed by indentation. */
  | 'boundary'

export type Token = {
  readonly kind: TokenKind
  /** The name, operator or content of a literal. A qualified name omits its module. */
  readonly text: string
  /** The quasi-quoter of a quotation, `json` in `[json| … |]`. */
  readonly quoter?: string
  readonly line: number
  /** Starts at 1, like in the layout rule. */
  readonly column: number
  readonly isFirstOfLine: boolean
}

const SPACE = /(?:\s+|--+(?![!#$%&*+./<=>?@\\^|~:])[^\n]*|\{-[\s\S]*?-\})+/uy
const QUOTATION = /\[(\w+)\|([\s\S]*?)\|\]/uy
const STRING = /"((?:\\\s+\\|\\.|[^"\\])*)"/uy
const CHARACTER = /'(\\.|[^'\\])'/uy
const NUMBER = /\d[\d_]*(?:\.\d+)?/uy
const NAME = /(?:[A-Z][\w']*\.)*([\p{L}_][\p{L}\p{N}_']*)/uy
const BACKTICKS = /`(?:[A-Z][\w']*\.)*([\w']+)`/uy
const OPERATOR = /(?:[A-Z][\w']*\.)?([!#$%&*+./<=>?@\\^|~:-]+)/uy
const SYMBOL = /[()[\]{},;]/uy

/** Splits a Haskell module into tokens. @throws at a character that can't start one */
export function tokenize(source: string): Token[] {
  const tokens: Token[] = []
  let position = 0
  let line = 1
  let lineStart = 0
  let lastLine = 0
  const match = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = position
    return pattern.exec(source)
  }
  const advance = (text: string): void => {
    for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) {
      line += 1
      lineStart = position + at + 1
    }
    position += text.length
  }
  while (position < source.length) {
    const space = match(SPACE)
    if (space) {
      advance(space[0])
      continue
    }
    const place = { line, column: position - lineStart + 1, isFirstOfLine: line !== lastLine }
    lastLine = line
    const [text, token] = next(match) ?? []
    if (text === undefined || token === undefined)
      throw new Error(`Line ${line}: unknown character ${source[position]}`)
    tokens.push({ ...token, ...place })
    advance(text)
    lastLine = line
  }
  return tokens
}

type Matched = readonly [text: string, token: Pick<Token, 'kind' | 'text' | 'quoter'>]

function next(match: (pattern: RegExp) => RegExpExecArray | null): Matched | null {
  const quotation = match(QUOTATION)
  if (quotation) return [quotation[0], { kind: 'quotation', quoter: quotation[1] ?? '', text: quotation[2] ?? '' }]
  const string = match(STRING)
  if (string) return [string[0], { kind: 'string', text: readEscapes(string[1] ?? '') }]
  const character = match(CHARACTER)
  if (character) return [character[0], { kind: 'string', text: readEscapes(character[1] ?? '') }]
  const number = match(NUMBER)
  if (number) return [number[0], { kind: 'number', text: number[0].replaceAll('_', '') }]
  const name = match(NAME)
  if (name) {
    const bare = name[1] ?? ''
    return [name[0], { kind: /^\p{Lu}/u.test(bare) ? 'constructor' : 'variable', text: bare }]
  }
  const backticks = match(BACKTICKS)
  if (backticks) return [backticks[0], { kind: 'operator', text: backticks[1] ?? '' }]
  const operator = match(OPERATOR)
  if (operator) return [operator[0], { kind: 'operator', text: operator[1] ?? '' }]
  const symbol = match(SYMBOL)
  return symbol && [symbol[0], { kind: 'symbol', text: symbol[0] }]
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', SOH: '\x01' }

const readEscapes = (text: string): string =>
  text.replace(/\\(?:\s+\\|(\d+)|x([\da-fA-F]+)|(SOH|.))/g, (_all, decimal?: string, hex?: string, one?: string) => {
    if (decimal !== undefined) return String.fromCodePoint(Number(decimal))
    if (hex !== undefined) return String.fromCodePoint(Number.parseInt(hex, 16))
    if (one === undefined || one === '&') return ''
    return ESCAPES[one] ?? one
  })
