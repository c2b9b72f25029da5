import { placeIn, type SourcePlace } from './module-graph.ts'

export type FunctionLineLevel = 'debug' | 'info' | 'warn' | 'error'

/** What a function wrote or what happened to its worker. @property time ISO 8601. */
export type FunctionLine = {
  /** Grows with each line. */
  readonly id: number
  readonly time: string
  readonly level: FunctionLineLevel
  readonly text: string
}

export type FunctionError = {
  readonly time: string
  /** The message and the stack trace. */
  readonly text: string
  /** The line of the author's source; null when the trace names none. */
  readonly place: SourcePlace | null
}

/** Lines that a function's record holds, the newest ones. */
const MOST_LINES = 500
/** Characters of a line that are kept. */
const LINE_LENGTH = 8_000

let lastId = 0

/** The last lines and the last error of one function, over all its workers. Log files have all lines, but a backend in memory
 *  writes none. */
export class FunctionRecord {
  #lines: FunctionLine[] = []
  #lastError: FunctionLine | null = null

  add(level: FunctionLineLevel, text: string): void {
    const line = { id: ++lastId, time: new Date().toISOString(), level, text: text.slice(0, LINE_LENGTH) }
    this.#lines.push(line)
    // In steps, because each cut copies the whole list.
    if (this.#lines.length > MOST_LINES * 2) this.#lines = this.#lines.slice(-MOST_LINES)
    if (level === 'error') this.#lastError = line
  }

  /** Oldest first. */
  get lines(): readonly FunctionLine[] {
    return this.#lines.slice(-MOST_LINES)
  }

  get lastError(): FunctionError | null {
    if (!this.#lastError) return null
    const { time, text } = this.#lastError
    return { time, text, place: placeIn(text) }
  }
}
