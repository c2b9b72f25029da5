import type { RealtimeChannel } from '@supabase/supabase-js'
import { useQueryClient } from '@tanstack/react-query'
import { createContext, type ReactNode, useCallback, useContext, useEffect, useMemo, useRef, useState } from 'react'
import { keys } from '../../domain/keys.ts'
import { openRealtime } from '../../lib/backend/deferred-realtime.ts'
import { supabase } from '../../lib/backend/supabase.ts'
import { batched } from './batched.ts'
import {
  applyIngestEvent,
  applyRowChanges,
  IngestEvent,
  invalidateWithPending,
  RowChange,
  SystemMessage,
} from './library-events.ts'
import { type Presence, parsePresence } from './presence.ts'
import { throttled } from './throttled.ts'

type Place = Pick<Presence, 'document' | 'page'>
type LibraryLive = {
  people: readonly Presence[]
  /** Tells the others what this person has open; null when it is closed. */
  report: (place: Place) => void
}

const Context = createContext<LibraryLive>({ people: [], report: () => {} })

/** Who else is in the library and what they read. */
export const useLibraryLive = () => useContext(Context)

/** A thousand added files cause a thousand messages: screens fetch again once a second, not a thousand times. */
const SOON = 60
const PACE = 1000
/** The tables whose changes are reported. */
const TABLES = ['documents', 'comments', 'collections', 'tags']

/** What shows who belongs to a library. */
const MEMBER_KEYS = [keys.members, keys.openInvitations, keys.grants]

const NOWHERE: Place = { document: null, page: null }
/** Leaving takes a round trip, and a channel of the same name can only be joined after it. */
const leaving = new Map<string, Promise<unknown>>()

type LibraryLiveProviderProps = { library: string; person: string; children: ReactNode }

/** Keeps a library's private channel open: indexing progress, changes of rows, presence. */
export function LibraryLiveProvider({ library, person, children }: LibraryLiveProviderProps) {
  const queryClient = useQueryClient()
  const [people, setPeople] = useState<readonly Presence[]>([])
  const channel = useRef<RealtimeChannel>(undefined)
  const place = useRef<Place>(NOWHERE)
  const presence = useMemo(() => throttled((next: Place) => void channel.current?.track({ person, ...next })), [person])

  useEffect(() => {
    const topic = `library:${library}`
    let isMounted = true
    const rows = batched<RowChange>((all) => applyRowChanges(queryClient, library, all), SOON, PACE)

    const found = batched<string>(() => invalidateWithPending(queryClient, keys.search(library)), SOON, PACE)

    const join = () => {
      if (!isMounted) return
      const joined = supabase.channel(topic, { config: { private: true, presence: { key: person, enabled: true } } })
      const filter = `library_id=eq.${library}`
      const onRow = (change: unknown) => {
        const parsed = RowChange.safeParse(change)
        if (parsed.success) rows.add(parsed.data)
      }
      joined
        .on('broadcast', { event: 'ingest' }, ({ payload }) => {
          const parsed = IngestEvent.safeParse(payload)
          if (!parsed.success) return
          applyIngestEvent(queryClient, library, parsed.data)
          if (parsed.data.state === 'ready') found.add(parsed.data.document_id)
        })
        .on('broadcast', { event: 'members' }, () => {
          for (const key of MEMBER_KEYS) invalidateWithPending(queryClient, key(library))
          // The own role is there.
          invalidateWithPending(queryClient, keys.libraries)
        })
        .on('presence', { event: 'sync' }, () => {
          setPeople(parsePresence(joined.presenceState()))
        })
        .on('system', {}, (message: unknown) => {
          // Changes from before the channel was open, or while it was down, were missed.
          if (SystemMessage.safeParse(message).data?.status === 'ok')
            invalidateWithPending(queryClient, keys.library(library))
        })
      for (const table of TABLES) {
        const options = { event: '*', schema: 'public', table, filter } as const
        joined.on('postgres_changes', options, onRow)
      }
      joined.subscribe((status) => {
        if (status === 'SUBSCRIBED') presence.send(place.current)
      })
      channel.current = joined
    }

    // If the Realtime code cannot be loaded, the library is not live, and everything else works.
    void Promise.all([openRealtime(supabase), leaving.get(topic)]).then(join, () => {})
    return () => {
      isMounted = false
      presence.cancel()
      rows.cancel()
      found.cancel()
      const left = channel.current
      channel.current = undefined
      if (left) leaving.set(topic, supabase.removeChannel(left))
      setPeople([])
    }
  }, [library, person, presence, queryClient])

  const report = useCallback(
    (next: Place) => {
      place.current = next
      presence.send(next)
    },
    [presence],
  )
  const value = useMemo(() => ({ people, report }), [people, report])
  return <Context value={value}>{children}</Context>
}
