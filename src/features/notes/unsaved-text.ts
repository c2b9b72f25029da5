import { onlineManager, useMutationState, useQuery } from '@tanstack/react-query'
import { sendWriting } from './mutations.ts'
import { draftQuery } from './queries.ts'
import { stateQuery } from './writing/note-store.ts'
import type { Written } from './writing/outbox.ts'

/** What was written in a note and is in no version. `waiting`: by this person, in this browser, until the network is back. `draft`:
 *  by this person, and it could not be merged with what others wrote. `history`: by anybody; the editor shows it. */
export type UnsavedText =
  | { kind: 'waiting' }
  | { kind: 'draft'; body: string; basedOn: string | null; storedAt: string }
  | { kind: 'history'; storedAt: string; isOlder: boolean }

/** It is null where everything is in a version, undefined while nobody knows.
 *  @param isEnabled Whether the document is a note that this person may change. */
export function useUnsavedText(library: string, note: string, isEnabled: boolean): UnsavedText | null | undefined {
  const draft = useQuery({ ...draftQuery(library, note), enabled: isEnabled })
  const state = useQuery({ ...stateQuery(library, note), enabled: isEnabled })
  const isWaiting = useMutationState({
    filters: { status: 'pending', mutationKey: sendWriting.mutationKey, predicate: ({ state }) => state.isPaused },
    select: ({ state }) => (state.variables as Written).note,
  }).includes(note)
  if (isWaiting) return { kind: 'waiting' }
  // What was kept from an earlier visit counts only where the present state cannot be fetched.
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
  // Without network a note that was kept can be edited, although nobody knows of a draft then.
  return draft.data === null || (draft.isError && !onlineManager.isOnline()) ? null : undefined
}
