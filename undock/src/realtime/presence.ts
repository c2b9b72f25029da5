import { randomBytes } from 'node:crypto'

type Meta = Readonly<Record<string, unknown>> & { readonly phx_ref: string }
/** A key's metas, one for each channel that tracks under it. */
export type PresenceState = Record<string, { metas: Meta[] }>
export type PresenceDiff = { readonly joins: PresenceState; readonly leaves: PresenceState }

type Tracked = { readonly key: string; readonly meta: Meta }

/** Milliseconds in which changes are batched into one diff: a thousand clients that join at once would otherwise cause a
 *  million messages. */
const GATHER = 25

/** Who is present on each topic. A channel has at most one meta a topic. */
export class Presence {
  readonly #topics = new Map<string, PresenceTopic>()
  readonly #publish: (topic: string, diff: PresenceDiff) => void

  /** @param publish Called with what changed on a topic, a little later than it changed. */
  constructor(publish: (topic: string, diff: PresenceDiff) => void) {
    this.#publish = publish
  }

  /** Adds the channel's meta, or replaces it. */
  track(topic: string, channel: object, key: string, payload: Readonly<Record<string, unknown>>): void {
    let present = this.#topics.get(topic)
    if (!present) {
      present = new PresenceTopic((diff) => this.#publish(topic, diff))
      this.#topics.set(topic, present)
    }
    present.track(channel, key, payload)
  }

  untrack(topic: string, channel: object): void {
    const present = this.#topics.get(topic)
    present?.untrack(channel)
    if (present?.isEmpty) this.#topics.delete(topic)
  }

  state(topic: string): PresenceState {
    return this.#topics.get(topic)?.state() ?? {}
  }
}

class PresenceTopic {
  readonly #tracked = new Map<object, Tracked>()
  readonly #publish: (diff: PresenceDiff) => void
  #joined = new Set<Tracked>()
  #left = new Set<Tracked>()
  /** Whether a new channel has read the state since the last diff. */
  #seen = false
  #timer: NodeJS.Timeout | null = null

  constructor(publish: (diff: PresenceDiff) => void) {
    this.#publish = publish
  }

  get isEmpty(): boolean {
    return this.#tracked.size === 0
  }

  track(channel: object, key: string, payload: Readonly<Record<string, unknown>>): void {
    const before = this.#tracked.get(channel)
    const reference = { phx_ref: randomBytes(9).toString('base64') }
    const meta = before ? { ...payload, ...reference, phx_ref_prev: before.meta.phx_ref } : { ...payload, ...reference }
    const tracked = { key, meta }
    this.#tracked.set(channel, tracked)
    if (before) this.#leave(before)
    this.#joined.add(tracked)
    this.#schedule()
  }

  untrack(channel: object): void {
    const before = this.#tracked.get(channel)
    if (!before) return
    this.#tracked.delete(channel)
    this.#leave(before)
    this.#schedule()
  }

  state(): PresenceState {
    this.#seen = true
    return group(this.#tracked.values())
  }

  /** A join that was not published yet needs no leave. */
  #leave(tracked: Tracked): void {
    const isNews = this.#joined.delete(tracked)
    if (!isNews || this.#seen) this.#left.add(tracked)
  }

  #schedule(): void {
    this.#timer ??= setTimeout(() => {
      const [joined, left] = [this.#joined, this.#left]
      this.#joined = new Set()
      this.#left = new Set()
      this.#seen = false
      this.#timer = null
      if (joined.size + left.size > 0) this.#publish({ joins: group(joined), leaves: group(left) })
    }, GATHER)
  }
}

function group(tracked: Iterable<Tracked>): PresenceState {
  // Keys come from clients, "__proto__" among them.
  const state: PresenceState = Object.create(null)
  for (const { key, meta } of tracked) {
    const present = state[key]
    if (present) present.metas.push(meta)
    else state[key] = { metas: [meta] }
  }
  return state
}
