import type { LogFields } from './service.ts'

export type LogLevel = 'info' | 'warn' | 'error'

export type LogLine = {
  readonly time: string
  readonly service: string
  readonly level: LogLevel
  readonly message: string
  readonly fields: LogFields
  /** An error's stack, only for log files. */
  readonly trace?: string
}

/** The last lines of a log, numbered from 1 as written. */
export type RecentLines = {
  add(line: LogLine): void
  /** Returns kept lines after a number; 0 returns all. */
  since(number: number): readonly LogLine[]
  last(): number
  follow(listener: (line: LogLine) => void): () => void
}

const MAX_LINES = 2_000
const MAX_CHARACTERS = 2_000

export function createRecentLines(): RecentLines {
  let lines: LogLine[] = []
  let last = 0
  const listeners = new Set<(line: LogLine) => void>()
  return {
    add({ message, trace, ...rest }) {
      const line = {
        ...rest,
        message: shortened(message, MAX_CHARACTERS),
        ...(trace && { trace: shortened(trace, MAX_CHARACTERS) }),
      }
      lines.push(line)
      last += 1
      // Cutting copies the array, so do it rarely.
      if (lines.length > 2 * MAX_LINES) lines = lines.slice(-MAX_LINES)
      for (const listener of listeners) listener(line)
    },
    since: (number) => (number >= last ? [] : lines.slice(-Math.min(MAX_LINES, last - number))),
    last: () => last,
    follow(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}

/** Returns the beginning of a text, as a copy: a slice would keep the whole text in memory. */
export const shortened = (text: string, length: number): string =>
  text.length <= length ? text : Buffer.from(text.slice(0, length)).toString()
