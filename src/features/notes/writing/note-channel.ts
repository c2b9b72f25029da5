import type { RealtimeChannel } from '@supabase/supabase-js'
import { type QueryClient, QueryObserver } from '@tanstack/react-query'
import { channelEpochQuery } from '../../../domain/channels.ts'
import { keys } from '../../../domain/keys.ts'
import { openRealtime } from '../../../lib/backend/deferred-realtime.ts'
import { supabase } from '../../../lib/backend/supabase.ts'
import { decodeMessage, encodeMessage, type Message } from './messages.ts'

export type NoteChannel = { send(message: Message): void; close(): void }
type Place = { queryClient: QueryClient; library: string; note: string }
type Handlers = {
  /** Called on joining and rejoining: earlier messages were missed. */
  onJoin(): void
  onMessage(message: Message): void
}

const EVENT = 'writing'
/** Leaving takes a round trip, and a channel with the same name can only be joined afterwards. */
const leaving = new Map<string, Promise<unknown>>()

/** Joins the writers' private channel, and its successor when it ends. Without it, changes arrive by pulling. */
export function joinNote({ queryClient, library, note }: Place, { onJoin, onMessage }: Handlers): NoteChannel {
  let topic: string | undefined
  let channel: RealtimeChannel | undefined
  let isJoined = false

  const leave = () => {
    isJoined = false
    if (channel) leaving.set(channel.subTopic, supabase.removeChannel(channel))
    channel = undefined
    topic = undefined
  }
  const join = (wanted: string) => {
    if (topic !== wanted) return
    const joined = supabase.channel(wanted, { config: { private: true, broadcast: { self: false } } })
    channel = joined
    joined
      .on('broadcast', { event: EVENT }, ({ payload }: { payload: unknown }) => {
        const message = payload instanceof ArrayBuffer ? decodeMessage(new Uint8Array(payload)) : undefined
        if (message) onMessage(message)
      })
      .subscribe((status) => {
        if (channel !== joined) return
        isJoined = status === 'SUBSCRIBED'
        if (isJoined) onJoin()
        // The channel may have ended in the meantime.
        if (status === 'CHANNEL_ERROR') void queryClient.invalidateQueries({ queryKey: keys.channels(library) })
      })
  }
  const follow = (epoch: number | null | undefined) => {
    const wanted = epoch == null ? undefined : `note:${note}:${epoch}`
    if (wanted === topic) return
    leave()
    topic = wanted
    if (wanted)
      void Promise.all([openRealtime(supabase), leaving.get(wanted)]).then(
        () => join(wanted),
        () => {},
      )
  }
  const epochs = new QueryObserver(queryClient, channelEpochQuery(library))
  follow(epochs.getCurrentResult().data)
  const unfollow = epochs.subscribe(({ data }) => follow(data))

  return {
    send(message) {
      // Without a socket, the client would send each letter as an HTTP request.
      if (isJoined) void channel?.send({ type: 'broadcast', event: EVENT, payload: encodeMessage(message).buffer })
    },
    close() {
      unfollow()
      leave()
    },
  }
}
