import { Awareness, applyAwarenessUpdate } from 'y-protocols/awareness'
import * as Y from 'yjs'
import type { Message } from './messages.ts'
import { joinNote, type NoteChannel } from './note-channel.ts'
import { beginningOf } from './note-copy.ts'
import { storeOf } from './note-store.ts'
import { namesOf } from './presence.ts'
import { REMOTE, textOf } from './shared-text.ts'
import { type NoteStore, type StoredState, updatesOf } from './stored-state.ts'

/** The text after the latest version, which it names. */
export type Draft = { body: string; writers: readonly string[]; version: string | null }

type Options = {
  store: Pick<NoteStore, 'read' | 'readVersion'>
  join(handlers: { onJoin(): void; onMessage(message: Message): void }): NoteChannel
  onDraft(draft: Draft): void
  /** Whether to ask who writes. Readers can't: they wait until the writers name themselves again. */
  isWriter: boolean
}

/** Milliseconds. Broadcasts may be lost, so stored updates are read after an announcement. */
const READ_AFTER = 2_500
/** Milliseconds to batch letters that arrive together. */
const SHOW_AFTER = 50

type Place = Parameters<typeof joinNote>[0]

export const followNote = (place: Place, options: Pick<Options, 'onDraft' | 'isWriter'>) =>
  followDraft({ store: storeOf(place.note), join: (handlers) => joinNote(place, handlers), ...options })

/** Follows other people's writing without being a writer. @returns `read` loads a saved version, `stop` ends it. */
export function followDraft({ store, join, onDraft, isWriter }: Options): { read: () => void; stop: () => void } {
  let doc = new Y.Doc()
  const awareness = new Awareness(doc)
  // Writers count each other by these states.
  awareness.setLocalState(null)
  let stored: StoredState | undefined
  let isStopped = false
  const timers = new Map<() => void, ReturnType<typeof setTimeout>>()

  const soon = (act: () => void, ms: number) => {
    if (timers.has(act) || isStopped) return
    const run = () => {
      timers.delete(act)
      act()
    }
    timers.set(act, setTimeout(run, ms))
  }
  const show = () => {
    // A history without the latest version is merged in the editor.
    if (stored?.generation == null || stored.version !== stored.current_version) return
    onDraft({ body: textOf(doc), writers: namesOf(awareness), version: stored.version })
  }
  const receive = (update: Uint8Array) => {
    try {
      Y.applyUpdate(doc, update, REMOTE)
    } catch {}
  }
  const take = async () => {
    const since = stored?.generation == null ? undefined : { generation: stored.generation, after: stored.last_update }
    const found = await store.read(since)
    const beginning = found.state !== null || !since ? await beginningOf(found, store.readVersion) : undefined
    if (isStopped) return
    if (stored && found.generation !== stored.generation) {
      doc.destroy()
      doc = new Y.Doc()
    }
    for (const update of beginning?.updates ?? updatesOf(found)) receive(update)
    stored = found
    show()
  }
  // On failure, the latest version is shown.
  const read = () => void take().catch(() => {})
  const channel = join({
    onJoin() {
      if (isWriter) channel.send({ kind: 'hello' })
      read()
    },
    onMessage(message) {
      if (message.kind === 'update') receive(message.bytes)
      else if (message.kind === 'stored') soon(read, READ_AFTER)
      else if (message.kind === 'awareness') {
        try {
          applyAwarenessUpdate(awareness, message.bytes, REMOTE)
        } catch {}
      }
      soon(show, SHOW_AFTER)
    },
  })
  return {
    read,
    stop() {
      isStopped = true
      for (const timer of timers.values()) clearTimeout(timer)
      channel.close()
      awareness.destroy()
      doc.destroy()
    },
  }
}
