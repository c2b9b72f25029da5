import { encodeClose, encodePrepare, type Prepared, preparedName } from './exchange.ts'

const CAPACITY = 1_000
/** In characters; longer texts (bulk inserts, generated DDL) are rarely sent twice. */
const MAX_TEXT_LENGTH = 16_384

/** A session's prepared statements by text; drops the least recently used first. */
export class PreparedStatements {
  readonly #known = new Map<string, Prepared>()
  #dropped: string[] = []

  /** @returns the prepared statement and the messages that prepare it; null for a text that's parsed each time. */
  use(text: string): { readonly prepared: Prepared; readonly parseMessages: readonly Buffer[] } | null {
    if (text.length > MAX_TEXT_LENGTH) return null
    const existing = this.#known.get(text)
    if (existing) {
      this.#known.delete(text)
      this.#known.set(text, existing)
      return { prepared: existing, parseMessages: [] }
    }
    const [oldest] = this.#known.size >= CAPACITY ? this.#known.keys() : []
    if (oldest !== undefined) this.forget(oldest)
    const prepared = { name: preparedName(text), columns: null }
    this.#known.set(text, prepared)
    return { prepared, parseMessages: [encodePrepare(prepared.name, text)] }
  }

  /** Returns messages that close forgotten statements. They go first in the next exchange, so that no error can skip
   *  them and the name can be reused; closing a missing statement is no error. */
  takeCloseMessages(): Buffer[] {
    return this.#dropped.splice(0).map(encodeClose)
  }

  /** Forgets a statement that may not exist, after an error in the exchange that parsed it. */
  forget(text: string): void {
    const existing = this.#known.get(text)
    if (existing) this.#dropped.push(existing.name)
    this.#known.delete(text)
  }

  forgetAll(): void {
    for (const text of [...this.#known.keys()]) this.forget(text)
  }

  clear(): void {
    this.#known.clear()
    this.#dropped = []
  }
}
