import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { Draft } from './follow-draft.ts'

type Note = { id: string; version: { id: string; body: string } }

/** Other people's unsaved text of a note, for its editors; undefined if it equals the latest version. */
export function useDraft(library: string, note: Note | undefined, isOn: boolean): Draft | undefined {
  const queryClient = useQueryClient()
  const [draft, setDraft] = useState<Draft & { note: string }>()
  const [following, setFollowing] = useState<{ read: () => void }>()
  const id = isOn ? note?.id : undefined
  useEffect(() => {
    if (!id) return
    let stop = () => {}
    let isLeft = false
    // Loaded with the editor.
    import('./follow-draft.ts').then(
      ({ followNote }) => {
        if (isLeft) return
        const followed = followNote({ queryClient, library, note: id }, (draft) => setDraft({ ...draft, note: id }))
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
  }, [queryClient, library, id])
  // biome-ignore lint/correctness/useExhaustiveDependencies: a version was saved
  useEffect(() => following?.read(), [following, note?.version.id])
  // A restored version replaces earlier unsaved text.
  const isLatest = draft?.note === id && draft?.version === note?.version.id
  return isLatest && draft?.body !== note?.version.body ? draft : undefined
}
