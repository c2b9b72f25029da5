import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { Draft } from './follow-draft.ts'
import { stateQuery } from './note-store.ts'

type Note = { id: string; version: { id: string; body: string } }

/** Returns other people's unsaved text of a note; undefined if it equals the latest version.
 *  @param reader Set for people with read access. They load the editor's code only while someone writes or the note has a draft. */
export function useDraft(
  library: string,
  note: Note | undefined,
  reader: { seesWriters: boolean } | undefined,
): Draft | undefined {
  const queryClient = useQueryClient()
  const [draft, setDraft] = useState<Draft & { note: string }>()
  const [following, setFollowing] = useState<{ read: () => void }>()
  const { data: stored } = useQuery({ ...stateQuery(library, note?.id ?? ''), enabled: !!reader && !!note })
  const isWriter = !reader
  const [begun, setBegun] = useState<string>()
  const begins = isWriter || (stored?.is_shared && (reader.seesWriters || stored.last_update > stored.state_update))
  // Until the note is left: the version arrives after its writer has gone.
  if (begins && begun !== note?.id) setBegun(note?.id)
  const id = begun === note?.id ? begun : undefined
  useEffect(() => {
    if (!id) return
    let stop = () => {}
    let isLeft = false
    import('./follow-draft.ts').then(
      ({ followNote }) => {
        if (isLeft) return
        const followed = followNote(
          { queryClient, library, note: id },
          { isWriter, onDraft: (draft) => setDraft({ ...draft, note: id }) },
        )
        stop = followed.stop
        setFollowing(followed)
      },
      () => {},
    )
    return () => {
      isLeft = true
      stop()
      setFollowing(undefined)
      setDraft(undefined)
    }
  }, [queryClient, library, id, isWriter])
  // biome-ignore lint/correctness/useExhaustiveDependencies: a version was saved
  useEffect(() => following?.read(), [following, note?.version.id])
  // A restored version replaces earlier unsaved text.
  const isLatest = draft?.note === id && draft?.version === note?.version.id
  return isLatest && draft?.body !== note?.version.body ? draft : undefined
}
