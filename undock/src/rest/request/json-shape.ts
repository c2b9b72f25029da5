/** Column names in a body: a table has at most 1,600 columns. */
export const MAX_COLUMN_NAMES = 1_700

/** Open brackets in a body: Postgres parses JSON recursively and runs out of stack beyond about 10,000 levels. */
export const MAX_JSON_DEPTH = 10_000

/** Bytes of a CSV header line: a column's name has at most 63. */
export const MAX_CSV_HEADER = 256 * 1024

/** JSON made from CSV repeats the names in each row, so it may be this many times larger than the body limit. */
export const CSV_GROWTH = 4

/** Bytes and fields of a form, which becomes an object with a member per field. */
export const FORM_LIMIT = 1024 * 1024
export const MAX_FORM_FIELDS = 2_000

const code = (character: string): number => character.charCodeAt(0)
const QUOTE = code('"')
const BACKSLASH = code('\\')
const COMMA = code(',')
const COLON = code(':')
const OPEN_LIST = code('[')
const CLOSE_LIST = code(']')
const OPEN_OBJECT = code('{')
const CLOSE_OBJECT = code('}')
const MINUS = code('-')
const PLUS = code('+')
const DOT = code('.')
const ZERO = code('0')
const NINE = code('9')
const LOWER_U = code('u')
const ESCAPED = new Set(Buffer.from('"\\/bfnrt'))
const EXPONENT = new Set(Buffer.from('eE'))
const WHITE_SPACE = new Set(Buffer.from(' \t\n\r'))

const VALUE = 0
const ITEM_OR_END = 1
const NAME_OR_END = 2
const NAME = 3
const AFTER_NAME = 4
const AFTER_VALUE = 5
const STRING = 6
const ESCAPE = 7
const HEX = 8
const LITERAL = 9
const NUMBER_SIGN = 10
const NUMBER_ZERO = 11
const NUMBER_WHOLE = 12
const NUMBER_DOT = 13
const NUMBER_FRACTION = 14
const NUMBER_E = 15
const NUMBER_E_SIGN = 16
const NUMBER_EXPONENT = 17

export type JsonFault = 'invalid' | 'too deep'

/** Validates JSON as it arrives (RFC 8259) and finds what an insert needs to know: whether it's an object or a list of
 *  objects, and their names. Reads each byte once and keeps only the first object's names. */
export class JsonShape {
  fault: JsonFault | null = null
  /** Kind of the outermost value; a string, number, boolean or null is a `scalar`. */
  root: 'object' | 'list' | 'scalar' | null = null
  /** Whether an item of the list isn't an object, or has other names than the first one. */
  isUneven = false
  readonly #names = new Map<string, number>()
  /** The first object's names as written, in order. */
  readonly #written: Buffer[] = []
  #seenIn = new Uint32Array(MAX_COLUMN_NAMES)
  #rows = 0
  #namesInRow = 0
  #distinctInRow = 0
  #nameStart = 0
  #hasEscape = false
  #isName = false
  #state = VALUE
  #depth = 0
  readonly #isObject = new Uint8Array(MAX_JSON_DEPTH + 1)
  #literal: Buffer = TRUE
  #literalAt = 0
  #hexLeft = 0

  get names(): Iterable<string> {
    return this.#names.keys()
  }

