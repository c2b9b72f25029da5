import * as Y from 'yjs'
import { mergeTexts } from '../merge-texts.ts'

import { createRescue } from './rescue.ts'
import { FORMAT, REMOTE, stateOf, textOf, updateToText } from './shared-text.ts'
import { type NoteStore, type StoredState, updatesOf } from './stored-state.ts'

/** Another history of the note has begun, or the database has one of which this page knows nothing: its updates cannot be applied. */
export class OtherHistoryError extends Error {}

/** The history was written by a newer version of the app. */
export class NewerFormatError extends Error {}

/** How a page begins.
 *  @property updates What the database has of the history, its state first.
 *  @property version The latest version whose text they contain; null when that version was deleted. */
export type Beginning = {
  generation: string
  updates: readonly Uint8Array[]
  version: string | null
  /** The number of the last update, as the database counts. */
  lastUpdate: number
  /** What was written without network and is not in the database yet. */
  unsent?: Uint8Array | undefined
}

type Options = {
  store: NoteStore
  beginning: Beginning
  /** Sends an update to the database; `state` is the whole document. Unlike the store's own function it may wait for the network. */
  send(update: { generation: string; version: string | null; update: Uint8Array; state: Uint8Array }): Promise<number>
  /** Takes back what waits for the network, so that it is sent together with what came after. False when it is on its way. */
  recall?(): boolean
  /** Tells the other writers of an update at once. */
  broadcast(update: Uint8Array): void
  /** Tells the other writers the number of an update that the database has. */
  announce(number: number): void
  onChange?(): void
}

export type NoteHistory = ReturnType<typeof openHistory>

/** A version of the note, as the database has it. */
export type SavedVersion = { id: string; body: string }

/** Two texts that cannot be merged: what the writers have, and a version that was saved elsewhere. */
export type Clash = { theirs: string; version: string }

/** How often saving is tried again after others have saved or merged a version meanwhile. */
const ATTEMPTS = 5

/** One writer's copy of a note's history. It sends what this writer changes, takes in what others change, and saves versions. It
 *  acts only when it is called: use-note-room.ts decides when. */
