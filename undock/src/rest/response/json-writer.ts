/** JSON's short escapes; all other control characters are written by their number, as Postgres does. */
const SHORT: Readonly<Record<string, string>> = {
  '\b': 'b',
  '\f': 'f',
  '\n': 'n',
  '\r': 'r',
  '\t': 't',
  '"': '"',
  '\\': '\\',
}

/** By byte: what is written for it in a string, where that is not the byte itself. */
const ESCAPES: readonly (Buffer | null)[] = Array.from({ length: 256 }, (_, byte) => {
  const short = SHORT[String.fromCharCode(byte)]
  if (short !== undefined) return Buffer.from(`\\${short}`)
  return byte < 0x20 ? Buffer.from(`\\u${byte.toString(16).padStart(4, '0')}`) : null
})
const LONGEST_ESCAPE = 6

const QUOTE = '"'.charCodeAt(0)

/** Bytes. */
const USUAL = 64 * 1024
const LARGE = 4 * 1024 * 1024
/** Shorter pieces are copied sooner one byte at a time. */
const SHORT_PIECE = 24

/** Puts a body of JSON together from pieces of other buffers, without making strings of them. */
export class JsonWriter {
  #bytes = Buffer.allocUnsafeSlow(USUAL)
  #length = 0

  /** Bytes as they are. */
  write(source: Uint8Array, start = 0, end = source.length): void {
    this.#reserve(end - start)
    this.#copy(source, start, end)
  }

  /** A string, from its UTF-8. */
  writeString(source: Uint8Array, start: number, end: number): void {
    this.#reserve(LONGEST_ESCAPE * (end - start) + 2)
    this.#bytes[this.#length++] = QUOTE
    let from = start
    for (let at = start; at < end; at++) {
      const escaped = ESCAPES[source[at] as number]
      if (!escaped) continue
      this.#copy(source, from, at)
      this.#copy(escaped, 0, escaped.length)
      from = at + 1
    }
    this.#copy(source, from, end)
    this.#bytes[this.#length++] = QUOTE
  }

  /** All that was written, as a copy; the writer can be used again. */
  take(): Buffer {
    const taken = Buffer.from(this.#bytes.subarray(0, this.#length))
    this.clear()
    return taken
  }

  clear(): void {
    this.#length = 0
    if (this.#bytes.length > LARGE) this.#bytes = Buffer.allocUnsafeSlow(USUAL)
  }

  #reserve(more: number): void {
    const needed = this.#length + more
    if (needed <= this.#bytes.length) return
    const grown = Buffer.allocUnsafeSlow(2 * needed)
    this.#bytes.copy(grown, 0, 0, this.#length)
    this.#bytes = grown
  }

  #copy(source: Uint8Array, start: number, end: number): void {
    const bytes = this.#bytes
    if (end - start > SHORT_PIECE) {
      bytes.set(source.subarray(start, end), this.#length)
      this.#length += end - start
      return
    }
    let length = this.#length
    for (let at = start; at < end; at++) bytes[length++] = source[at] as number
    this.#length = length
  }
}
