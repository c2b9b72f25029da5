import type { Clock } from './service.ts'

/** A clock that tests can set forward. */
export type AdjustableClock = Clock & {
  /** Milliseconds ahead of the machine's clock. */
  readonly offset: number
  /** Sets the clock forward.
   *  @param time Milliseconds, or a duration in config.toml's syntax: `90s`, `1h30m`, `24h`.
   *  @throws {RangeError} for an invalid duration, and for one beyond the year 9999. */
  advance(time: number | string): void
  restore(): void
  onAdjust(handler: () => void): () => void
}

/** Services and databases write four-digit years. */
const LATEST = Date.UTC(9999, 11, 31)

/** @param parse Parses a duration into seconds. */
export function createAdjustableClock(parse: (text: string) => number | undefined): AdjustableClock {
  const handlers = new Set<() => void>()
  let offset = 0
  const setOffset = (to: number): void => {
    offset = to
    for (const handler of handlers) handler()
  }
  return {
    now: () => new Date(Date.now() + offset),
    get offset() {
      return offset
    },
    advance(time) {
      const milliseconds = typeof time === 'number' ? time : (parse(time) ?? Number.NaN) * 1_000
      if (!Number.isFinite(milliseconds)) throw new RangeError(`"${time}" is no duration such as "90s" or "1h30m"`)
      if (Math.abs(Date.now() + offset + milliseconds) > LATEST)
        throw new RangeError('The clock cannot be set beyond the year 9999')
      setOffset(offset + milliseconds)
    },
    restore: () => setOffset(0),
    onAdjust(handler) {
      handlers.add(handler)
      return () => handlers.delete(handler)
    },
  }
}
