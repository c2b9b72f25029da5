import type { LogFields } from './service.ts'

export type LogLevel = 'info' | 'warn' | 'error'

export type LogLine = {
  readonly time: string
  readonly service: string
  readonly level: LogLevel
  readonly message: string
  readonly fields: LogFields
  /** The stack of an error; files have it, the terminal does not. */
  readonly trace?: string
}

/** The last lines of a log, numbered from 1 in the order in which they were written. */
export type RecentLines = {
  add(line: LogLine): void
  /** The kept lines after the one with that number; 0 asks for all. */
  since(number: number): readonly LogLine[]
  /** The number of the newest line. */
  last(): number
  /** Calls back with each new line until the returned function is called. */
  follow(listener: (line: LogLine) => void): () => void
}

const MOST_LINES = 2_000
/** Characters of a message or a stack. */
const MOST_CHARACTERS = 2_000

export function createRecentLines(): RecentLines {
  let lines: LogLine[] = []
  let last = 0
  const listeners = new Set<(line: LogLine) => void>()
  return {
    add({ message, trace, ...rest }) {
      const line = {
        ...rest,
        message: message.slice(0, MOST_CHARACTERS),
        ...(trace && { trace: trace.slice(0, MOST_CHARACTERS) }),
      }
      lines.push(line)
      last += 1
      // Each cut copies the array, so it is cut once in a while only.
      if (lines.length > 2 * MOST_LINES) lines = lines.slice(-MOST_LINES)
      for (const listener of listeners) listener(line)
    },
    since: (number) => (number >= last ? [] : lines.slice(-Math.min(MOST_LINES, last - number))),
    last: () => last,
    follow(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}
