import * as Y from 'yjs'
import { type Beginning, NewerFormatError } from './note-history.ts'
import { FORMAT, firstState, generationOf } from './shared-text.ts'
import { type NoteStore, type StoredState, updatesOf } from './stored-state.ts'

/** What was written without network, as the browser keeps it. `state` is the whole document with `update`. */
export type Unsent = { generation: string; version: string | null; update: Uint8Array; state: Uint8Array }

type Version = { id: string; text: string }

/** How often a history is begun again after somebody has saved a version meanwhile. */
const ATTEMPTS = 5

/** Reads a note's history, or begins it.
 *  @param version The latest version that this page knows.
 *  @throws {NewerFormatError} */
export async function readBeginning(store: NoteStore, version: Version, unsent?: Unsent): Promise<Beginning> {
  for (let attempt = 0; ; attempt += 1) {
    const stored = await store.read()
    const found = await beginningOf(stored, store.readVersion, unsent)
    if (found) return found
    const id = stored.current_version ?? version.id
    const state =
      unsent?.version === id ? unsent.state : firstState(id === version.id ? version.text : await store.readVersion(id))
    const generation = unsent?.version === id ? unsent.generation : await generationOf(state)
    try {
      await store.start({ generation, format: FORMAT, state, version: id })
    } catch (error) {
      if (!store.isConflict(error) || attempt === ATTEMPTS) throw error
    }
  }
}

/** How a page begins without network: with what was written before, else with the history that this browser has kept, else with a
 *  history of its own. */
export async function offlineBeginning(version: Version, kept?: StoredState, unsent?: Unsent): Promise<Beginning> {
  // Update 0 is before all others: everything is read when the network is back.
  if (unsent) {
    const { generation, version: contained, state, update } = unsent
    return { generation, version: contained, updates: [state], unsent: update, lastUpdate: 0 }
  }
  const found = kept && (await beginningOf(kept, async () => version.text))
  if (found) return found
  const state = firstState(version.text)
  return { generation: await generationOf(state), updates: [state], version: version.id, lastUpdate: 0 }
}

async function beginningOf(
  stored: StoredState,
  readVersion: (version: string) => Promise<string>,
  unsent?: Unsent,
): Promise<Beginning | undefined> {
  if (stored.generation === null) return undefined
  if (stored.format !== null && stored.format > FORMAT) throw new NewerFormatError()
  const { generation, version, last_update: lastUpdate } = stored
  const updates = updatesOf(stored)
  const mine = unsent?.generation === generation ? unsent.update : undefined
  const [state, ...rest] = updates
  if (!state || isUpdate(state)) return { generation, updates, version, lastUpdate, unsent: mine }
  // The database takes any bytes as a state. Whoever finds one that nobody can read puts the text of its version in its place:
  // the same bytes for all who do so, to be stored with the next version.
  const first = firstState(version === null ? '' : await readVersion(version))
  const repaired = mine ? Y.mergeUpdates([first, mine]) : first
  return { generation, updates: [first, ...rest], version, lastUpdate, unsent: repaired }
}

function isUpdate(bytes: Uint8Array): boolean {
  try {
    Y.decodeUpdate(bytes)
    return true
  } catch {
    return false
  }
}
