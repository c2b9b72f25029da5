/** Milliseconds. Realtime closes a channel after five presence messages in 30 seconds; one is reserved for a rejoin. */
const WINDOW = 31_000
const PER_WINDOW = 4
/** Milliseconds. Quickly turned pages count as one change. */
const SPACING = 2_000

/** Sends the newest value as soon as the limits allow, skipping those in between.
 *  @returns functions to send a value and to drop a waiting one. */
export function throttled<T>(
  send: (value: T) => void,
  now: () => number = Date.now,
): { send(value: T): void; cancel(): void } {
  let sent: number[] = []
  let timer: ReturnType<typeof setTimeout> | undefined
  let latest: T

  function attempt(): void {
    timer = undefined
    const time = now()
    sent = sent.filter((at) => time - at < WINDOW)
    const last = sent.at(-1) ?? Number.NEGATIVE_INFINITY
    const oldest = sent.length >= PER_WINDOW ? (sent[0] ?? 0) + WINDOW : 0
    const wait = Math.max(last + SPACING, oldest) - time
    if (wait > 0) {
      timer = setTimeout(attempt, wait)
      return
    }
    sent.push(time)
    send(latest)
  }

  return {
    send(value) {
      latest = value
      if (timer === undefined) attempt()
    },
    cancel() {
      clearTimeout(timer)
      timer = undefined
    },
  }
}
