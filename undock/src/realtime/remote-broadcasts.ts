import { z } from 'zod'
import type { Bus } from '../kernel/bus.ts'
import { type BroadcastReceiver, withholdsUnreadable } from './delivery.ts'
import { type PublishedMessage, type PubSub, topicKey } from './pub-sub.ts'

const TOPIC = 'broadcast'

/** A bus message's header; its payload follows as bytes. */
const Head = z.object({
  topic: z.string(),
  isPrivate: z.boolean(),
  event: z.string(),
  as: z.enum(['text', 'json', 'binary']),
})

type RemoteBroadcast = { readonly topic: string; readonly isPrivate: boolean; readonly message: PublishedMessage }

/** Publishes a broadcast once for the sockets of all other nodes. */
export function publishBroadcast(bus: Bus, { topic, isPrivate, message }: RemoteBroadcast): void {
  if (bus.isAlone) return
  const [event, as, payload] =
    message.kind === 'text'
      ? [message.event, 'text' as const, Buffer.from(message.payload)]
      : [message.broadcast.event, message.broadcast.encoding, message.broadcast.payload]
  const head = Buffer.from(JSON.stringify({ topic, isPrivate, event, as } satisfies z.infer<typeof Head>))
  const length = Buffer.alloc(4)
  length.writeUInt32BE(head.length)
  bus.publish(TOPIC, Buffer.concat([length, head, payload]))
}

/** Delivers other nodes' broadcasts. The sending node checked write access; read access is checked here. @returns a
 *  function that stops it. */
export function receiveBroadcasts(bus: Bus, pubSub: PubSub<BroadcastReceiver>): () => void {
  return bus.subscribe(TOPIC, (bytes) => {
    const headEnd = 4 + bytes.readUInt32BE(0)
    const { topic, isPrivate, event, as } = Head.parse(JSON.parse(bytes.toString('utf8', 4, headEnd)))
    const payload = bytes.subarray(headEnd)
    const message: PublishedMessage =
      as === 'text'
        ? { kind: 'text', event, payload: payload.toString() }
        : { kind: 'broadcast', broadcast: { event, encoding: as, payload } }
    pubSub.publish(topicKey(topic, { isPrivate }), message, withholdsUnreadable)
  })
}
