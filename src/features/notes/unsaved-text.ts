import { onlineManager, useMutationState, useQuery } from '@tanstack/react-query'
import { saveDraft, saveNote } from './mutations.ts'
import { draftQuery } from './queries.ts'

/** What this person wrote in a note and has not saved as a version. */
export type UnsavedText = {
  body: string
  /** The version that was written on. */
  basedOn: string | null
  /** When the draft was stored; null when the text waits for the network. */
  storedAt: string | null
}

type Sent = { note: string; body: string; basedOn: string | null }

/** The newest text of this person that is no version yet: one that waits for the network, else the stored draft. It is null where there
 *  is none, undefined while nobody knows.
 *  @param isEnabled Whether the document is a note that this person may change. */
export function useUnsavedText(library: string, note: string, isEnabled: boolean): UnsavedText | null | undefined {
  const draft = useQuery({ ...draftQuery(library, note), enabled: isEnabled })
  const waiting = useMutationState({
    filters: {
      status: 'pending',
      predicate: ({ options: { mutationKey }, state }) => isOneOf(mutationKey) && state.isPaused,
    },
    select: ({ state }) => state.variables as Sent,
  }).findLast((sent) => sent.note === note)
  if (waiting) return { body: waiting.body, basedOn: waiting.basedOn, storedAt: null }
  // What was kept from an earlier visit counts only where the present state cannot be fetched.
  if (draft.isFetching && !draft.isFetchedAfterMount) return undefined
  if (draft.data) return { body: draft.data.body, basedOn: draft.data.based_on, storedAt: draft.data.updated_at }
  // Without network a note that was kept can be edited, although nobody knows of a draft then.
  return draft.data === null || (draft.isError && !onlineManager.isOnline()) ? null : undefined
}

const KEYS = [saveDraft, saveNote].map(({ mutationKey }) => JSON.stringify(mutationKey))
const isOneOf = (key: readonly unknown[] | undefined): boolean => KEYS.includes(JSON.stringify(key))
