/** Limits per client and in total. Rates are per second. */
export type Limits = {
  readonly sockets: number
  readonly channelsPerSocket: number
  readonly joinsPerSecond: number
  /** Messages per channel before it is closed; REST and the database share one more such budget. */
  readonly eventsPerSecond: number
  readonly presencePerSecond: number
  readonly presenceCalls: number
  readonly presenceWindow: number
  readonly payloadBytes: number
  /** Bytes buffered for a slow reader before it is dropped. */
  readonly backlogBytes: number
  /** Milliseconds without a frame from the client, whose heartbeat comes every 25 s. */
  readonly silence: number
  /** Milliseconds a long-polling request waits for messages. */
  readonly pollWindow: number
}

/** Upstream's defaults (config/runtime.exs, Realtime.Api.Tenant), except that limits of its hosting plans (sockets,
 *  joins, events) are set to what one machine can serve. */
export const DEFAULT_LIMITS: Limits = {
  sockets: 10_000,
  channelsPerSocket: 100,
  joinsPerSecond: 2_500,
  eventsPerSecond: 1_000,
  presencePerSecond: 5_000,
  presenceCalls: 5,
  presenceWindow: 30_000,
  payloadBytes: 3_000 * 1_000 + 500,
  backlogBytes: 16 * 1024 * 1024,
  silence: 60_000,
  pollWindow: 10_000,
}

/** Counts events in consecutive fixed-length windows. */
export class RateWindow {
  readonly #limit: number
  readonly #length: number
  #endsAt = 0
  #count = 0

  /** @param length Milliseconds. */
  constructor(limit: number, length = 1_000) {
    this.#limit = limit
    this.#length = length
  }

  /** Counts `events` and returns whether the window is still within the limit.
   *  @param now Milliseconds of any monotonic clock. */
  admit(now: number, events = 1): boolean {
    if (now >= this.#endsAt) {
      this.#endsAt = now + this.#length
      this.#count = 0
    }
    if (this.#count + events > this.#limit) return false
    this.#count += events
    return true
  }
}
