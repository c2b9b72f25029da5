import { fromBase64 } from 'lib0/buffer'
import { t } from '../../../lib/i18n/i18n.ts'
import { showToast } from '../../../lib/ui/toast.ts'
import { storeDraft } from '../drafts.ts'
import { readBeginning, type Unsent } from './beginning.ts'
import { openHistory } from './note-history.ts'
import { storeOf } from './note-store.ts'
import { moveToHistory } from './other-history.ts'
import type { NoteStore } from './stored-state.ts'

/** What somebody has written in a note, as the outbox keeps it: see Unsent. Bytes are base64. */
export type Written = {
  library: string
  note: string
  generation: string
  version: string | null
  update: string
  state: string
}

export const unsentOf = ({ generation, version, update, state }: Written): Unsent => ({
  generation,
  version,
  update: fromBase64(update),
  state: fromBase64(state),
})

/** The notes that are open for writing on this page: their rooms save versions themselves. */
const rooms = new Set<string>()
const isOpen = (note: string): boolean => rooms.has(note)
export function markOpen(note: string): () => void {
  rooms.add(note)
  return () => void rooms.delete(note)
}

/** Stores what somebody has written in a note. Where the note is not open any more, it saves a version as well, so that nothing
 *  stays out of sight.
 *  @returns the number of the update, as the database counts. */
export async function deliver(written: Written): Promise<number> {
  return isOpen(written.note) ? await add(storeOf(written.note), unsentOf(written)) : await finish(written)
}

/** A history that was begun without network is stored with its first update. */
async function add(store: NoteStore, unsent: Unsent): Promise<number> {
  try {
    return await store.add(unsent)
  } catch (error) {
    if (!store.isConflict(error) || unsent.version === null) throw error
    const { generation } = await readBeginning(store, { id: unsent.version, text: '' }, unsent)
    if (generation !== unsent.generation) throw error
    return await store.add(unsent)
  }
}

/** Stores what somebody has written as a version of the note, merged with what others have written. Where both changed the same
 *  place, it is kept as a draft. */
export async function finish(written: Written): Promise<number> {
  const { library, note } = written
  const store = storeOf(note)
  const unsent = unsentOf(written)
  const beginning = await readBeginning(store, { id: unsent.version ?? '', text: '' }, unsent)
  const history = openHistory({ store, beginning, send: store.add, broadcast: () => {}, announce: () => {} })
  try {
    const body = unsent.generation === history.generation ? undefined : await moveToHistory(store, unsent, history)
    if (body !== undefined) await storeDraft({ library, note, body, basedOn: unsent.version })
    const saved = await history.save()
    if (body !== undefined || !saved) {
      showToast({
        title: t('Somebody else has saved a note that you changed without network'),
        description: t('Your text is kept: open the note to put both together.'),
      })
    }
    return history.state().lastUpdate
  } finally {
    history.close()
  }
}
