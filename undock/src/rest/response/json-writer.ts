/** JSON's short escapes; all other control characters are written by their code, as Postgres does. */
const SHORT_ESCAPES: Readonly<Record<string, string>> = {
  '\b': 'b',
  '\f': 'f',
  '\n': 'n',
  '\r': 'r',
  '\t': 't',
  '"': '"',
  '\\': '\\',
}

/** For each byte its escape in a string; null when the byte is written unchanged. */
const ESCAPES: readonly (Buffer | null)[] = Array.from({ length: 256 }, (_, byte) => {
  const short = SHORT_ESCAPES[String.fromCharCode(byte)]
  if (short !== undefined) return Buffer.from(`\\${short}`)
  return byte < 0x20 ? Buffer.from(`\\u${byte.toString(16).padStart(4, '0')}`) : null
})
const MAX_ESCAPE_BYTES = 6

const QUOTE = '"'.charCodeAt(0)

/** The size in bytes that the buffer begins with, and the largest that it keeps for the next body. */
const INITIAL_SIZE = 64 * 1024
const MAX_KEPT_SIZE = 4 * 1024 * 1024
/** Up to this length a loop over the bytes is faster than `set`. */
const MAX_LOOP_COPY = 24

/** Builds a JSON body from pieces of other buffers without decoding them. */
export class JsonWriter {
  #bytes = Buffer.allocUnsafeSlow(INITIAL_SIZE)
  #length = 0

  /** Writes bytes unchanged. */
  write(source: Uint8Array, start = 0, end = source.length): void {
    this.#reserve(end - start)
    this.#copy(source, start, end)
  }

  /** Writes a JSON string from UTF-8. */
  writeString(source: Uint8Array, start: number, end: number): void {
    this.#reserve(MAX_ESCAPE_BYTES * (end - start) + 2)
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

  /** Returns a copy of everything that was written, and clears the writer. */
  take(): Buffer {
    const taken = Buffer.from(this.#bytes.subarray(0, this.#length))
    this.clear()
    return taken
  }

  clear(): void {
    this.#length = 0
    if (this.#bytes.length > MAX_KEPT_SIZE) this.#bytes = Buffer.allocUnsafeSlow(INITIAL_SIZE)
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
    if (end - start > MAX_LOOP_COPY) {
      bytes.set(source.subarray(start, end), this.#length)
      this.#length += end - start
      return
    }
    let length = this.#length
    for (let at = start; at < end; at++) bytes[length++] = source[at] as number
    this.#length = length
  }
}
