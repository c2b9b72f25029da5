import type { Claims } from '../kernel/service.ts'
import type { Tracer, Withheld, WithholdReason } from '../kernel/tracer.ts'
import type { Policies } from './authorization.ts'
import { type PublishedMessage, type PubSub, type Subscriber, topicKey } from './pub-sub.ts'
import type { Bearer } from './token.ts'

/** Callers named in a report; the others aren't counted. */
const NAMED_CALLERS = 20

/** Counts who doesn't get a message, by caller and reason. */
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

/** A joined channel that may receive broadcasts. */
export type BroadcastReceiver = Subscriber & {
  readonly bearer: Bearer
  readonly policies: Policies
  /** Ids of replayed messages, which must not be sent again. */
  readonly replayed: ReadonlySet<string>
}

export type Broadcast = {
  /** The topic without `realtime:`. */
  readonly topic: string
  readonly isPrivate: boolean
  readonly message: PublishedMessage
  withholds(subscriber: BroadcastReceiver): WithholdReason | null
  /** The tracer's id of the sending channel's join; otherwise the current request's. */
  readonly task?: string | null
}

/** Sends a broadcast to its topic's subscribers and reports the receivers to the tracer. */
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

/** Returns why a subscriber can't read broadcasts, or null. */
export const withholdsUnreadable = ({ policies }: BroadcastReceiver): WithholdReason | null =>
  policies.broadcast.read === true ? null : 'policy'
