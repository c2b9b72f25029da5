import { shortened } from '../kernel/log-lines.ts'
import { placeIn, type SourcePlace } from './module-graph.ts'

export type FunctionLineLevel = 'debug' | 'info' | 'warn' | 'error'

/** A line of a function's output or of its worker's life cycle. @property time ISO 8601. */
export type FunctionLine = {
  /** Increases with each line. */
  readonly id: number
  readonly time: string
  readonly level: FunctionLineLevel
  readonly text: string
}

export type FunctionError = {
  readonly time: string
  /** Message and stack trace. */
  readonly text: string
  /** The author's source line; null if the trace names none. */
  readonly place: SourcePlace | null
}

/** Newest lines kept per function. */
const MAX_LINES = 500
/** Characters kept per line. */
const LINE_LENGTH = 8_000

let lastId = 0

/** Keeps a function's latest lines and last error across workers, since an in-memory backend writes no log files. */
export class FunctionRecord {
  #lines: FunctionLine[] = []
  #lastError: FunctionLine | null = null

  add(level: FunctionLineLevel, text: string): void {
    const line = { id: ++lastId, time: new Date().toISOString(), level, text: shortened(text, LINE_LENGTH) }
    this.#lines.push(line)
    // Trimmed in steps, because each trim copies the list.
    if (this.#lines.length > MAX_LINES * 2) this.#lines = this.#lines.slice(-MAX_LINES)
    if (level === 'error') this.#lastError = line
  }

  get lines(): readonly FunctionLine[] {
    return this.#lines.slice(-MAX_LINES)
  }

  get lastError(): FunctionError | null {
    if (!this.#lastError) return null
    const { time, text } = this.#lastError
    return { time, text, place: placeIn(text) }
  }
}
