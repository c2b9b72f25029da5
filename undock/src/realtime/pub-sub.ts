import type { WithholdReason } from '../kernel/tracer.ts'
import { encodeBroadcast, encodeText, type UserBroadcast, type Version, wireFrame } from './protocol/frame.ts'

export type PublishedMessage =
  | { readonly kind: 'broadcast'; readonly broadcast: UserBroadcast }
  | { readonly kind: 'text'; readonly event: string; readonly payload: string }

export type Subscriber = {
  /** `realtime:` and the topic's name, as joined. */
  readonly topic: string
  readonly version: Version
  /** Writes a frame shared with other subscribers. */
  deliver(wire: Buffer): void
}

/** Public and private channels of the same name are separate topics. */
export const topicKey = (name: string, { isPrivate }: { readonly isPrivate: boolean }) =>
  `${isPrivate ? 'private' : 'public'}:${name}`

/** Subscribers by topic. A message is encoded once per serializer and shared by all sockets. */
export class PubSub<S extends Subscriber> {
  readonly #topics = new Map<string, Set<S>>()

  add(key: string, subscriber: S): void {
    const subscribers = this.#topics.get(key)
    if (subscribers) subscribers.add(subscriber)
    else this.#topics.set(key, new Set([subscriber]))
  }

  remove(key: string, subscriber: S): void {
    const subscribers = this.#topics.get(key)
    subscribers?.delete(subscriber)
    if (subscribers?.size === 0) this.#topics.delete(key)
  }

  /** @param withholds Returns why a subscriber doesn't get the message, or null.
   *  @param onWithheld Called for each of those. @returns the number of receivers. */
  publish(
    key: string,
    message: PublishedMessage,
    withholds: (subscriber: S) => WithholdReason | null,
    onWithheld?: (subscriber: S, reason: WithholdReason) => void,
  ): number {
    const subscribers = this.#topics.get(key)
    if (!subscribers) return 0
    let receivers = 0
    const encoded = new Map<Version, Buffer | null>()
    for (const subscriber of subscribers) {
      const reason = withholds(subscriber)
      if (reason !== null) {
        onWithheld?.(subscriber, reason)
        continue
      }
      const { topic, version } = subscriber
      let frame = encoded.get(version)
      if (frame === undefined) {
        frame = encode(topic, message, version)
        encoded.set(version, frame)
      }
      if (!frame) continue
      subscriber.deliver(frame)
      receivers++
    }
    return receivers
  }
}

function encode(topic: string, message: PublishedMessage, version: Version): Buffer | null {
  if (message.kind === 'broadcast') {
    const frame = encodeBroadcast(topic, message.broadcast, version)
    return frame && wireFrame(frame.data, frame.binary)
  }
  const { event, payload } = message
  return wireFrame(encodeText({ topic, event, payload, ref: null, joinRef: null }, version), false)
}
