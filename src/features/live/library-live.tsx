import type { RealtimeChannel } from '@supabase/supabase-js'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { createContext, type ReactNode, useCallback, useContext, useEffect, useMemo, useRef, useState } from 'react'
import { channelEpochQuery } from '../../domain/channels.ts'
import { keys } from '../../domain/keys.ts'
import { openRealtime } from '../../lib/backend/deferred-realtime.ts'
import { supabase } from '../../lib/backend/supabase.ts'
import { batched } from './batched.ts'
import {
  applyDocumentsEvents,
  applyRowChanges,
  DocumentsEvent,
  invalidateLists,
  invalidateWithPending,
  RowChange,
  SystemMessage,
} from './library-events.ts'
import { type Presence, parsePresence } from './presence.ts'
import { applyIngestEvents, IngestEvent } from './shelf-patches.ts'
import { throttled } from './throttled.ts'

type PresencePlace = Pick<Presence, 'document' | 'page'>
type LibraryLive = {
  people: readonly Presence[]
  /** Tells the others what this person has open; null when it is closed. */
  report: (place: PresencePlace) => void
}

const Context = createContext<LibraryLive>({ people: [], report: () => {} })

/** Who else is in the library and what they read. */
export const useLibraryLive = () => useContext(Context)

/** Milliseconds until a change is shown, and between two times that changes are shown: a thousand added files cause a thousand
 *  messages. */
const SOON = 60
const PACE = 250
/** Milliseconds between two looks at the library's progress. */
const PROGRESS_PACE = 1000
/** Milliseconds between two searches for news of saved searches while documents are read. */
const SEARCH_PACE = 5000
/** Lists are fetched again at most once a second, and so rarely that they take at most a tenth of the time. */
const LIST_PACE = 1000
const LIST_SHARE = 10
/** The tables whose changes are reported. */
const TABLES = ['documents', 'comments', 'collections', 'tags', 'collection_fields', 'field_options']

/** What shows who belongs to a library. */
const MEMBER_KEYS = [keys.channels, keys.members, keys.openInvitations, keys.grants, keys.groups]

const NOWHERE: PresencePlace = { document: null, page: null }
/** Leaving takes a round trip, and a channel of the same name can only be joined after it. */
const leaving = new Map<string, Promise<unknown>>()

type LibraryLiveProviderProps = { library: string; person: string; children: ReactNode }

/** Keeps a library's private channel open: indexing progress, changes of rows, of tags and of fields, presence. */
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
    let cost = 0
    const fetchLists = async () => {
      const start = performance.now()
      await invalidateLists(queryClient, library)
      cost = performance.now() - start
    }
    const lists = batched<void>(
      () => void fetchLists(),
      0,
      () => Math.max(LIST_PACE, LIST_SHARE * cost),
    )
    const progress = batched<void>(
      () => void invalidateWithPending(queryClient, keys.indexing(library)),
      SOON,
      PROGRESS_PACE,
    )
    const onRows = (all: RowChange[]) => {
      if (applyRowChanges(queryClient, library, all)) lists.add()
      if (all.some(({ table }) => table === 'documents')) progress.add()
    }
    const rows = batched(onRows, SOON, PACE)
    const arranged = batched<DocumentsEvent>(
      (all) => {
        applyDocumentsEvents(queryClient, library, all)
        lists.add()
      },
      SOON,
      PACE,
    )
    const readings = batched<IngestEvent>((all) => applyIngestEvents(queryClient, library, all), SOON, PACE)
    const found = batched<string>(
      () => void invalidateWithPending(queryClient, keys.search(library)),
      SOON,
      SEARCH_PACE,
    )

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
          readings.add(parsed.data)
          if (parsed.data.state === 'ready') found.add(parsed.data.document_id)
        })
        .on('broadcast', { event: 'documents' }, ({ payload }) => {
          const parsed = DocumentsEvent.safeParse(payload)
          if (parsed.success) arranged.add(parsed.data)
        })
        .on('broadcast', { event: 'members' }, () => {
          for (const key of MEMBER_KEYS) void invalidateWithPending(queryClient, key(library))
          // The own role is there.
          void invalidateWithPending(queryClient, keys.libraries)
        })
        .on('presence', { event: 'sync' }, () => {
          setPeople(parsePresence(joined.presenceState()))
        })
        .on('system', {}, (message: unknown) => {
          // Changes from before the channel was open, or while it was down, were missed.
          if (SystemMessage.safeParse(message).data?.status === 'ok')
            void invalidateWithPending(queryClient, keys.library(library))
        })
      for (const table of TABLES) {
        const options = { event: '*', schema: 'public', table, filter } as const
        joined.on('postgres_changes', options, onRow)
      }
      joined.subscribe((status) => {
        if (status === 'SUBSCRIBED') presence.send(place.current)
        // The channel may have ended while this client did not listen.
        if (status === 'CHANNEL_ERROR') void invalidateWithPending(queryClient, keys.channels(library))
      })
      channel.current = joined
    }

    // If the Realtime code cannot be loaded, the library is not live, and everything else works.
    void Promise.all([openRealtime(supabase), leaving.get(topic)]).then(join, () => {})
    return () => {
      isMounted = false
      presence.cancel()
      rows.cancel()
      arranged.cancel()
      readings.cancel()
      lists.cancel()
      progress.cancel()
      found.cancel()
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
