import type { RealtimeChannel } from '@supabase/supabase-js'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { createContext, type ReactNode, useCallback, useContext, useEffect, useMemo, useRef, useState } from 'react'
import { channelEpochQuery } from '../../domain/channels.ts'
import { keys } from '../../domain/keys.ts'
import { openRealtime } from '../../lib/backend/deferred-realtime.ts'
import { supabase } from '../../lib/backend/supabase.ts'
import { invalidateWithPending } from '../../lib/mutations.ts'
import { SystemMessage } from './library-events.ts'
import { libraryUpdates } from './library-updates.ts'
import { type Presence, parsePresence } from './presence.ts'
import { throttled } from './throttled.ts'

type PresencePlace = Pick<Presence, 'document' | 'page' | 'writes'>
type LibraryLive = {
  people: readonly Presence[]
  /** Reports what the person has open; null if nothing. */
  report: (place: PresencePlace) => void
}

const Context = createContext<LibraryLive>({ people: [], report: () => {} })

export const useLibraryLive = () => useContext(Context)

const TABLES = ['documents', 'comments', 'collections', 'tags', 'collection_fields', 'field_options']

const NOWHERE: PresencePlace = { document: null, page: null }
/** Leaving takes a round trip, and a channel with the same name can only be joined afterwards. */
const leaving = new Map<string, Promise<unknown>>()

type LibraryLiveProviderProps = { library: string; person: string; children: ReactNode }

/** Subscribes to a library's channel: indexing progress, row changes and presence. */
export function LibraryLiveProvider({ library, person, children }: LibraryLiveProviderProps) {
  const queryClient = useQueryClient()
  const { data: epoch } = useQuery(channelEpochQuery(library))
  const [people, setPeople] = useState<readonly Presence[]>([])
  const channel = useRef<RealtimeChannel>(undefined)
  const place = useRef<PresencePlace>(NOWHERE)
  const presence = useMemo(
    () => throttled((next: PresencePlace) => void channel.current?.track({ person, ...next })),
    [person],
  )

  useEffect(() => {
    if (epoch == null) return
    const topic = `library:${library}:${epoch}`
    let isMounted = true
    const updates = libraryUpdates(queryClient, library)

    const join = () => {
      if (!isMounted) return
      const joined = supabase.channel(topic, { config: { private: true, presence: { key: person, enabled: true } } })
      const filter = `library_id=eq.${library}`
      joined
        .on('broadcast', { event: 'ingest' }, ({ payload }) => updates.onReading(payload))
        .on('broadcast', { event: 'documents' }, ({ payload }) => updates.onDocuments(payload))
        .on('broadcast', { event: 'members' }, updates.onMembers)
        .on('broadcast', { event: 'requests' }, updates.onRequests)
        .on('presence', { event: 'sync' }, () => {
          setPeople(parsePresence(joined.presenceState()))
        })
        .on('system', {}, (message: unknown) => {
          // Changes before the channel was open, or while it was down, were missed.
          if (SystemMessage.safeParse(message).data?.status === 'ok')
            void invalidateWithPending(queryClient, keys.library(library))
        })
      for (const table of TABLES) {
        const options = { event: '*', schema: 'public', table, filter } as const
        joined.on('postgres_changes', options, updates.onRow)
      }
      joined.subscribe((status) => {
        if (status === 'SUBSCRIBED') presence.send(place.current)
        // The channel may have ended in the meantime.
        if (status === 'CHANNEL_ERROR') void invalidateWithPending(queryClient, keys.channels(library))
      })
      channel.current = joined
    }

    // Without the Realtime code, everything works except live updates.
    void Promise.all([openRealtime(supabase), leaving.get(topic)]).then(join, () => {})
    return () => {
      isMounted = false
      presence.cancel()
      updates.cancel()
      const left = channel.current
      channel.current = undefined
      if (left) leaving.set(topic, supabase.removeChannel(left))
      setPeople([])
    }
  }, [library, epoch, person, presence, queryClient])

  const report = useCallback(
    (next: PresencePlace) => {
      place.current = next
      presence.send(next)
    },
    [presence],
  )
  const value = useMemo(() => ({ people, report }), [people, report])
  return <Context value={value}>{children}</Context>
}