  /** Continues reading. @param text All of the text so far; the bytes before `from` were read before. */
  read(text: Buffer, from: number, to: number): void {
    let state = this.#state
    for (let at = from; at < to && this.fault === null; at += 1) {
      const byte = text[at] as number
      switch (state) {
        case STRING: {
          let end = at
          while (end < to && isPlain(text[end] as number)) end += 1
          at = end
          if (end === to) break
          if (text[end] === BACKSLASH) {
            this.#hasEscape = true
            state = ESCAPE
          } else if (text[end] === QUOTE) {
            if (this.#isName) this.#endName(text, end)
            state = this.#isName ? AFTER_NAME : AFTER_VALUE
          } else this.fault = 'invalid'
          break
        }
        case ESCAPE:
          if (byte === LOWER_U) {
            this.#hexLeft = 4
            state = HEX
          } else if (ESCAPED.has(byte)) state = STRING
          else this.fault = 'invalid'
          break
        case HEX:
          if (!isHex(byte)) this.fault = 'invalid'
          this.#hexLeft -= 1
          if (this.#hexLeft === 0) state = STRING
          break
        case LITERAL:
          if (byte !== this.#literal[this.#literalAt]) this.fault = 'invalid'
          this.#literalAt += 1
          if (this.#literalAt === this.#literal.length) state = AFTER_VALUE
          break
        case NUMBER_SIGN:
          if (byte === ZERO) state = NUMBER_ZERO
          else if (isDigit(byte)) state = NUMBER_WHOLE
          else this.fault = 'invalid'
          break
        case NUMBER_DOT:
          if (isDigit(byte)) state = NUMBER_FRACTION
          else this.fault = 'invalid'
          break
        case NUMBER_E:
          if (isDigit(byte)) state = NUMBER_EXPONENT
          else if (byte === PLUS || byte === MINUS) state = NUMBER_E_SIGN
          else this.fault = 'invalid'
          break
        case NUMBER_E_SIGN:
          if (isDigit(byte)) state = NUMBER_EXPONENT
          else this.fault = 'invalid'
          break
        case NUMBER_ZERO:
        case NUMBER_WHOLE:
        case NUMBER_FRACTION:
        case NUMBER_EXPONENT:
          if (isDigit(byte) && state !== NUMBER_ZERO) break
          if (byte === DOT && state <= NUMBER_WHOLE) state = NUMBER_DOT
          else if (EXPONENT.has(byte) && state !== NUMBER_EXPONENT) state = NUMBER_E
          else {
            // A number has no terminator: this byte is already the next token.
            state = AFTER_VALUE
            at -= 1
          }
          break
        default:
          if (WHITE_SPACE.has(byte)) break
          state = this.#step(state, byte, at)
      }
    }
    this.#state = state
  }

  end(): void {
    const isComplete = this.#depth === 0 && ENDS.has(this.#state)
    if (this.fault === null && (!isComplete || this.root === null)) this.fault = 'invalid'
  }

  /** Reads one byte between values. @returns the next state. */
  #step(state: number, byte: number, at: number): number {
    switch (state) {
      case AFTER_NAME:
        if (byte === COLON) return VALUE
        break
      case NAME_OR_END:
      case NAME:
        if (byte === QUOTE) return this.#beginString(at, true)
        if (state === NAME_OR_END && byte === CLOSE_OBJECT) return this.#close()
        break
      case AFTER_VALUE: {
        const inObject = this.#isObject[this.#depth] === 1
        if (this.#depth === 0) break
        if (byte === COMMA) return inObject ? NAME : VALUE
        if (byte === (inObject ? CLOSE_OBJECT : CLOSE_LIST)) return this.#close()
        break
      }
      default:
        if (state === ITEM_OR_END && byte === CLOSE_LIST) return this.#close()
        return this.#beginValue(byte, at)
    }
    this.fault = 'invalid'
    return state
  }

  #beginValue(byte: number, at: number): number {
    this.root ??= byte === OPEN_OBJECT ? 'object' : byte === OPEN_LIST ? 'list' : 'scalar'
    if (this.#depth === 1 && this.root === 'list' && byte !== OPEN_OBJECT) this.isUneven = true
    if (byte === QUOTE) return this.#beginString(at, false)
    if (byte === OPEN_OBJECT || byte === OPEN_LIST) return this.#open(byte === OPEN_OBJECT)
    if (byte === MINUS) return NUMBER_SIGN
    if (byte === ZERO) return NUMBER_ZERO
    if (isDigit(byte)) return NUMBER_WHOLE
    const literal = LITERALS.get(byte)
    if (literal) {
      this.#literal = literal
      this.#literalAt = 1
      return LITERAL
    }
    this.fault = 'invalid'
    return VALUE
  }

  #beginString(at: number, isName: boolean): number {
    this.#nameStart = at + 1
    this.#hasEscape = false
    this.#isName = isName
    return STRING
  }

  #open(isObject: boolean): number {
    if (this.#depth === MAX_JSON_DEPTH) {
      this.fault = 'too deep'
      return VALUE
    }
    this.#depth += 1
    this.#isObject[this.#depth] = isObject ? 1 : 0
    if (isObject && this.#isRow()) {
      this.#rows += 1
      this.#namesInRow = 0
      this.#distinctInRow = 0
    }
    return isObject ? NAME_OR_END : ITEM_OR_END
  }

  #close(): number {
    if (this.#isObject[this.#depth] === 1 && this.#isRow() && this.#distinctInRow !== this.#names.size)
      this.isUneven = true
    this.#depth -= 1
    return AFTER_VALUE
  }

  #isRow(): boolean {
    return this.#depth === (this.root === 'list' ? 2 : 1)
  }

  #endName(text: Buffer, end: number): void {
    if (!this.#isRow() || this.isUneven) return
    const index = this.#indexOf(text, this.#nameStart, end)
    this.#namesInRow += 1
    if (index === null) {
      this.isUneven = this.#rows > 1 && this.#names.size < MAX_COLUMN_NAMES
      return
    }
    if (this.#seenIn[index] !== this.#rows) this.#distinctInRow += 1
    this.#seenIn[index] = this.#rows
  }

  #indexOf(text: Buffer, start: number, end: number): number | null {
    // Rows mostly have the same order of names, so compare bytes before decoding them.
    const expected = this.#rows > 1 ? this.#written[this.#namesInRow] : undefined
    if (expected && isSame(text, start, end, expected)) return this.#namesInRow
    const name = nameOf(text, start, end, this.#hasEscape)
    const known = this.#names.get(name)
    if (known !== undefined) return known
    if (this.#rows > 1 || this.#names.size === MAX_COLUMN_NAMES) return null
    this.#names.set(name, this.#names.size)
    this.#written.push(Buffer.from(text.subarray(start, end)))
    return this.#names.size - 1
  }
}

function isSame(text: Buffer, start: number, end: number, expected: Buffer): boolean {
  if (end - start !== expected.length) return false
  for (let at = 0; at < expected.length; at += 1) if (text[start + at] !== expected[at]) return false
  return true
}

function nameOf(text: Buffer, start: number, end: number, hasEscape: boolean): string {
  const name = text.toString('utf8', start, end)
  return hasEscape ? (JSON.parse(`"${name}"`) as string) : name
}

const [TRUE, FALSE, NULL] = ['true', 'false', 'null'].map((text) => Buffer.from(text)) as [Buffer, Buffer, Buffer]
const LITERALS = new Map([TRUE, FALSE, NULL].map((literal) => [literal[0], literal]))
const ENDS = new Set([AFTER_VALUE, NUMBER_ZERO, NUMBER_WHOLE, NUMBER_FRACTION, NUMBER_EXPONENT])

const isPlain = (byte: number): boolean => byte !== QUOTE && byte !== BACKSLASH && byte >= 0x20
const isDigit = (byte: number): boolean => byte >= ZERO && byte <= NINE
const isHex = (byte: number): boolean =>
  isDigit(byte) || (byte >= 0x41 && byte <= 0x46) || (byte >= 0x61 && byte <= 0x66)