export function openHistory({ store, beginning, send, recall, broadcast, announce, onChange }: Options) {
  const { generation } = beginning
  // What is deleted stays in memory while the note is open: rescue.ts looks into it.
  const doc = new Y.Doc({ gc: false })
  const ours = new Set([doc.clientID])
  const rescue = createRescue(doc, ours)
  let { version, lastUpdate } = beginning
  let unsent: Uint8Array[] = []
  /** What others have told and may not have stored: what this writer does may continue it, and is sent with it. */
  let heard: Uint8Array[] = []
  let sending: { update: Uint8Array; isOver: Promise<void>; end: () => void } | undefined
  let clash: Clash | undefined
  let isSaved = true
  let isOpen = false

  doc.on('update', (update: Uint8Array, origin: unknown) => {
    isSaved = false
    if (origin !== REMOTE) {
      unsent.push(update)
      broadcast(update)
    }
    if (isOpen) onChange?.()
  })
  if (beginning.unsent) {
    for (const { id } of Y.decodeUpdate(beginning.unsent).structs) ours.add(id.client)
    unsent.push(beginning.unsent)
  }
  for (const update of beginning.updates) apply(update)
  if (beginning.unsent) apply(beginning.unsent)
  rescue.settle()
  isSaved = beginning.updates.length === 1 && unsent.length === 0
  isOpen = true

  /** What is no update of Yjs is ignored: any writer can send anything. */
  function apply(update: Uint8Array): boolean {
    try {
      rescue.receive(update)
      return true
    } catch {
      return false
    }
  }

  /** Takes in what another writer has told. */
  function receive(update: Uint8Array): void {
    if (apply(update)) heard.push(update)
  }

  /** Sends what this writer has changed. Resolves when the database has it.
   *  @throws {OtherHistoryError} */
  async function flush(): Promise<void> {
    while (sending || unsent.length > 0) {
      if (!sending) await deliver()
      else if (unsent.length > 0 && recall?.()) {
        unsent.unshift(sending.update)
        sending.end()
        sending = undefined
      } else await sending.isOver
    }
  }

  async function deliver(): Promise<void> {
    const update = Y.mergeUpdates([...heard, ...unsent])
    heard = []
    unsent = []
    const { promise: isOver, resolve: end } = Promise.withResolvers<void>()
    const mine = { update, isOver, end }
    sending = mine
    const wasSent = send({ generation, version, update, state: Y.encodeStateAsUpdate(doc) }).then(
      (number) => {
        // A gap means that others have stored something: the next pull reads it.
        if (number === lastUpdate + 1) lastUpdate = number
        announce(number)
      },
      (error) => {
        if (sending === mine) unsent.unshift(update)
        throw store.isConflict(error) ? new OtherHistoryError() : error
      },
    )
    try {
      // What was recalled is never answered.
      await Promise.race([wasSent, isOver])
    } finally {
      if (sending === mine) sending = undefined
      end()
    }
  }

  /** Takes in what the database has.
   *  @throws {OtherHistoryError|NewerFormatError} */
  async function pull(): Promise<StoredState> {
    const stored = await store.read({ generation, after: lastUpdate })
    if (stored.format !== null && stored.format > FORMAT) throw new NewerFormatError()
    if (stored.generation !== generation) throw new OtherHistoryError()
    for (const update of updatesOf(stored)) apply(update)
    rescue.settle()
    // Two pulls may answer in any order.
    if (stored.last_update >= lastUpdate) {
      lastUpdate = stored.last_update
      if (version !== stored.version) clash = undefined
      version = stored.version
    }
    return stored
  }

  /** Takes in what the database has, and a version that was saved elsewhere, if there is one.
   *  @returns whether the history contains the latest version now: see `clash` when it does not. */
  async function update(): Promise<boolean> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      const { version: contained, current_version: current } = await pull()
      if (current === null || contained === current) return true
      const [base, theirs] = await Promise.all([
        contained === null ? '' : store.readVersion(contained),
        store.readVersion(current),
      ])
      const mine = textOf(doc)
      const merged = mine === theirs ? theirs : mergeTexts(base, mine, theirs)
      if (merged === undefined) {
        // While the versions were read, the person may have decided: then it is no clash any more.
        if (version !== contained) continue
        clash = { theirs, version: current }
        return false
      }
      if (await take(merged, contained, current)) return true
    }
    return false
  }

  /** Makes a text of both versions the text of the history. False when another writer was first. */
  async function take(text: string, from: string | null, to: string): Promise<boolean> {
    const change = updateToText(doc, text)
    try {
      const number = await store.merge({ generation, from, to, update: change })
      apply(change)
      broadcast(change)
      announce(number)
      if (number === lastUpdate + 1) lastUpdate = number
      version = to
      clash = undefined
      return true
    } catch (error) {
      if (store.isConflict(error)) return false
      throw error
    }
  }

  /** Ends a clash with a chosen text. */
  async function decide(text: string): Promise<SavedVersion | undefined> {
    if (clash) await take(text, version, clash.version)
    return save()
  }

  /** Saves the text as a version, if it differs from the latest one.
   *  @returns the version that has the text; undefined when it clashes with a version that was saved elsewhere. */
  async function save(): Promise<SavedVersion | undefined> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      await flush()
      if (!(await update())) return undefined
      if (version === null) return undefined
      try {
        const body = textOf(doc)
        // Everything up to `lastUpdate` is in the document, and perhaps more.
        const state = stateOf(doc)
        isSaved = true
        const id = await store.save({ generation, body, basedOn: version, state, lastUpdate })
        version = id
        return { id, body }
      } catch (error) {
        isSaved = false
        if (!store.isConflict(error)) throw error
      }
    }
    throw new Error('The note could not be saved: others save it all the time')
  }

  return {
    doc,
    generation,
    receive,
    flush,
    pull,
    update,
    save,
    decide,
    /** What the database does not have yet. */
    unsent: (): Uint8Array | undefined => {
      const all = sending ? [sending.update, ...unsent] : unsent
      return all.length > 0 ? Y.mergeUpdates(all) : undefined
    },
    text: () => textOf(doc),
    wholeState: () => Y.encodeStateAsUpdate(doc),
    state: () => ({ version, lastUpdate, clash, isSaved, isStored: !sending && unsent.length === 0 }),
    close: () => doc.destroy(),
  }
}
