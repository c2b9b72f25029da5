import type { RealtimeChannel } from '@supabase/supabase-js'
import { openRealtime } from '../../../lib/backend/deferred-realtime.ts'
import { supabase } from '../../../lib/backend/supabase.ts'
import { decodeMessage, encodeMessage, type Message } from './messages.ts'

export type NoteChannel = { send(message: Message): void; close(): void }
type Handlers = {
  /** The channel is open, for the first time or again: messages from before were missed. */
  onJoin(): void
  onMessage(message: Message): void
}

const EVENT = 'writing'
/** Leaving takes a round trip, and a channel of the same name can only be joined after it. */
const leaving = new Map<string, Promise<unknown>>()

/** Joins the private channel of those who write in a note. Where it cannot be joined, what others write comes with the next
 *  pull. */
export function joinNote(note: string, { onJoin, onMessage }: Handlers): NoteChannel {
  const topic = `note:${note}`
  let channel: RealtimeChannel | undefined
  let isJoined = false
  let isClosed = false

  const join = () => {
    if (isClosed) return
    channel = supabase.channel(topic, { config: { private: true, broadcast: { self: false } } })
    channel
      .on('broadcast', { event: EVENT }, ({ payload }: { payload: unknown }) => {
        const message = payload instanceof ArrayBuffer ? decodeMessage(new Uint8Array(payload)) : undefined
        if (message) onMessage(message)
      })
      .subscribe((status) => {
        isJoined = status === 'SUBSCRIBED'
        if (isJoined) onJoin()
      })
  }
  void Promise.all([openRealtime(supabase), leaving.get(topic)]).then(join, () => {})

  return {
    send(message) {
      // Without a socket the client would send every letter by a request of its own.
      if (isJoined) void channel?.send({ type: 'broadcast', event: EVENT, payload: encodeMessage(message).buffer })
    },
    close() {
      isClosed = true
      isJoined = false
      if (channel) leaving.set(topic, supabase.removeChannel(channel))
    },
  }
}
