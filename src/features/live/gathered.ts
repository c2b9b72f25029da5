/** Gathers what comes in quick succession and hands it over together: the first after a short wait, the rest no faster than
 *  `pace`. Milliseconds both.
 *  @returns what takes one, and what drops those that still wait. */
export function gathered<T>(
  hand: (all: T[]) => void,
  wait: number,
  pace: number,
  now: () => number = Date.now,
): { take(one: T): void; cancel(): void } {
  let waiting: T[] = []
  let timer: ReturnType<typeof setTimeout> | undefined
  let last = Number.NEGATIVE_INFINITY

  const flush = () => {
    timer = undefined
    last = now()
    const all = waiting
    waiting = []
    hand(all)
  }
  return {
    take(one) {
      waiting.push(one)
      timer ??= setTimeout(flush, Math.max(wait, last + pace - now()))
    },
    cancel() {
      clearTimeout(timer)
      timer = undefined
      waiting = []
    },
  }
}
