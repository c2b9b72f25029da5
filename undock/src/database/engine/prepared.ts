import { type Column, encodeForget, encodePrepare } from './exchange.ts'

const CAPACITY = 1_000
/** Longer texts are rarely sent twice (bulk inserts, generated DDL). */
const LONGEST_TEXT = 16_384

export type Prepared = {
  readonly name: string
  /** The columns of its result, once an answer has told; they need not be asked for again. A statement whose columns
   *  have changed does not run: Postgres refuses it (0A000), and it is prepared anew. */
  columns: readonly Column[] | null
}

/** Which statements the engine's session holds prepared, by their text; the least recently used goes first. */
export class PreparedStatements {
  readonly #known = new Map<string, Prepared>()
  #next = 1

  /** @returns the statement, with what must be sent before it can be used; null for one to parse each time. */
  take(text: string): { readonly prepared: Prepared; readonly before: readonly Buffer[] } | null {
    if (text.length > LONGEST_TEXT) return null
    const known = this.#known.get(text)
    if (known) {
      this.#known.delete(text)
      this.#known.set(text, known)
      return { prepared: known, before: [] }
    }
    const before: Buffer[] = []
    const [oldest] = this.#known
    if (oldest && this.#known.size >= CAPACITY) {
      this.#known.delete(oldest[0])
      before.push(encodeForget(oldest[1].name))
    }
    const prepared = { name: `undock_${this.#next++}`, columns: null }
    this.#known.set(text, prepared)
    before.push(encodePrepare(prepared.name, text))
    return { prepared, before }
  }

  /** After an error in an exchange that carried a Parse, nobody knows whether the session has it. */
  forget(text: string): void {
    this.#known.delete(text)
  }

  clear(): void {
    this.#known.clear()
  }
}
