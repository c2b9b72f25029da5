import * as Y from 'yjs'
import { isConflict } from '../conflict.ts'
import { mergeTexts } from '../merge-texts.ts'
import { createRescue } from './rescue.ts'
import {
  changeText,
  docOf,
  FORMAT,
  firstState,
  generationOf,
  REMOTE,
  stateOf,
  textOf,
  updateToText,
} from './shared-text.ts'
import { type KnownUpdates, type NoteStore, type StoredState, updatesOf } from './stored-state.ts'
import type { ReadResult, SavedVersion } from './writing-state.ts'

/** The note has a different history, whose updates can't be applied here. */
export class OtherHistoryError extends Error {}

export class NewerFormatError extends Error {}

/** Updates that aren't in the database, as the browser stores them. `state` is the whole document including `update`. */
export type Unsent = { generation: string; version: string | null; update: Uint8Array; state: Uint8Array }

/** The initial state of a page.
 *  @property updates The stored history, state first.
 *  @property version The latest version it contains; null if that was deleted. */
export type Beginning = {
  generation: string
  updates: readonly Uint8Array[]
  version: string | null
  lastUpdate: number
  unsent?: Uint8Array | undefined
}

type Version = { id: string; text: string }

const ATTEMPTS = 5

/** Reads a note's history, or starts it.
 *  @param version The latest version known to this page.
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
      if (!isConflict(error) || attempt === ATTEMPTS) throw error
    }
  }
}

/** Starts offline from unsent text, else the cached history, else a new history. */
export async function offlineBeginning(version: Version, kept?: StoredState, unsent?: Unsent): Promise<Beginning> {
  // Update 0 precedes all others, so everything is read once online.
  if (unsent) {
    const { generation, version: contained, state, update } = unsent
    return { generation, version: contained, updates: [state], unsent: update, lastUpdate: 0 }
  }
  const found = kept && (await beginningOf(kept, async () => version.text))
  if (found) return found
  const state = firstState(version.text)
  return { generation: await generationOf(state), updates: [state], version: version.id, lastUpdate: 0 }
}

/** Starts from a stored history; undefined if there is none. */
export async function beginningOf(
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
  // The database accepts any bytes as a state. An unreadable one is replaced by its version's text, with the same bytes
  // for everyone, and stored with the next version.
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

export type NoteCopy = ReturnType<typeof openCopy>

/** Opens a writer's copy of a note. @param onChange Called with local updates, including initially unsent ones. */
export function openCopy({ updates, unsent }: Beginning, onChange: (update: Uint8Array) => void) {
  // Keeps deleted content while the note is open, for rescue.ts.
  const doc = new Y.Doc({ gc: false })
  const ours = new Set([doc.clientID])
  const rescue = createRescue(doc, ours)
  doc.on('update', (update: Uint8Array, origin: unknown) => {
    if (origin !== REMOTE) onChange(update)
  })
  /** Applies another writer's update. @returns false if it's invalid: any writer can send anything. */
  function receive(update: Uint8Array): boolean {
    try {
      rescue.receive(update)
      return true
    } catch {
      return false
    }
  }
  if (unsent) {
    for (const { id } of Y.decodeUpdate(unsent).structs) ours.add(id.client)
    onChange(unsent)
  }
  for (const update of updates) receive(update)
  if (unsent) receive(unsent)
  rescue.settle()
  return { doc, receive, settle: rescue.settle }
}

/** Applies stored updates, and reads a version saved elsewhere, if any. @throws {OtherHistoryError|NewerFormatError} */
export async function pull(
  { doc, receive, settle }: NoteCopy,
  store: NoteStore,
  known: KnownUpdates,
): Promise<ReadResult> {
  const stored = await store.read(known)
  if (stored.format !== null && stored.format > FORMAT) throw new NewerFormatError()
  if (stored.generation !== known.generation) throw new OtherHistoryError()
  const updates = updatesOf(stored)
  for (const update of updates) receive(update)
  settle()
  const { version, current_version: current, last_update: lastUpdate } = stored
  const found = { version, lastUpdate, isNews: updates.length > 0 }
  if (current === null || version === current) return found
  const [base, text] = await Promise.all([
    version === null ? '' : store.readVersion(version),
    store.readVersion(current),
  ])
  const mine = textOf(doc)
  return { ...found, newer: { version: current, text, merged: mine === text ? text : mergeTexts(base, mine, text) } }
}

type Merge = { generation: string; from: string | null; to: string; text: string | undefined }

/** Makes the merged text of both versions the history's text.
 *  @param merge Without a text, keeps the writers' text.
 *  @returns the update and its number. Fails with a conflict if another writer was first. */
export async function merge({ doc, receive }: NoteCopy, store: NoteStore, { generation, from, to, text }: Merge) {
  const update = updateToText(doc, text ?? textOf(doc))
  const number = await store.merge({ generation, from, to, update })
  receive(update)
  return { update, number }
}

export async function saveVersion(
  { doc }: NoteCopy,
  store: NoteStore,
  { generation, basedOn, lastUpdate }: { generation: string; basedOn: string; lastUpdate: number },
): Promise<SavedVersion> {
  const body = textOf(doc)
  return { ...(await store.save({ generation, basedOn, lastUpdate, body, state: stateOf(doc) })), body }
}

/** Merges text written in another history into a copy.
 *  @returns undefined, or the text if both changed the same place. */
export async function takeIn({ doc }: NoteCopy, store: NoteStore, unsent: Unsent): Promise<string | undefined> {
  const written = docOf(unsent.state, unsent.update)
  const mine = textOf(written)
  written.destroy()
  const base = unsent.version === null ? '' : await store.readVersion(unsent.version)
  const merged = mergeTexts(base, mine, textOf(doc))
  if (merged === undefined) return mine
  changeText(doc, merged)
  return undefined
}
