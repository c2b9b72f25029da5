import type { Claims } from '../kernel/service.ts'
import type { Tracer, Withheld, WithholdReason } from '../kernel/tracer.ts'
import type { Policies } from './authorization.ts'
import { type PublishedMessage, type PubSub, type Subscriber, topicKey } from './pub-sub.ts'
import type { Bearer } from './token.ts'

/** Callers that a report names; the others are not counted. */
const NAMED_CALLERS = 20

/** Who does not get a message, for people: counted by caller and reason. */
export class WithheldList {
  readonly #counts = new Map<string, Withheld>()

  add({ role, claims }: { readonly role: string; readonly claims: Claims }, reason: WithholdReason): void {
    const caller = typeof claims.sub === 'string' ? `${role}, user ${claims.sub}` : role
    const key = `${reason} ${caller}`
    const known = this.#counts.get(key)
    if (known || this.#counts.size < NAMED_CALLERS)
      this.#counts.set(key, { caller, reason, count: (known?.count ?? 0) + 1 })
  }

  list(): Withheld[] {
    return [...this.#counts.values()]
  }
}

/** A joined channel that may get broadcasts. */
export type BroadcastReceiver = Subscriber & {
  readonly bearer: Bearer
  readonly policies: Policies
  /** Ids of the replayed messages, which must not be sent twice. */
  readonly replayed: ReadonlySet<string>
}

export type Broadcast = {
  /** The topic, without `realtime:`. */
  readonly topic: string
  readonly isPrivate: boolean
  readonly message: PublishedMessage
  withholds(subscriber: BroadcastReceiver): WithholdReason | null
  /** The id of the join of the channel that sends it; else it belongs to the current request. */
  readonly task?: string | null
}

/** Sends a broadcast to the subscribers of its topic, and tells the tracer who got it. */
export function sendBroadcast(
  { pubSub, tracer }: { readonly pubSub: PubSub<BroadcastReceiver>; readonly tracer: Tracer },
  { topic, isPrivate, message, withholds, task }: Broadcast,
): void {
  const key = topicKey(topic, { isPrivate })
  if (!tracer.isOn) {
    pubSub.publish(key, message, withholds)
    return
  }
  const withheld = new WithheldList()
  const receivers = pubSub.publish(key, message, withholds, ({ bearer: { claims } }, reason) =>
    withheld.add({ role: claims.role, claims }, reason),
  )
  tracer.note(() => ({ kind: 'delivery', event: 'broadcast', topic, receivers, withheld: withheld.list() }), task)
}

/** Why a subscriber does not get a broadcast that nothing else is known of. */
export const withholdsUnreadable = ({ policies }: BroadcastReceiver): WithholdReason | null =>
  policies.broadcast.read === true ? null : 'policy'
