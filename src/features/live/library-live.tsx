import type { RealtimeChannel } from '@supabase/supabase-js'
import { useQueryClient } from '@tanstack/react-query'
import { createContext, type ReactNode, useCallback, useContext, useEffect, useMemo, useRef, useState } from 'react'
import { keys } from '../../lib/keys.ts'
import { openRealtime } from '../../lib/realtime-later.ts'
import { supabase } from '../../lib/supabase.ts'
import { gathered } from './gathered.ts'
import { applyIngestEvent, applyRowChanges, askAnew, IngestEvent, RowChange, SystemMessage } from './library-events.ts'
import { paced } from './paced.ts'
import { type Presence, whoIsHere } from './presence.ts'

type Place = Pick<Presence, 'document' | 'page'>
type LibraryLive = {
  people: readonly Presence[]
  /** Tells the others what this person has open; null when it is closed. */
  report: (place: Place) => void
}

const Context = createContext<LibraryLive>({ people: [], report: () => {} })

/** Who else is in the library and what they read. */
export const useLibraryLive = () => useContext(Context)

/** When somebody adds a thousand files, each of them is told of: screens ask again once a second, not a thousand times. */
const SOON = 60
const PACE = 1000
/** Whose rows are told of as they change. */
const TABLES = ['documents', 'comments', 'collections', 'tags']

const NOWHERE: Place = { document: null, page: null }
/** Leaving takes a round trip; a channel of the same name may be joined only after it. */
const leaving = new Map<string, Promise<unknown>>()

type LibraryLiveProviderProps = { library: string; person: string; children: ReactNode }

/** Holds a library's one private channel open: progress of the reading, changes of rows, presence. */
export function LibraryLiveProvider({ library, person, children }: LibraryLiveProviderProps) {
  const queryClient = useQueryClient()
  const [people, setPeople] = useState<readonly Presence[]>([])
  const channel = useRef<RealtimeChannel>(undefined)
  const place = useRef<Place>(NOWHERE)
  const presence = useMemo(() => paced((next: Place) => void channel.current?.track({ person, ...next })), [person])

  useEffect(() => {
    const topic = `library:${library}`
    let wanted = true
    const rows = gathered<RowChange>((all) => applyRowChanges(queryClient, library, all), SOON, PACE)

    const join = () => {
      if (!wanted) return
      const joined = supabase.channel(topic, { config: { private: true, presence: { key: person, enabled: true } } })
      const filter = `library_id=eq.${library}`
      const onRow = (change: unknown) => {
        const parsed = RowChange.safeParse(change)
        if (parsed.success) rows.take(parsed.data)
      }
      joined
        .on('broadcast', { event: 'ingest' }, ({ payload }) => {
          const parsed = IngestEvent.safeParse(payload)
          if (parsed.success) applyIngestEvent(queryClient, library, parsed.data)
        })
        .on('presence', { event: 'sync' }, () => {
          setPeople(whoIsHere(joined.presenceState()))
        })
        .on('system', {}, (message: unknown) => {
          // What happened before the line was open, or while it was down, was not heard.
          if (SystemMessage.safeParse(message).data?.status === 'ok') askAnew(queryClient, keys.library(library))
        })
      for (const table of TABLES) {
        const wish = { event: '*', schema: 'public', table, filter } as const
        joined.on('postgres_changes', wish, onRow)
      }
      joined.subscribe((status) => {
        if (status === 'SUBSCRIBED') presence.send(place.current)
      })
      channel.current = joined
    }

    // Its code may not come (a line that is down): then this library is not live, and everything else works.
    void Promise.all([openRealtime(supabase), leaving.get(topic)]).then(join, () => {})
    return () => {
      wanted = false
      presence.cancel()
      rows.cancel()
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
