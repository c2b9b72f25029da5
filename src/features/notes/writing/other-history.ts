import { mergeTexts } from '../merge-texts.ts'
import type { Unsent } from './beginning.ts'
import type { NoteHistory } from './note-history.ts'
import { changeText, docOf, textOf } from './shared-text.ts'
import type { NoteStore } from './stored-state.ts'

/** Takes what was written in one history into another one, by its text.
 *  @returns undefined, or the text, where both have changed the same place. */
export async function moveToHistory(
  store: NoteStore,
  unsent: Unsent,
  history: NoteHistory,
): Promise<string | undefined> {
  const written = docOf(unsent.state, unsent.update)
  const mine = textOf(written)
  written.destroy()
  const base = unsent.version === null ? '' : await store.readVersion(unsent.version)
  const merged = mergeTexts(base, mine, history.text())
  if (merged === undefined) return mine
  changeText(history.doc, merged)
  return undefined
}
