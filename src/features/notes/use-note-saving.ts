import { type QueryClient, useMutation, useQueryClient } from '@tanstack/react-query'
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { describeFailure } from '../../domain/failure.ts'
import { supabase } from '../../lib/backend/supabase.ts'
import { mergeTexts } from './merge-texts.ts'
import { discardDraft, isConflict, LONGEST_NOTE, saveDraft, saveNote } from './mutations.ts'
import { versionBodyQuery } from './queries.ts'

/** The state of the text. `kept`: stored as this person's draft; `saved`: stored as a version that everybody sees. */
export type Saving =
  | { step: 'saved' | 'writing' | 'kept' | 'saving' }
  | { step: 'failed'; reason: string }
  | { step: 'too-long' }
  | { step: 'conflict'; theirs: string; version: string }

/** Milliseconds after the last keystroke until the draft is stored, and until a version is saved. */
const DRAFT_AFTER = 1000
const VERSION_AFTER = 30_000

type Start = { text: string; version: string; saved: string }
type Options = {
  library: string
  note: string
  start: Start
  /** Replaces the editor's text by a merged one. */
  onMerged: (text: string) => void
}

/** Stores the text as a draft while a person types, and saves it as a version when they pause or finish. Versions that others
 *  have saved meanwhile are merged where the changes do not overlap. */
export function useNoteSaving({ library, note, start, onMerged }: Options) {
  const queryClient = useQueryClient()
  const text = useRef(start.text)
  const base = useRef({ version: start.version, text: start.saved })
  const [saving, setSaving] = useState<Saving>({ step: start.text === start.saved ? 'saved' : 'kept' })
  const timers = useRef<{ draft?: ReturnType<typeof setTimeout>; version?: ReturnType<typeof setTimeout> }>({})
  const drafting = useMutation(saveDraft)
  const discarding = useMutation(discardDraft)
  const versioning = useMutation({
    ...saveNote,
    onSuccess: ({ id }, { body }) => {
      base.current = { version: id, text: body }
      discarding.mutate(note)
      setSaving({ step: text.current === body ? 'saved' : 'writing' })
    },
  })

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
      await versioning.mutateAsync({ library, note, body, basedOn: base.current.version })
      return true
    } catch (error) {
      if (isConflict(error)) return await settle(body)
      keepDraft()
      setSaving({ step: 'failed', reason: describeFailure(error).title })
      return false
    }
  }

  /** Somebody else has saved: merges both texts, or asks. */
  const settle = async (mine: string): Promise<boolean> => {
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
  /** Ends a conflict with a chosen text, based on their version. */
  const decide = async (theirs: { version: string; theirs: string }, chosen: string): Promise<boolean> => {
    base.current = { version: theirs.version, text: theirs.theirs }
    text.current = chosen
    onMerged(chosen)
    if (chosen !== theirs.theirs) return await save()
    discarding.mutate(note)
    setSaving({ step: 'saved' })
    return true
  }
  // Leaving the editor saves the text.
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
