import { receiveBroadcast } from './broadcast.ts'
import type { Channel } from './channel.ts'
import { receivePresence } from './presence-messages.ts'
import type { Incoming } from './protocol/frame.ts'

/** Handles what a client sent on a topic that it has joined. */
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
