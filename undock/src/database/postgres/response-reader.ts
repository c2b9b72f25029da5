const READY_FOR_QUERY = 'Z'.charCodeAt(0)
const COPY_IN_RESPONSE = 'G'.charCodeAt(0)
/** The bytes of a message's type and length. */
const HEADER = 5

/** Splits a stream of backend messages into responses, each of which ends with ReadyForQuery. */
export class ResponseReader {
  readonly #onCopyIn: () => void
  readonly #header = Buffer.alloc(HEADER)
  #headerLength = 0
  /** The bytes that are missing of the current message. */
  #left = 0
  #chunks: Buffer[] = []

  /** @param onCopyIn Called when the server asks for COPY data. */
  constructor(onCopyIn: () => void) {
    this.#onCopyIn = onCopyIn
  }

  /** The bytes since the last complete response. */
  get rest(): Buffer {
    return Buffer.concat(this.#chunks)
  }

  /** @returns the responses that this chunk completes. */
  push(chunk: Buffer): Buffer[] {
    const responses: Buffer[] = []
    let start = 0
    let at = 0
    while (at < chunk.length) {
      if (this.#left > 0) {
        const step = Math.min(this.#left, chunk.length - at)
        this.#left -= step
        at += step
      } else {
        const step = Math.min(HEADER - this.#headerLength, chunk.length - at)
        chunk.copy(this.#header, this.#headerLength, at, at + step)
        this.#headerLength += step
        at += step
        if (this.#headerLength < HEADER) break
        this.#headerLength = 0
        // The length includes itself.
        this.#left = this.#header.readUInt32BE(1) - 4
        if (this.#header[0] === COPY_IN_RESPONSE) this.#onCopyIn()
      }
      if (this.#left === 0 && this.#headerLength === 0 && this.#header[0] === READY_FOR_QUERY) {
        responses.push(Buffer.concat([...this.#chunks, chunk.subarray(start, at)]))
        this.#chunks = []
        this.#header[0] = 0
        start = at
      }
    }
    if (start < chunk.length) this.#chunks.push(chunk.subarray(start))
    return responses
  }
}
