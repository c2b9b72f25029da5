import type { RealtimeChannel } from '@supabase/supabase-js'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useEffectEvent } from 'react'
import { keys } from '../../domain/keys.ts'
import { openRealtime } from '../../lib/backend/deferred-realtime.ts'
import { supabase } from '../../lib/backend/supabase.ts'
import { batched } from '../../lib/batched.ts'
import { forgetOpenedFiles } from '../../lib/offline/file-cache.ts'
import { AccessEvent, applyAccess, invalidateWithPending, SystemMessage } from './library-events.ts'

/** What each event of a person's channel makes stale. */
const EVENTS = {
  notifications: [keys.notifications, keys.invitations],
  favorites: [keys.favorites],
} satisfies Record<string, readonly (readonly string[])[]>
type Event = keyof typeof EVENTS
const NAMES = Object.keys(EVENTS) as Event[]

/** Milliseconds until a change is shown, and between two times that changes are shown. */
const SOON = 60
const PACE = 1000

/** Keeps a person's own private channel open: it tells that something of theirs has changed, on whichever device.
 *  @param onLessAccess Called when they may see less of a library than before. */
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
        // Changes from before the channel was open, or while it was down, were missed.
        if (SystemMessage.safeParse(message).data?.status === 'ok') for (const event of NAMES) changes.add(event)
      })
      channel.subscribe()
    }
    // If the Realtime code cannot be loaded, nothing is live, and everything else works.
    void openRealtime(supabase).then(join, () => {})
    return () => {
      isMounted = false
      changes.cancel()
      if (channel) void supabase.removeChannel(channel)
    }
  }, [person, queryClient])
}
