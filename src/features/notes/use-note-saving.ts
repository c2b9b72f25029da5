import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { describeFailure } from '../../domain/failure.ts'
import { t } from '../../lib/i18n/i18n.ts'
import { showToast } from '../../lib/ui/toast.ts'
import { mergeTexts } from './merge-texts.ts'
import { discardDraft, isConflict, LONGEST_NOTE, saveDraft, saveNote } from './mutations.ts'
import { draftQuery, latestVersion } from './queries.ts'

/** The state of the text. `kept`: stored as this person's draft; `saved`: stored as a version that everybody sees. */
export type Saving =
  | { step: 'saved' | 'writing' | 'kept' | 'saving' }
  | { step: 'failed'; reason: string }
  | { step: 'too-long' }
  | { step: 'conflict'; theirs: string; version: string }

/** Milliseconds after the last keystroke until the draft is stored, and until a version is saved. */
const DRAFT_AFTER = 1000
const VERSION_AFTER = 30_000

/** @property version The version that the text was written on, with its text in `saved`.
 *  @property latest A newer version, which others have saved since. */
export type Start = {
  text: string
  version: string
  saved: string
  latest?: { version: string; text: string } | undefined
}
type Options = {
  library: string
  note: string
  start: Start
  /** Replaces the editor's text by a merged or a chosen one. */
  replace: (text: string) => void
}

/** Stores the text as a draft while a person types, and saves it as a version when they pause or finish. Versions that others
 *  have saved meanwhile are merged where the changes do not overlap. */
export function useNoteSaving({ library, note, start, replace }: Options) {
  const queryClient = useQueryClient()
  const text = useRef(start.text)
  const base = useRef({ version: start.version, text: start.saved })
  const [saving, setSaving] = useState<Saving>(() => firstState(start))
  const timers = useRef<{ draft?: ReturnType<typeof setTimeout>; version?: ReturnType<typeof setTimeout> }>({})
  const drafting = useMutation(saveDraft)
  const discarding = useMutation(discardDraft)
  const discard = () => {
    queryClient.setQueryData(draftQuery(library, note).queryKey, null)
    discarding.mutate({ library, note })
  }
  const versioning = useMutation({
    ...saveNote,
    onSuccess: ({ id }, { body }) => {
      base.current = { version: id, text: body }
      discard()
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
    const latest = await latestVersion(note)
    const theirs = latest.body ?? ''
    const merged = mergeTexts(base.current.text, mine, theirs)
    if (merged === undefined) {
      setSaving({ step: 'conflict', theirs, version: latest.id })
      return false
    }
    base.current = { version: latest.id, text: theirs }
    text.current = merged
    replace(merged)
    showToast({ title: t('What others have written is in your text now') })
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
    replace(chosen)
    if (chosen !== theirs.theirs) return await save()
    discard()
    setSaving({ step: 'saved' })
    return true
  }
  // Leaving the editor saves the text.
  const leave = useEffectEvent(() => void save())
  useEffect(() => () => leave(), [])
  return { saving, write, save, decide, mine: () => text.current }
}

/** Texts that cannot be put together are compared at once, not only when the person saves. */
function firstState({ text, saved, latest }: Start): Saving {
  if (text === saved) return { step: 'saved' }
  if (latest && mergeTexts(saved, text, latest.text) === undefined)
    return { step: 'conflict', theirs: latest.text, version: latest.version }
  return { step: 'kept' }
}
