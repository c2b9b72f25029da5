import { BodyTooLargeError } from '../../kernel/request-body.ts'

const FIRST_SIZE = 64 * 1024

/** Collects bytes in a buffer that grows with what arrives, not by the announced length. */
export class GrowingBuffer {
  bytes: Buffer
  length = 0
  readonly #limit: number

  constructor(limit: number) {
    this.#limit = limit
    this.bytes = Buffer.allocUnsafe(Math.min(FIRST_SIZE, limit))
  }

  /** @throws {BodyTooLargeError} */
  byte(value: number): void {
    if (this.length === this.bytes.length) this.#grow(1)
    this.bytes[this.length] = value
    this.length += 1
  }

  /** @throws {BodyTooLargeError} */
  append(added: Uint8Array): void {
    if (this.length + added.length > this.bytes.length) this.#grow(added.length)
    this.bytes.set(added, this.length)
    this.length += added.length
  }

  toBuffer(): Buffer {
    return this.bytes.subarray(0, this.length)
  }

  #grow(by: number): void {
    const required = this.length + by
    if (required > this.#limit) throw new BodyTooLargeError(this.#limit)
    // Tripling keeps the old and new buffer together well below twice the final size.
    const grown = Buffer.allocUnsafeSlow(Math.min(this.#limit, Math.max(required, 3 * this.bytes.length)))
    this.bytes.copy(grown, 0, 0, this.length)
    this.bytes = grown
  }
}
