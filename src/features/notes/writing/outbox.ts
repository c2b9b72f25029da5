import { fromBase64 } from 'lib0/buffer'
import * as Y from 'yjs'
import { t } from '../../../lib/i18n/i18n.ts'
import { showToast } from '../../../lib/ui/toast.ts'
import { isConflict } from '../conflict.ts'
import { storeDraft } from '../drafts.ts'
import { merge, openCopy, pull, readBeginning, saveVersion, takeIn, type Unsent } from './note-copy.ts'
import { storeOf } from './note-store.ts'
import { textOf } from './shared-text.ts'

/** Unsent text in the outbox: see Unsent. Bytes are base64. */
export type Written = {
  library: string
  note: string
  generation: string
  version: string | null
  update: string
  state: string
  /** Whether the note was closed, so that no one else saves a version. */
  thenSave: boolean
}

export const unsentOf = ({ generation, version, update, state }: Written): Unsent => ({
  generation,
  version,
  update: fromBase64(update),
  state: fromBase64(state),
})

/** @param state Of Written. */
export function textOfState(state: string): string {
  const doc = new Y.Doc()
  Y.applyUpdate(doc, fromBase64(state))
  return textOf(doc)
}

const ATTEMPTS = 5

/** Stores an update of an open note. A history started offline is stored with its first update.
 *  @returns the update's number in the database. */
export async function storeUpdate(written: Written): Promise<number> {
  const store = storeOf(written.note)
  const unsent = unsentOf(written)
  try {
    return await store.add(unsent)
  } catch (error) {
    if (!isConflict(error) || unsent.version === null) throw error
    const { generation } = await readBeginning(store, { id: unsent.version, text: '' }, unsent)
    if (generation !== unsent.generation) throw error
    return await store.add(unsent)
  }
}

/** Saves what was written as a version, merged with other people's text. If both changed the same place, it's kept as a
 *  draft or in the history.
 *  @returns the number of the last update in the version. */
export async function storeVersionOf(written: Written): Promise<number> {
  const { library, note } = written
  const store = storeOf(note)
  const unsent = unsentOf(written)
  const beginning = await readBeginning(store, { id: unsent.version ?? '', text: '' }, unsent)
  const { generation } = beginning
  const changes: Uint8Array[] = []
  const copy = openCopy(beginning, (update) => changes.push(update))
  try {
    const body = unsent.generation === generation ? undefined : await takeIn(copy, store, unsent)
    if (body !== undefined) {
      await storeDraft({ library, note, body, basedOn: unsent.version })
      tellOfTwoTexts()
    }
    for (let attempt = 0; ; attempt += 1) {
      if (changes.length > 0) await store.add({ generation, update: Y.mergeUpdates(changes.splice(0)) })
      const found = await pull(copy, store, { generation, after: beginning.lastUpdate })
      // Text removed by others was restored: store that first.
      if (changes.length > 0 && attempt < ATTEMPTS) continue
      const { newer } = found
      let { version, lastUpdate } = found
      try {
        if (newer?.merged !== undefined) {
          const merged = { generation, from: version, to: newer.version, text: newer.merged }
          const { number } = await merge(copy, store, merged)
          if (number === lastUpdate + 1) lastUpdate = number
          version = newer.version
        }
        const isClash = newer !== undefined && newer.merged === undefined
        if (!isClash && version !== null) await saveVersion(copy, store, { generation, basedOn: version, lastUpdate })
        else if (body === undefined) tellOfTwoTexts()
        return lastUpdate
      } catch (error) {
        if (!isConflict(error) || attempt === ATTEMPTS) throw error
      }
    }
  } finally {
    copy.doc.destroy()
  }
}

const tellOfTwoTexts = () =>
  showToast({
    title: t('Someone else saved a note that you changed offline'),
    description: t('Your text is safe. Open the note to merge both.'),
  })
