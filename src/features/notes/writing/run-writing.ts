import { onlineManager } from '@tanstack/react-query'
import * as Y from 'yjs'
import { MAX_NOTE } from '../../../../supabase/functions/_shared/facts.ts'
import { isRefused } from '../../../domain/failure.ts'
import { createStore } from '../../../lib/store.ts'
import { isConflict } from '../conflict.ts'
import type { Message } from './messages.ts'
import type { NoteChannel } from './note-channel.ts'
import {
  type Beginning,
  merge,
  NewerFormatError,
  type NoteCopy,
  OtherHistoryError,
  openCopy,
  pull,
  saveVersion,
  type Unsent,
} from './note-copy.ts'
import { createPresence } from './presence.ts'
import { begin, reduce } from './reduce-writing.ts'
import { changeText, textOf } from './shared-text.ts'
import type { NoteStore } from './stored-state.ts'
import {
  type Effect,
  type Event,
  type Failure,
  type Measure,
  type SavedVersion,
  type State,
  type Timer,
  type Writing,
  writingOf,
} from './writing-state.ts'

type Options = {
  store: NoteStore
  begin(): Promise<Beginning>
  /** Replaces the outbox's entry, if any. @returns the update's number in the database. */
  send(unsent: Unsent, thenSave: boolean): Promise<number>
  join(handlers: { onJoin(): void; onMessage(message: Message): void }): NoteChannel
  isSaved(text: string): boolean
  /** Called with each version saved here, before saving ends. */
  onSaved(version: SavedVersion): void
}

/** Milliseconds to batch letters for broadcasting. */
const TELL_AFTER = 30
/** Bytes. Larger updates aren't broadcast; others read them from the database. */
const MAX_BROADCAST_BYTES = 100_000

type Request = Extract<Effect, { type: 'send' | 'read' | 'merge' | 'save' }>

type History = {
  generation: string
  copy: NoteCopy
  presence: ReturnType<typeof createPresence>
  channel: NoteChannel
}

/** The writer's view of a note. Neither `open` nor `error` while opening. */
export type View = {
  open?: { doc: Y.Doc; awareness: History['presence']['awareness']; writing: Writing }
  error?: unknown
  others: readonly string[]
}

export type Writer = ReturnType<typeof runWriting>

