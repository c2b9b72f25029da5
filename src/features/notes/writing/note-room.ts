import { onlineManager } from '@tanstack/react-query'
import { Awareness, applyAwarenessUpdate, encodeAwarenessUpdate, removeAwarenessStates } from 'y-protocols/awareness'
import * as Y from 'yjs'
import * as z from 'zod/mini'
import { isRefused } from '../../../domain/failure.ts'
import { LONGEST_NOTE } from '../limits.ts'
import type { Message } from './messages.ts'
import type { NoteChannel } from './note-channel.ts'
import {
  type Beginning,
  type Clash,
  NewerFormatError,
  OtherHistoryError,
  openHistory,
  type SavedVersion,
} from './note-history.ts'
import { changeText } from './shared-text.ts'
import type { NoteStore } from './stored-state.ts'

/** The state of the text. `kept`: the database has it, but no version; `waiting`: this browser has it; `saved`: it is a version;
 *  `refused`: this person may not write any more, and only this page has what is not stored. */
export type Writing =
  | { step: 'saved' | 'writing' | 'kept' | 'waiting' | 'saving' | 'too-long' | 'moved' | 'outdated' | 'refused' }
  | { step: 'failed'; error: unknown }
  | ({ step: 'conflict' } & Clash)

/** @property writing The state of the text.
 *  @property others The names of the others who write now. */
type RoomState = { writing: Writing; others: readonly string[] }

/** What another writer tells of themselves. Any writer can send anything. */
const Person = z.object({ name: z.string() })
const LONGEST_NAME = 200
/** @returns undefined for what is no name. */
export const nameOf = (state: Record<string, unknown> | undefined): string | undefined =>
  Person.safeParse(state?.user).data?.name.slice(0, LONGEST_NAME) || undefined

type Options = {
  store: NoteStore
  beginning: Beginning
  send: Parameters<typeof openHistory>[0]['send']
  recall: () => boolean
  join(handlers: { onJoin(): void; onMessage(message: Message): void }): NoteChannel
  /** The text of the version in `beginning`, where the page knows it. */
  isSaved(text: string): boolean
  /** Called with each version that is saved here, before saving ends: whoever reads next sees its text. */
  onSaved(version: SavedVersion): void
}

/** Milliseconds. Letters go to the others at once, several within a frame or two together; to the database in batches. */
const TELL_AFTER = 30
const STORE_AFTER = 600
/** After what others have stored, all of it is read from the database: broadcasts can be lost. */
const READ_AFTER = 2_500
const RETRY_AFTER = 5_000
/** A version is saved when nobody has typed for so long, or when somebody types all the time. */
const SILENCE = 30_000
const LONGEST_UNSAVED = 300_000
/** Bytes of an update that is not broadcast: the others read it from the database. */
const LARGEST_BROADCAST = 100_000

export type NoteRoom = ReturnType<typeof openRoom>

