import type { Channel } from './channel.ts'
import { ChannelError } from './errors.ts'
import type { Incoming } from './protocol/frame.ts'
import type { PublishedMessage } from './pub-sub.ts'

export function receiveMessage(channel: Channel, message: Incoming): Promise<void> | void {
  if (!channel.isOpen) return
  if (message.kind === 'broadcast')
    return receiveBroadcast(channel, { kind: 'broadcast', broadcast: message.broadcast }, message.ref)
  switch (message.event) {
    case 'broadcast': {
      if (typeof message.payload !== 'object' || Array.isArray(message.payload)) return
      const payload = JSON.stringify(message.payload)
      return receiveBroadcast(channel, { kind: 'text', event: 'broadcast', payload }, message.ref)
    }
    case 'presence':
      return receivePresence(channel, message.payload, message.ref)
    case 'access_token':
      return channel.refresh(message.payload)
    default:
      if (!channel.events.admit(performance.now())) channel.shutDown('Too many messages per second')
  }
}

/** Publishes a client's broadcast (RealtimeChannel.BroadcastHandler). Private channels evaluate their policies once; a
 *  client without write access gets no reply. */
function receiveBroadcast(channel: Channel, message: PublishedMessage, ref: string | null): Promise<void> | void {
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

/** Handles track and untrack, then replies (RealtimeChannel.PresenceHandler). */
async function receivePresence(channel: Channel, message: unknown, ref: string | null): Promise<void> {
  const { event, payload } = (message ?? {}) as { event?: unknown; payload?: unknown }
  if (typeof event !== 'string') return channel.reply(ref, { status: 'ok', response: {} })
  if (!channel.presenceCalls.admit(performance.now())) return channel.shutDown('Client presence rate limit exceeded')
  switch (event.toLowerCase()) {
    case 'track':
      return track(channel, payload ?? {}, ref)
    case 'untrack':
      channel.tracked = null
      channel.deps.presence.untrack(channel.key, channel)
      return channel.reply(ref, { status: 'ok', response: {} })
    default:
      channel.deps.log.warn('UnknownPresenceEvent', { topic: channel.name })
      return channel.reply(ref, { status: 'error', response: {} })
  }
}

async function track(channel: Channel, payload: unknown, ref: string | null): Promise<void> {
  const { deps } = channel
  const refuse = (response: unknown) => channel.reply(ref, { status: 'error', response })
  try {
    // Tracking enables presence, so a channel that joined without it hasn't evaluated the read policy yet.
    if (channel.policies.presence.read === null) await channel.authorize('read', ['presence'])
    if (channel.policies.presence.write === null) await channel.authorize('write', ['broadcast', 'presence'])
  } catch (error) {
    if (!(error instanceof ChannelError)) throw error
    deps.log.warn(error.reason, { topic: channel.name })
    return refuse({})
  }
  if (!channel.isOpen) return
  if (!channel.policies.presence.write) return refuse({})
  channel.presenceEnabled = true
  if (typeof payload !== 'object' || payload === null || Array.isArray(payload))
    return refuse({ reason: 'Presence track payload must be a map' })
  const json = JSON.stringify(payload)
  if (json !== channel.tracked) {
    if (json.length > deps.limits.payloadBytes) return channel.shutDown('Track message size exceeded')
    if (!deps.presenceEvents.admit(performance.now())) return channel.shutDown('Too many presence messages per second')
    deps.presence.track(channel.key, channel, channel.presenceKey, payload as Record<string, unknown>)
    channel.tracked = json
  }
  channel.reply(ref, { status: 'ok', response: {} })
}