/** Runs the state machine of reduce-writing.ts with timers, requests, the document and the channel. */
export function runWriting(options: Options) {
  const { store } = options
  const timers = new Map<Timer | 'tell', ReturnType<typeof setTimeout>>()
  const events: Event[] = []
  const answers: ((isSafe: boolean) => void)[] = []
  let toTell: Uint8Array[] = []
  let name = ''
  let others: readonly string[] = []
  let history: History | undefined
  let [state, effects] = begin(onlineManager.isOnline())
  const view = createStore<View>({ others })

  function dispatch(event: Event): void {
    events.push(event)
    // An effect may dispatch an event, which is queued behind the current one.
    if (events.length > 1) return
    for (let next = events[0]; next; next = events[0]) {
      ;[state, effects] = reduce(state, next)
      for (const effect of effects) attempt(() => run(effect))
      events.shift()
    }
    show()
  }

  /** Exceptions are shown instead of ending the writing; unsent text is sent again. */
  function attempt(act: () => void): void {
    try {
      act()
    } catch (error) {
      dispatch({ type: 'failed', during: 'effect', why: failureOf(error), error })
    }
  }

  const show = () => view.set(viewOf(state, history, others))

  function run(effect: Effect): void {
    switch (effect.type) {
      case 'open':
        close()
        options
          .begin()
          .then(open, (error) => dispatch({ type: 'failed', during: 'open', why: failureOf(error), error }))
        break
      case 'tell':
        tellSoon(effect.update)
        break
      case 'announce':
        history?.channel.send({ kind: 'stored', number: effect.number })
        break
      case 'send':
      case 'read':
      case 'merge':
      case 'save':
        if (history) ask(effect, history)
        break
      case 'publish':
        options.onSaved(effect.version)
        break
      case 'answer':
        for (const answer of answers.splice(0)) answer(effect.isSafe)
        break
      case 'wait':
        if (effect.again) stop(effect.timer)
        wait(effect.timer, effect.ms, () =>
          dispatch({ type: 'elapsed', timer: effect.timer, isFirst: history?.presence.isFirst() ?? false }),
        )
        break
      case 'refuse':
        for (const timer of timers.keys()) stop(timer)
        history?.presence.leave()
        history?.channel.close()
        break
      case 'close':
        close()
        stopListening()
    }
  }

  function ask(request: Request, asked: History): void {
    answerTo(request, asked).then(
      (event) => {
        if (history === asked) dispatch(event)
      },
      (error: unknown) => {
        if (history === asked) dispatch({ type: 'failed', during: request.type, why: failureOf(error), error })
      },
    )
  }

  async function answerTo(request: Request, { copy, generation }: History): Promise<Event> {
    switch (request.type) {
      case 'send': {
        const { version, updates, upTo, thenSave } = request
        const state = Y.encodeStateAsUpdate(copy.doc)
        const unsent = { generation, version, update: Y.mergeUpdates([...updates]), state }
        return { type: 'stored', upTo, number: await options.send(unsent, thenSave), text: measure() }
      }
      case 'read': {
        const found = await pull(copy, store, { generation, after: request.after })
        return { type: 'read', found, text: measure() }
      }
      case 'merge': {
        const { update, number } = await merge(copy, store, { generation, ...request })
        tellSoon(update)
        return { type: 'merged', version: request.to, number, text: measure() }
      }
      case 'save':
        return { type: 'saved', version: await saveVersion(copy, store, { generation, ...request }) }
    }
  }

  function open(beginning: Beginning): void {
    if (state.kind !== 'opening') return
    const { generation, version, lastUpdate, updates } = beginning
    const unsent: Uint8Array[] = []
    let isOpen = false
    const copy = openCopy(beginning, (update) => {
      if (isOpen) dispatch({ type: 'typed', update })
      else unsent.push(update)
    })
    isOpen = true
    const channel = options.join({
      onJoin() {
        presence.greet()
        dispatch({ type: 'asked', to: 'flush' })
        dispatch({ type: 'asked', to: 'read' })
      },
      onMessage,
    })
    const presence = createPresence(copy.doc, channel.send, (names) => {
      others = names
      show()
    })
    history = { generation, copy, presence, channel }
    if (name) presence.introduce(name)
    const text = updates.length === 1 && unsent.length === 0 ? 'saved' : measure()
    dispatch({ type: 'opened', version, lastUpdate, unsent, text })
  }

  function onMessage(message: Message): void {
    if (!history || state.kind !== 'open') return
    const { copy, presence, channel } = history
    if (message.kind === 'update') {
      if (copy.receive(message.bytes)) dispatch({ type: 'heard', update: message.bytes })
    } else if (message.kind === 'stored') dispatch({ type: 'announced', number: message.number })
    else if (message.kind === 'awareness') presence.receive(message.bytes)
    else {
      presence.tell()
      const unsent = state.changes.filter(({ isMine }) => isMine).map(({ update }) => update)
      const bytes = Y.mergeUpdates(unsent)
      if (unsent.length > 0 && bytes.length < MAX_BROADCAST_BYTES) channel.send({ kind: 'update', bytes })
    }
  }

  function tellSoon(update: Uint8Array): void {
    toTell.push(update)
    wait('tell', TELL_AFTER, () => {
      const bytes = Y.mergeUpdates(toTell)
      toTell = []
      if (bytes.length < MAX_BROADCAST_BYTES) history?.channel.send({ kind: 'update', bytes })
    })
  }

  function measure(): Measure {
    if (!history) return 'saved'
    const { doc } = history.copy
    const text = textOf(doc)
    const mayBeTooLong = Y.encodeStateAsUpdate(doc).length > MAX_NOTE / 2
    if (mayBeTooLong && new TextEncoder().encode(text).length > MAX_NOTE) return 'too-long'
    return options.isSaved(text) ? 'saved' : 'kept'
  }

  function wait(timer: Timer | 'tell', ms: number, act: () => void): void {
    if (timers.has(timer)) return
    const run = () => {
      timers.delete(timer)
      attempt(act)
    }
    timers.set(timer, setTimeout(run, ms))
  }

  function stop(timer: Timer | 'tell'): void {
    clearTimeout(timers.get(timer))
    timers.delete(timer)
  }

  function close(): void {
    for (const timer of timers.keys()) stop(timer)
    if (!history) return
    const { presence, channel, copy } = history
    history = undefined
    presence.leave()
    channel.close()
    presence.awareness.destroy()
    copy.doc.destroy()
  }

  const stopListening = onlineManager.subscribe((isOnline) => dispatch({ type: 'network', isOnline }))
  for (const effect of effects) run(effect)

  return {
    subscribe: view.subscribe,
    view: view.get,
    text: () => (history ? textOf(history.copy.doc) : ''),
    replace: (text: string) => history && changeText(history.copy.doc, text),
    introduce(own: string): void {
      name = own
      history?.presence.introduce(own)
    },
    read: () => dispatch({ type: 'asked', to: 'read' }),
    /** Stores what is left in the database, or in the browser's outbox, before the page unloads. */
    flush: () => dispatch({ type: 'asked', to: 'flush' }),
    stop: () => dispatch({ type: 'asked', to: 'stop' }),
    /** @returns whether the text is safe (saved, or offline in this browser) and the editor may close. */
    save: () =>
      new Promise<boolean>((resolve) => {
        answers.push(resolve)
        dispatch({ type: 'asked', to: 'save', text: measure() })
      }),
    decide: (text: 'mine' | 'theirs') => dispatch({ type: 'decided', text }),
    /** Saves the person's text and closes the note; offline, keeps it in this browser. */
    leave: () => dispatch({ type: 'asked', to: 'leave', text: measure() }),
  }
}

const failureOf = (error: unknown): Failure => {
  if (error instanceof OtherHistoryError) return 'moved'
  if (error instanceof NewerFormatError) return 'outdated'
  if (isConflict(error)) return 'conflict'
  return isRefused(error) ? 'refused' : 'other'
}

function viewOf(state: State, history: History | undefined, others: readonly string[]): View {
  const writing = writingOf(state)
  if (writing && history) {
    const { copy, presence } = history
    return { open: { doc: copy.doc, awareness: presence.awareness, writing }, others }
  }
  return state.kind === 'ended' && state.why === 'failed' ? { error: state.error, others } : { others }
}