/** Writes in a note together with others: tells them what this person types, stores it, and saves versions at natural moments. */
export function openRoom({ store, beginning, send, recall, join, isSaved, onSaved }: Options) {
  const listeners = new Set<() => void>()
  const timers = new Map<() => void, ReturnType<typeof setTimeout>>()
  let state: RoomState = { writing: { step: 'saved' }, others: [] }
  let toTell: Uint8Array[] = []
  let isClosed = false
  /** Whether this person has changed the note since the last version. */
  let hasWritten = beginning.unsent !== undefined

  const history = openHistory({
    store,
    beginning,
    send,
    recall,
    broadcast: (update) => {
      hasWritten = true
      toTell.push(update)
      after(TELL_AFTER, tell)
    },
    announce: (number) => channel.send({ kind: 'stored', number }),
    onChange: () => {
      if (state.writing.step !== 'conflict') show({ step: 'writing' })
      after(STORE_AFTER, storeSoon)
      after(SILENCE, saveSilently, true)
      after(LONGEST_UNSAVED, saveSilently)
    },
  })
  const { doc } = history
  const awareness = new Awareness(doc)

  /** Calls a function once, `wait` milliseconds after the first call or, with `again`, after the last one. */
  function after(wait: number, act: () => void, again = false): void {
    const timer = timers.get(act)
    if (isClosed || (timer !== undefined && !again)) return
    clearTimeout(timer)
    const run = () => {
      timers.delete(act)
      act()
    }
    timers.set(act, setTimeout(run, wait))
  }

  function show(writing: Writing): void {
    if (state.writing.step === 'refused') return
    state = { ...state, writing }
    for (const listener of listeners) listener()
  }

  function tell(): void {
    if (toTell.length === 0) return
    const update = Y.mergeUpdates(toTell)
    toTell = []
    if (update.length < LARGEST_BROADCAST) channel.send({ kind: 'update', bytes: update })
  }

  function showFailure(error: unknown): void {
    if (error instanceof OtherHistoryError) show({ step: 'moved' })
    else if (error instanceof NewerFormatError) show({ step: 'outdated' })
    else if (isRefused(error)) refuse()
    else {
      show({ step: 'failed', error })
      after(RETRY_AFTER, storeSoon)
    }
  }

  /** Ends the writing, because this person's rights have ended: nothing goes to the others or to the database any more. */
  function refuse(): void {
    show({ step: 'refused' })
    isClosed = true
    for (const timer of timers.values()) clearTimeout(timer)
    removeAwarenessStates(awareness, [doc.clientID], 'leaving')
    channel.close()
  }

  const storeSoon = () => {
    if (state.writing.step === 'refused') return
    const isAway = !onlineManager.isOnline()
    if (isAway) show({ step: 'waiting' })
    history.flush().then(() => {
      const { clash, isStored } = history.state()
      if (state.writing.step === 'saving' || !isStored) return
      show(clash ? { step: 'conflict', ...clash } : { step: settledStep() })
    }, showFailure)
  }

  const isTooLong = () =>
    Y.encodeStateAsUpdate(doc).length > LONGEST_NOTE / 2 &&
    new TextEncoder().encode(history.text()).length > LONGEST_NOTE

  const settledStep = () => {
    if (history.state().isSaved || isSaved(history.text())) return 'saved'
    return isTooLong() ? 'too-long' : 'kept'
  }

  const readSoon = () => {
    history.update().then(() => {
      const { clash } = history.state()
      if (clash) show({ step: 'conflict', ...clash })
      else if (state.writing.step === 'conflict' || state.writing.step === 'kept') show({ step: settledStep() })
    }, showFailure)
  }

  /** The first of the writers saves for all. */
  const isFirst = () => Math.min(...awareness.getStates().keys()) === doc.clientID
  const saveSilently = () => {
    if (history.state().isSaved || !onlineManager.isOnline()) return
    if (isFirst()) void save()
    else after(SILENCE, saveSilently, true)
  }

  /** @returns whether the text is safe and the editor may be closed: as a version, or, without network, in this browser. */
  async function save(): Promise<boolean> {
    if (state.writing.step === 'outdated') return true
    if (state.writing.step === 'refused') return false
    if (isTooLong()) {
      show({ step: 'too-long' })
      return false
    }
    if (!onlineManager.isOnline()) {
      storeSoon()
      return true
    }
    return await showSaving(history.save)
  }

  /** Ends a conflict with a chosen text. */
  const decide = (text: string) => showSaving(() => history.decide(text))

  /** Shows that a version is saved, and what has become of it: others may have saved another one meanwhile.
   *  @returns whether it is saved. */
  async function showSaving(saving: () => Promise<SavedVersion | undefined>): Promise<boolean> {
    show({ step: 'saving' })
    try {
      const saved = await saving()
      if (saved) onSaved(saved)
      const { clash } = history.state()
      show(clash ? { step: 'conflict', ...clash } : { step: history.state().isSaved ? 'saved' : 'kept' })
      return saved !== undefined
    } catch (error) {
      showFailure(error)
      return false
    }
  }

  const tellWhere = (clients: number[]) =>
    channel.send({ kind: 'awareness', bytes: encodeAwarenessUpdate(awareness, clients) })

  /** Who is still there answers the greeting. Others may have lost the right to write, which began this channel: they left the one
   *  before, and nobody heard it. */
  function forgetOthers(): void {
    const others = [...awareness.getStates().keys()].filter((client) => client !== doc.clientID)
    for (const client of others) awareness.meta.delete(client)
    removeAwarenessStates(awareness, others, channel)
  }

  const channel = join({
    onJoin() {
      forgetOthers()
      channel.send({ kind: 'hello' })
      tellWhere([doc.clientID])
      storeSoon()
      readSoon()
    },
    onMessage(message) {
      if (message.kind === 'update') history.receive(message.bytes)
      else if (message.kind === 'stored') {
        if (message.number > history.state().lastUpdate) after(READ_AFTER, readSoon)
      } else if (message.kind === 'hello') {
        tellWhere([doc.clientID])
        const unsent = history.unsent()
        if (unsent && unsent.length < LARGEST_BROADCAST) channel.send({ kind: 'update', bytes: unsent })
      } else
        try {
          applyAwarenessUpdate(awareness, message.bytes, channel)
        } catch {}
    },
  })
  awareness.on(
    'update',
    ({ added, updated, removed }: Record<'added' | 'updated' | 'removed', number[]>, origin: unknown) => {
      if (origin !== channel && [...added, ...updated, ...removed].includes(doc.clientID)) tellWhere([doc.clientID])
      const others = [...awareness.getStates()].flatMap(([client, one]) =>
        client === doc.clientID ? [] : (nameOf(one) ?? []),
      )
      // A name may come after its writer; most updates only move a caret.
      if (others.join() === state.others.join()) return
      state = { ...state, others }
      for (const listener of listeners) listener()
    },
  )
  const stopListening = onlineManager.subscribe((isOnline) => {
    if (!isOnline) return
    storeSoon()
    readSoon()
  })
  if (history.unsent()) after(0, storeSoon)
  else show({ step: settledStep() })

  return {
    doc,
    awareness,
    save,
    decide,
    refuse,
    text: history.text,
    /** Tells the others who writes. */
    introduce: (name: string) => awareness.setLocalStateField('user', { name }),
    /** Changes the note to another text. */
    replace: (text: string) => changeText(doc, text),
    /** Takes in a version that was saved elsewhere. */
    read: readSoon,
    /** Sends what is left to the database, or to the browser's outbox, before the page goes away. */
    flush: storeSoon,
    /** What the database does not have yet. */
    written: () => {
      const update = history.unsent()
      return (
        update && {
          generation: history.generation,
          version: history.state().version,
          update,
          state: history.wholeState(),
        }
      )
    },
    /** Saves what this person has written, and leaves. Resolves when it is safe, without network in this browser. */
    async leave(): Promise<void> {
      const isDirty = hasWritten && !history.state().isSaved && !['moved', 'refused'].includes(state.writing.step)
      const end = () => {
        isClosed = true
        for (const timer of timers.values()) clearTimeout(timer)
        stopListening()
        removeAwarenessStates(awareness, [doc.clientID], 'leaving')
        channel.close()
        awareness.destroy()
        history.close()
      }
      if (isDirty) await save()
      end()
    },
    subscribe(listener: () => void): () => void {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    state: () => state,
  }
}
