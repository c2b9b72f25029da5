import type { Channel } from './channel.ts'
import { ChannelError } from './errors.ts'
import type { PublishedMessage } from './pub-sub.ts'

/** A broadcast that a client sent on its channel (RealtimeChannel.BroadcastHandler). On a private channel the
 *  policies are evaluated once; a client that may not write gets no answer. */
export function receiveBroadcast(
  channel: Channel,
  message: PublishedMessage,
  ref: string | null,
): Promise<void> | void {
  if (channel.policies.broadcast.write === null) return authorizeAndSend(channel, message, ref)
  send(channel, message, ref)
}

async function authorizeAndSend(channel: Channel, message: PublishedMessage, ref: string | null): Promise<void> {
  try {
    await channel.authorize('write', ['broadcast', 'presence'])
  } catch (error) {
    if (!(error instanceof ChannelError)) throw error
    return channel.deps.log.warn(error.reason, { topic: channel.name })
  }
  if (channel.isOpen) send(channel, message, ref)
}

function send(channel: Channel, message: PublishedMessage, ref: string | null): void {
  if (!channel.policies.broadcast.write) return
  if (!channel.events.admit(performance.now())) {
    channel.shutDown('Too many messages per second')
    return
  }
  const bytes = message.kind === 'text' ? message.payload.length : message.broadcast.payload.length
  const fits = bytes <= channel.deps.limits.payloadBytes
  if (fits) channel.publish(message)
  if (channel.request.ack)
    channel.reply(ref, fits ? { status: 'ok', response: {} } : { status: 'error', response: 'payload_size_exceeded' })
}
