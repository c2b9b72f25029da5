/** The limits of one client and of all clients together. Rates are counted per second. */
export type Limits = {
  readonly sockets: number
  /** Channels that one socket may have joined at a time. */
  readonly channelsPerSocket: number
  readonly joinsPerSecond: number
  /** Messages that one channel may send before it is closed; REST and the database share one more such budget. */
  readonly eventsPerSecond: number
  /** Presence messages of all clients together. */
  readonly presencePerSecond: number
  /** Calls of track and untrack that one channel may make in a window. */
  readonly presenceCalls: number
  /** Milliseconds. */
  readonly presenceWindow: number
  /** Bytes of one broadcast or presence payload. */
  readonly payloadBytes: number
  /** Bytes that may wait for a slow reader before it is dropped. */
  readonly backlogBytes: number
  /** Milliseconds without a frame from the client; its heartbeat comes every 25 s. */
  readonly silence: number
  /** Milliseconds that a request of long polling waits for messages. */
  readonly pollWindow: number
}

/** Upstream's where upstream has one (config/runtime.exs, Realtime.Api.Tenant), except for those that its hosting
 *  plans set: sockets, joins and events are bounded by what one machine serves. */
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

/** Counts events in consecutive windows of fixed length. */
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

  /** Counts `events` more and tells whether they were still within the limit.
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
