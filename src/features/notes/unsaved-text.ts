import { onlineManager, useMutationState, useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { sendWriting } from './mutations.ts'
import { draftQuery } from './queries.ts'
import { stateQuery } from './writing/note-store.ts'
import type { Written } from './writing/outbox.ts'

/** Text that is in no version. `waiting`: the person's, in this browser, until it's online. `draft`: the person's, and
 *  not mergeable. `history`: anyone's, shown by the editor. */
export type UnsavedText =
  | { kind: 'waiting'; body: string | undefined }
  | { kind: 'draft'; body: string; basedOn: string | null; storedAt: string }
  | { kind: 'history'; storedAt: string; isOlder: boolean }

/** Returns null if everything is saved, undefined while unknown.
 *  @param isEnabled Whether the document is an editable note. */
export function useUnsavedText(library: string, note: string, isEnabled: boolean): UnsavedText | null | undefined {
  const draft = useQuery({ ...draftQuery(library, note), enabled: isEnabled })
  const state = useQuery({ ...stateQuery(library, note), enabled: isEnabled })
  const waiting = useMutationState({
    filters: { status: 'pending', mutationKey: sendWriting.mutationKey, predicate: ({ state }) => state.isPaused },
    select: ({ state }) => state.variables as Written,
  }).findLast((written) => written.note === note)?.state
  const [body, setBody] = useState<string>()
  useEffect(() => {
    if (!waiting) return
    // With the editor that wrote it, because other files can't be loaded offline.
    import('./note-editor.tsx').then(
      ({ textOfState }) => setBody(textOfState(waiting)),
      () => {},
    )
  }, [waiting])
  if (waiting) return { kind: 'waiting', body }
  // Cached data only counts if it can't be refetched.
  if (draft.isFetching && !draft.isFetchedAfterMount) return undefined
  if (draft.data) {
    const { body, based_on: basedOn, updated_at: storedAt } = draft.data
    return { kind: 'draft', body, basedOn, storedAt }
  }
  const { data: history } = state
  if (history?.updated_at && history.last_update > history.state_update) {
    const isOlder = history.version !== history.current_version
    return { kind: 'history', storedAt: history.updated_at, isOlder }
  }
  // Offline, cached notes can be edited, although a draft may exist.
  return draft.data === null || (draft.isError && !onlineManager.isOnline()) ? null : undefined
}
