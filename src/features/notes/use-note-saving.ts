import { type QueryClient, useMutation, useQueryClient } from '@tanstack/react-query'
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { describeFailure } from '../../lib/failure.ts'
import { keys } from '../../lib/keys.ts'
import { supabase } from '../../lib/supabase.ts'
import { mergeTexts } from './merge-texts.ts'
import { dropDraft, isConflict, LONGEST_NOTE, saveDraft, saveNote } from './mutations.ts'
import { versionBodyQuery } from './queries.ts'

/** Where what is written stands. `kept`: as this person's draft; `saved`: as a version that all see. */
export type Saving =
  | { step: 'saved' | 'writing' | 'kept' | 'saving' }
  | { step: 'failed'; reason: string }
  | { step: 'too-long' }
  | { step: 'conflict'; theirs: string; version: string }

/** Kept as a draft this long after the last letter, saved as a version after a longer rest. Milliseconds. */
const DRAFT_AFTER = 1000
const VERSION_AFTER = 30_000

type Start = { text: string; version: string; saved: string }
type Options = {
  library: string
  note: string
  start: Start
  /** Puts a text into the editor that somebody else had a part in. */
  onMerged: (text: string) => void
  onVersion: () => void
}

/** Keeps what is written: as a draft while it is typed, as a version when it is finished, put together with what others
 *  have saved meanwhile wherever that can be done without guessing. */
export function useNoteSaving({ library, note, start, onMerged, onVersion }: Options) {
  const queryClient = useQueryClient()
  const text = useRef(start.text)
  const base = useRef({ version: start.version, text: start.saved })
  const [saving, setSaving] = useState<Saving>({ step: start.text === start.saved ? 'saved' : 'kept' })
  const timers = useRef<{ draft?: ReturnType<typeof setTimeout>; version?: ReturnType<typeof setTimeout> }>({})
  const drafting = useMutation(saveDraft)
  const dropping = useMutation(dropDraft)
  const versioning = useMutation(saveNote)

  const stopTimers = () => {
    clearTimeout(timers.current.draft)
    clearTimeout(timers.current.version)
  }
  const keepDraft = () =>
    drafting.mutate(
      { library, note, body: text.current, basedOn: base.current.version },
      {
        onSuccess: () => setSaving((now) => (now.step === 'writing' ? { step: 'kept' } : now)),
        onError: (error) => setSaving({ step: 'failed', reason: describeFailure(error).title }),
      },
    )

  /** @returns whether everything is saved now. */
  const save = async (): Promise<boolean> => {
    stopTimers()
    const body = text.current
    if (body === base.current.text) return true
    if (new TextEncoder().encode(body).length > LONGEST_NOTE) return false
    setSaving({ step: 'saving' })
    try {
      const { id } = await versioning.mutateAsync({ library, note, body, basedOn: base.current.version })
      base.current = { version: id, text: body }
      dropping.mutate(note)
      setSaving({ step: text.current === body ? 'saved' : 'writing' })
      onVersion()
      void queryClient.invalidateQueries({ queryKey: keys.document(library, note) })
      return true
    } catch (error) {
      if (isConflict(error)) return await settle(body)
      keepDraft()
      setSaving({ step: 'failed', reason: describeFailure(error).title })
      return false
    }
  }

  /** Somebody else has saved: puts both texts together, or asks. */
  const settle = async (mine: string): Promise<boolean> => {
    await queryClient.invalidateQueries({ queryKey: keys.document(library, note) })
    const latest = await latestOf(note, queryClient)
    const merged = mergeTexts(base.current.text, mine, latest.text)
    if (merged === undefined) {
      setSaving({ step: 'conflict', theirs: latest.text, version: latest.version })
      return false
    }
    base.current = latest
    text.current = merged
    onMerged(merged)
    return await save()
  }

  const write = (next: string) => {
    text.current = next
    stopTimers()
    if (new TextEncoder().encode(next).length > LONGEST_NOTE) return setSaving({ step: 'too-long' })
    setSaving((now) => (now.step === 'conflict' ? now : { step: 'writing' }))
    timers.current.draft = setTimeout(keepDraft, DRAFT_AFTER)
    timers.current.version = setTimeout(() => void save(), VERSION_AFTER)
  }
  /** Ends a conflict with a text that stands on top of theirs. */
  const decide = async (theirs: { version: string; theirs: string }, chosen: string): Promise<boolean> => {
    base.current = { version: theirs.version, text: theirs.theirs }
    text.current = chosen
    onMerged(chosen)
    if (chosen !== theirs.theirs) return await save()
    dropping.mutate(note)
    setSaving({ step: 'saved' })
    return true
  }
  // Whoever walks away has finished.
  const leave = useEffectEvent(() => void save())
  useEffect(() => () => leave(), [])
  return { saving, write, save, decide, mine: () => text.current }
}

async function latestOf(note: string, queryClient: QueryClient) {
  const { data } = await supabase.from('documents').select('current_version_id').eq('id', note).single().throwOnError()
  const version = data.current_version_id ?? ''
  const { body } = await queryClient.query(versionBodyQuery(version))
  return { version, text: body ?? '' }
}
