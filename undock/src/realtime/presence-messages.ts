import type { Channel } from './channel.ts'
import { ChannelError } from './errors.ts'

/** A presence message of a client (RealtimeChannel.PresenceHandler): track or untrack, then a reply. */
export async function receivePresence(channel: Channel, message: unknown, ref: string | null): Promise<void> {
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
    // Tracking enables presence; for a channel that joined without it the read policy has not been evaluated yet.
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
