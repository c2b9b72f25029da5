import { GrowingBuffer } from './growing-buffer.ts'
import { MAX_COLUMN_NAMES, MAX_CSV_HEADER } from './json-shape.ts'

const QUOTE = 0x22
const COMMA = 0x2c
const NEWLINE = 0x0a
const RETURN = 0x0d
const BACKSLASH = 0x5c
const OPEN_LIST = 0x5b
const CLOSE_LIST = 0x5d
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d

const FIELD_START = 0
const PLAIN = 1
const QUOTED = 2
/** After a quote in a quoted field: it ends the field, or is the first of two. */
const QUOTE_SEEN = 3

const NULL = Buffer.from('NULL')
const JSON_NULL = Buffer.from('null')

export type CsvFault = 'not enough input' | 'unexpected text after a quoted field' | 'too many names' | 'uneven rows'

/** Converts CSV (RFC 4180: quoted fields, doubled quotes, LF or CRLF; blank lines are skipped) to a JSON list of
 *  objects as it arrives. The first line has the names; `NULL` is null, everything else a string; extra fields are
 *  ignored. Reads each byte once and keeps only what it writes. */
export class CsvRows {
  fault: CsvFault | null = null
  readonly #json: GrowingBuffer
  #header: number[] = []
  #names: string[] | null = null
  /** The text before each value: `"a":"`, then `,"b":"`. */
  #prefixes: Buffer[] = []
  #rows = 0
  #state = FIELD_START
  #fields = 0
  #lineStart = 1
  #fieldStart = 1
  #isAfterReturn = false

  constructor(limit: number) {
    this.#json = new GrowingBuffer(limit)
    this.#json.byte(OPEN_LIST)
  }

  /** The names in the header; none if no line follows it. */
  get names(): readonly string[] {
    return this.#rows === 0 ? [] : (this.#names ?? [])
  }

  /** @throws {BodyTooLargeError} when the JSON exceeds its limit. */
  read(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length && this.fault === null; at += 1) {
      const byte = bytes[at] as number
      const isSecondOfTwo = this.#isAfterReturn && byte === NEWLINE
      this.#isAfterReturn = false
      if (!isSecondOfTwo) this.#take(byte)
    }
  }

  end(): Buffer {
    if (this.#state === QUOTED) this.fault ??= 'not enough input'
    if (this.fault === null) this.#endLine()
    if (this.#names === null) this.fault ??= 'not enough input'
    // The last line break began a line that never came.
    if (this.#names !== null) this.#json.length = this.#lineStart
    this.#json.byte(CLOSE_LIST)
    return this.#json.toBuffer()
  }

  #take(byte: number): void {
    const isInside = this.#state === QUOTED
    if (this.#state === FIELD_START) {
      this.#state = byte === QUOTE ? QUOTED : PLAIN
      if (byte === QUOTE) return
    }
    if (isInside) {
      if (byte === QUOTE) this.#state = QUOTE_SEEN
      else this.#write(byte)
    } else if (byte === COMMA) {
      this.#endField()
      this.#beginField()
    } else if (byte === NEWLINE || byte === RETURN) {
      this.#isAfterReturn = byte === RETURN
      this.#endLine()
    } else if (this.#state === PLAIN) this.#write(byte)
    else if (byte === QUOTE) {
      this.#state = QUOTED
      this.#write(byte)
    } else this.fault = 'unexpected text after a quoted field'
  }

  #write(byte: number): void {
    if (this.#names === null) {
      this.#header.push(byte)
      if (this.#header.length > MAX_CSV_HEADER) this.fault = 'too many names'
    } else if (this.#fields < this.#names.length) {
      if (byte === QUOTE || byte === BACKSLASH) this.#json.byte(BACKSLASH)
      if (byte < 0x20) this.#json.append(CONTROLS[byte] as Buffer)
      else this.#json.byte(byte)
    }
  }

  #beginField(): void {
    this.#state = FIELD_START
    const prefix = this.#prefixes[this.#fields]
    if (prefix) this.#json.append(prefix)
    this.#fieldStart = this.#json.length
  }

  #endField(): void {
    if (this.#names === null) {
      this.#prefixes.push(Buffer.from(this.#header))
      this.#header = []
      if (this.#prefixes.length > MAX_COLUMN_NAMES) this.fault = 'too many names'
    } else if (this.#fields < this.#names.length) {
      const value = this.#json.bytes.subarray(this.#fieldStart, this.#json.length)
      if (value.length === NULL.length && NULL.equals(value)) {
        this.#json.length = this.#fieldStart - 1
        this.#json.append(JSON_NULL)
      } else this.#json.byte(QUOTE)
    }
    this.#fields += 1
  }

  #endLine(): void {
    const isBlank = this.#fields === 0 && this.#json.length === this.#fieldStart && this.#header.length === 0
    if (isBlank) {
      this.#state = FIELD_START
      return
    }
    this.#endField()
    if (this.#names === null) {
      this.#names = this.#prefixes.map(String)
      this.#prefixes = this.#names.map((name, at) => Buffer.from(`${at === 0 ? '' : ','}${JSON.stringify(name)}:"`))
    } else if (this.#fields < this.#names.length) {
      this.fault = 'uneven rows'
      return
    } else {
      this.#json.byte(CLOSE_OBJECT)
      this.#rows += 1
    }
    this.#beginLine()
  }

  #beginLine(): void {
    this.#lineStart = this.#json.length
    this.#fields = 0
    if (this.#rows > 0) this.#json.byte(COMMA)
    this.#json.byte(OPEN_OBJECT)
    this.#beginField()
  }
}

const CONTROLS = Array.from({ length: 0x20 }, (_, byte) =>
  Buffer.from(JSON.stringify(String.fromCharCode(byte)).slice(1, -1)),
)
