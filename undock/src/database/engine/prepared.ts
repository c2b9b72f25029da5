import { encodeForget, encodePrepare } from './exchange.ts'

const CAPACITY = 1_000
/** Longer texts are rarely sent twice (bulk inserts, generated DDL). */
const LONGEST_TEXT = 16_384

/** Which statements the engine's session holds prepared, by their text; the least recently used goes first. */
export class PreparedStatements {
  readonly #names = new Map<string, string>()
  #next = 1

  /** @returns the statement's name, with what must be sent before it can be used; null for one to parse each time. */
  nameOf(text: string): { name: string; before: Buffer[] } | null {
    if (text.length > LONGEST_TEXT) return null
    const known = this.#names.get(text)
    if (known) {
      this.#names.delete(text)
      this.#names.set(text, known)
      return { name: known, before: [] }
    }
    const before: Buffer[] = []
    const [oldest] = this.#names
    if (oldest && this.#names.size >= CAPACITY) {
      this.#names.delete(oldest[0])
      before.push(encodeForget(oldest[1]))
    }
    const name = `undock_${this.#next++}`
    this.#names.set(text, name)
    before.push(encodePrepare(name, text))
    return { name, before }
  }

  /** After an error in an exchange that carried a Parse, nobody knows whether the session has it. */
  forget(text: string): void {
    this.#names.delete(text)
  }

  clear(): void {
    this.#names.clear()
  }
}
