import { z } from 'zod'
import type { Bus } from '../kernel/bus.ts'
import type { Presence, PresenceChange } from './presence.ts'

const TOPIC = 'presence'

const PresentList = z.array(z.object({ key: z.string(), meta: z.looseObject({ phx_ref: z.string() }) }))
const Message = z.union([
  z.object({ ask: z.string() }),
  z.object({ state: z.array(z.tuple([z.string(), PresentList])) }),
  z.object({ topic: z.string(), joins: PresentList, leaves: z.array(z.string()) }),
])
type Message = z.infer<typeof Message>

/** Milliseconds during which requests for the state are collected, to answer them together. */
const GATHER = 25
/** Milliseconds before the state is requested again, since requests and replies can be lost. */
const ASK_AGAIN = 1_000

const publish = (bus: Bus, message: Message): void => bus.publish(TOPIC, Buffer.from(JSON.stringify(message)))

/** Sends this node's changes to the others. */
export function publishPresence(bus: Bus, topic: string, { joins, leaves }: PresenceChange): void {
  if (bus.isAlone) return
  publish(bus, { topic, joins: joins.map(({ key, meta }) => ({ key, meta })), leaves: [...leaves] })
}

/** Shows other nodes' presence to this node's clients. A node's state is requested when it first appears or after a
 *  lost message, retried until it replies, and removed when it leaves.
 *  @returns a function that stops it. */
export function followPresence(bus: Bus, presence: Presence): () => void {
  let answer: NodeJS.Timeout | null = null
  let retry: NodeJS.Timeout | null = null
  const unanswered = new Set<string>()
  const ask = (): void => {
    for (const node of unanswered) publish(bus, { ask: node })
    retry = unanswered.size > 0 ? setTimeout(ask, ASK_AGAIN) : null
  }
  const endEvents = bus.onNode((node, event) => {
    if (event === 'gone') {
      unanswered.delete(node)
      presence.replace(node, [])
    } else {
      unanswered.add(node)
      publish(bus, { ask: node })
      retry ??= setTimeout(ask, ASK_AGAIN)
    }
  })
  const endMessages = bus.subscribe(TOPIC, (bytes, node) => {
    const message = Message.parse(JSON.parse(bytes.toString()))
    if ('topic' in message) presence.apply(node, message.topic, message)
    else if ('state' in message) {
      unanswered.delete(node)
      presence.replace(node, message.state)
    } else if (message.ask === bus.node)
      answer ??= setTimeout(() => {
        answer = null
        publish(bus, { state: presence.ownState().map(([topic, present]) => [topic, [...present]]) })
      }, GATHER)
  })
  return () => {
    endEvents()
    endMessages()
    if (answer) clearTimeout(answer)
    if (retry) clearTimeout(retry)
  }
}
