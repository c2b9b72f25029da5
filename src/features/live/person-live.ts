import type { RealtimeChannel } from '@supabase/supabase-js'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useEffectEvent } from 'react'
import { keys } from '../../domain/keys.ts'
import { openRealtime } from '../../lib/backend/deferred-realtime.ts'
import { supabase } from '../../lib/backend/supabase.ts'
import { batched } from '../../lib/batched.ts'
import { invalidateWithPending } from '../../lib/mutations.ts'
import { forgetOpenedFiles } from '../../lib/offline/file-cache.ts'
import { AccessEvent, applyAccess, SystemMessage } from './library-events.ts'

const EVENTS = {
  notifications: [keys.notifications, keys.invitations],
  favorites: [keys.favorites],
} satisfies Record<string, readonly (readonly string[])[]>
type Event = keyof typeof EVENTS
const NAMES = Object.keys(EVENTS) as Event[]

/** Milliseconds before and between updates. */
const SOON = 60
const PACE = 1000

/** Subscribes to a person's own channel, for changes on any device.
 *  @param onLessAccess Called if they may see less of a library. */
export function usePersonLive(person: string, onLessAccess: () => void): void {
  const queryClient = useQueryClient()
  const onAccess = useEffectEvent(async (event: AccessEvent) => {
    const refetched = applyAccess(queryClient, event)
    if (!event.may_be_less) return
    await Promise.all([refetched, forgetOpenedFiles().catch(() => {})])
    onLessAccess()
  })
  useEffect(() => {
    let isMounted = true
    let channel: RealtimeChannel | undefined
    const changes = batched<Event>(
      (events) => {
        for (const event of new Set(events))
          for (const key of EVENTS[event]) void invalidateWithPending(queryClient, key)
      },
      SOON,
      PACE,
    )
    const join = () => {
      if (!isMounted) return
      channel = supabase.channel(`user:${person}`, { config: { private: true } })
      for (const event of NAMES) channel.on('broadcast', { event }, () => changes.add(event))
      channel.on('broadcast', { event: 'access' }, ({ payload }) => {
        const parsed = AccessEvent.safeParse(payload)
        if (parsed.success) void onAccess(parsed.data)
      })
      channel.on('system', {}, (message: unknown) => {
        // Changes before the channel was open, or while it was down, were missed.
        if (SystemMessage.safeParse(message).data?.status === 'ok') for (const event of NAMES) changes.add(event)
      })
      // The server may be down, which a request finds out.
      channel.subscribe((status) => {
        if (status === 'CHANNEL_ERROR') void queryClient.invalidateQueries({ queryKey: keys.notifications })
      })
    }
    // Without the Realtime code, everything works except live updates.
    void openRealtime(supabase).then(join, () => {})
    return () => {
      isMounted = false
      changes.cancel()
      if (channel) void supabase.removeChannel(channel)
    }
  }, [person, queryClient])
}
