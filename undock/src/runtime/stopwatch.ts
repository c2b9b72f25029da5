/** How long the parts of a start took. Parts start side by side, so their times may be of the same moments. */
export type Stopwatch = {
  /** Milliseconds by the part's name, of those that are done. */
  readonly times: ReadonlyMap<string, number>
  time<T>(part: string, start: () => T | Promise<T>): Promise<T>
}

export function createStopwatch(now: () => number = () => performance.now()): Stopwatch {
  const times = new Map<string, number>()
  return {
    times,
    async time(part, start) {
      const since = now()
      const started = await start()
      times.set(part, now() - since)
      return started
    },
  }
}
