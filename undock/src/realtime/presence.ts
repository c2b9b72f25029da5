import { randomBytes } from 'node:crypto'

type Meta = Readonly<Record<string, unknown>> & { readonly phx_ref: string }
/** A key's metas, one per channel tracking it. */
export type PresenceState = Record<string, { metas: Meta[] }>
type PresenceDiff = { readonly joins: PresenceState; readonly leaves: PresenceState }

/** What one channel tracks. */
export type Present = { readonly key: string; readonly meta: Meta }
/** @property leaves The `phx_ref` of each removed meta. */
export type PresenceChange = { readonly joins: readonly Present[]; readonly leaves: readonly string[] }

/** @property node The other node that has the channel; null for this one. */
type Tracked = Present & { readonly node: string | null }

/** Milliseconds of changes batched into one diff; a thousand simultaneous joins would otherwise cause a million
 *  messages. */
const GATHER = 25

type PresenceEvents = {
  onDiff(topic: string, diff: PresenceDiff): void
  /** The same for channels of this node only. */
  onOwnChange(topic: string, change: PresenceChange): void
}

/** Tracks presence per topic across all nodes. A channel has at most one meta per topic. */
export class Presence {
  readonly #topics = new Map<string, PresenceTopic>()
  readonly #events: PresenceEvents

  constructor(events: PresenceEvents) {
    this.#events = events
  }

  track(topic: string, channel: object, key: string, payload: Readonly<Record<string, unknown>>): void {
    this.#at(topic).track(channel, key, payload)
  }

  untrack(topic: string, channel: object): void {
    const present = this.#topics.get(topic)
    present?.untrack(channel)
    if (present?.isEmpty) this.#topics.delete(topic)
  }

  state(topic: string): PresenceState {
    return this.#topics.get(topic)?.state() ?? {}
  }

  /** Returns what this node's channels track on each topic. */
  ownState(): (readonly [topic: string, present: readonly Present[]])[] {
    return [...this.#topics].flatMap(([topic, present]) => {
      const own = present.own()
      return own.length > 0 ? [[topic, own] as const] : []
    })
  }

  /** Applies another node's changes. */
  apply(node: string, topic: string, { joins, leaves }: PresenceChange): void {
    const present = this.#at(topic)
    for (const reference of leaves) present.untrack(reference)
    for (const join of joins) present.add(node, join)
    if (present.isEmpty) this.#topics.delete(topic)
  }

  /** Replaces another node's state; an empty one removes a node that has left. */
  replace(node: string, state: readonly (readonly [topic: string, present: readonly Present[]])[]): void {
    const now = new Map(state)
    for (const [topic, present] of this.#topics) {
      const kept = new Set(now.get(topic)?.map(({ meta }) => meta.phx_ref))
      const leaves = present.referencesOf(node).filter((reference) => !kept.has(reference))
      if (leaves.length > 0) this.apply(node, topic, { joins: [], leaves })
    }
    for (const [topic, joins] of now) this.apply(node, topic, { joins, leaves: [] })
  }

  #at(topic: string): PresenceTopic {
    const known = this.#topics.get(topic)
    if (known) return known
    const present = new PresenceTopic(topic, this.#events)
    this.#topics.set(topic, present)
    return present
  }
}

class PresenceTopic {
  /** By channel, or by `phx_ref` for channels of other nodes. */
  readonly #tracked = new Map<object | string, Tracked>()
  readonly #topic: string
  readonly #events: PresenceEvents
  #joined = new Set<Tracked>()
  #left = new Set<Tracked>()
  /** Whether a new channel or node has read the state since the last diff. */
  #seen = false
  #timer: NodeJS.Timeout | null = null

  constructor(topic: string, events: PresenceEvents) {
    this.#topic = topic
    this.#events = events
  }

  get isEmpty(): boolean {
    return this.#tracked.size === 0
  }

  track(channel: object, key: string, payload: Readonly<Record<string, unknown>>): void {
    const before = this.#tracked.get(channel)
    const reference = { phx_ref: randomBytes(9).toString('base64') }
    const meta = before ? { ...payload, ...reference, phx_ref_prev: before.meta.phx_ref } : { ...payload, ...reference }
    if (before) this.#leave(before)
    this.#join(channel, { key, meta, node: null })
  }

  /** Adds what another node's channel tracks, if new. */
  add(node: string, { key, meta }: Present): void {
    if (!this.#tracked.has(meta.phx_ref)) this.#join(meta.phx_ref, { key, meta, node })
  }

  untrack(by: object | string): void {
    const before = this.#tracked.get(by)
    if (!before) return
    this.#tracked.delete(by)
    this.#leave(before)
    this.#schedule()
  }

  state(): PresenceState {
    this.#seen = true
    return group(this.#tracked.values())
  }

  own(): Present[] {
    this.#seen = true
    return [...this.#tracked.values()].flatMap(({ node, key, meta }) => (node === null ? [{ key, meta }] : []))
  }

  referencesOf(node: string): string[] {
    return [...this.#tracked.values()].flatMap((tracked) => (tracked.node === node ? [tracked.meta.phx_ref] : []))
  }

  #join(by: object | string, tracked: Tracked): void {
    this.#tracked.set(by, tracked)
    this.#joined.add(tracked)
    this.#schedule()
  }

  /** An unpublished join needs no leave. */
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
      if (joined.size + left.size === 0) return
      this.#events.onDiff(this.#topic, { joins: group(joined), leaves: group(left) })
      const joins = ownOf(joined)
      const leaves = ownOf(left).map(({ meta }) => meta.phx_ref)
      if (joins.length + leaves.length > 0) this.#events.onOwnChange(this.#topic, { joins, leaves })
    }, GATHER)
  }
}

const ownOf = (tracked: Iterable<Tracked>): Tracked[] => [...tracked].filter(({ node }) => node === null)

function group(tracked: Iterable<Tracked>): PresenceState {
  const state: PresenceState = Object.create(null)
  for (const { key, meta } of tracked) {
    const present = state[key]
    if (present) present.metas.push(meta)
    else state[key] = { metas: [meta] }
  }
  return state
}
