import type { Clock } from './service.ts'

/** A clock that tests turn. */
export type TurningClock = Clock & {
  /** Sets it forward.
   *  @param time Milliseconds, or as config.toml writes durations: `90s`, `1h30m`, `24h`.
   *  @throws {RangeError} for what is no duration. */
  advance(time: number | string): void
  /** Back to the machine's own time. */
  restore(): void
  /** Calls after each turn. */
  onTurn(handler: () => void): () => void
}

/** @param parse Reads a duration into seconds. */
export function createTurningClock(parse: (text: string) => number | undefined): TurningClock {
  const handlers = new Set<() => void>()
  let offset = 0
  const turn = (to: number): void => {
    offset = to
    for (const handler of handlers) handler()
  }
  return {
    now: () => new Date(Date.now() + offset),
    advance(time) {
      const milliseconds = typeof time === 'number' ? time : (parse(time) ?? Number.NaN) * 1_000
      if (!Number.isFinite(milliseconds)) throw new RangeError(`"${time}" is no duration such as "90s" or "1h30m"`)
      turn(offset + milliseconds)
    },
    restore: () => turn(0),
    onTurn(handler) {
      handlers.add(handler)
      return () => handlers.delete(handler)
    },
  }
}
