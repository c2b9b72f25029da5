import { Fragment, type Node } from '@tiptap/pm/model'
import { Transform } from '@tiptap/pm/transform'
import { initProseMirrorDoc, updateYFragment } from '@tiptap/y-tiptap'
import { toBase64 } from 'lib0/buffer'
import type * as Y from 'yjs'
import { noteSchema } from '../document/extensions.ts'
import { offlineBeginning, readBeginning, type Unsent } from './beginning.ts'
import { type NoteHistory, OtherHistoryError, openHistory } from './note-history.ts'
import { moveToHistory } from './other-history.ts'
import { changeText, fragmentOf } from './shared-text.ts'
import type { NoteStore, StoredState } from './stored-state.ts'

class ConflictError extends Error {}
class NetworkError extends Error {}

/** The rules of supabase/schemas/15_notes.sql, in memory. */
export function fakeDatabase(text: string) {
  const versions = new Map([['v0', text]])
  let current = 'v0'
  let state:
    | { generation: string; state: Uint8Array; version: string; stateUpdate: number; lastUpdate: number }
    | undefined
  const updates = new Map<number, Uint8Array>()
  const addVersion = (body: string): string => {
    current = `v${versions.size}`
    versions.set(current, body)
    return current
  }
  const add = (update: Uint8Array): number => {
    if (!state) throw new ConflictError()
    state.lastUpdate += 1
    updates.set(state.lastUpdate, update)
    return state.lastUpdate
  }
  const store: NoteStore = {
    read: async (known) => {
      const hasState = state !== undefined && known?.generation === state.generation && known.after >= state.stateUpdate
      const after = hasState ? (known?.after ?? 0) : (state?.stateUpdate ?? 0)
      return {
        generation: state?.generation ?? null,
        format: state ? 1 : null,
        version: state?.version ?? null,
        current_version: current,
        state_update: state?.stateUpdate ?? 0,
        last_update: state?.lastUpdate ?? 0,
        updated_at: null,
        state: state && !hasState ? toBase64(state.state) : null,
        updates: [...updates].filter(([number]) => number > after).map(([, update]) => toBase64(update)),
      }
    },
    start: async (first) => {
      if (first.version !== current) throw new ConflictError()
      state ??= { ...first, stateUpdate: 0, lastUpdate: 0 }
    },
    add: async ({ generation, update }) => {
      if (state?.generation !== generation) throw new ConflictError()
      return add(update)
    },
    merge: async ({ generation, from, to, update }) => {
      if (state?.generation !== generation || state.version !== from || current !== to) throw new ConflictError()
      state.version = to
      return add(update)
    },
    save: async ({ generation, body, basedOn, state: bytes, lastUpdate }) => {
      const isRefused = state?.generation !== generation || state.version !== basedOn || current !== basedOn
      if (!state || isRefused || lastUpdate < state.stateUpdate || lastUpdate > state.lastUpdate)
        throw new ConflictError()
      if (versions.get(basedOn) !== body) addVersion(body)
      Object.assign(state, { version: current, state: bytes, stateUpdate: lastUpdate })
      for (const number of updates.keys()) if (number <= lastUpdate) updates.delete(number)
      return current
    },
    readVersion: async (version) => versions.get(version) ?? '',
    isConflict: (error) => error instanceof ConflictError,
  }
  return { store, addVersion, latest: () => ({ id: current, text: versions.get(current) ?? '' }) }
}

type Database = ReturnType<typeof fakeDatabase>
export type Message = { to: Writer; update: Uint8Array } | { to: Writer; number: number }
export type Writer = ReturnType<typeof createWriter>

/** A person with a browser whose page may be closed, and whose network may be gone. Messages lie in `air` until somebody delivers
 *  or loses them. */
export function createWriter(database: Database, all: () => readonly Writer[], air: Message[]) {
  let history: NoteHistory | undefined
  let isOnline = true
  // An answer that is lost: the database has changed, and the writer does not know.
  let losesAnswer = false
  let unsent: Unsent | undefined
  const overNetwork =
    <Arguments extends unknown[], Result>(call: (...args: Arguments) => Promise<Result>) =>
    async (...args: Arguments): Promise<Result> => {
      if (!isOnline) throw new NetworkError()
      const answer = await call(...args)
      if (!losesAnswer) return answer
      losesAnswer = false
      throw new NetworkError()
    }
  const { store: direct } = database
  const store: NoteStore = {
    ...direct,
    read: overNetwork(direct.read),
    start: overNetwork(direct.start),
    add: overNetwork(direct.add),
    merge: overNetwork(direct.merge),
    save: overNetwork(direct.save),
    readVersion: overNetwork(direct.readVersion),
  }
  const tell = (message: { update: Uint8Array } | { number: number }) => {
    if (isOnline) for (const to of all()) if (to !== writer) air.push({ to, ...message })
  }

  let kept: StoredState | undefined
  const letters = /[\u4e00-\u9fff]/g

  async function open(): Promise<NoteHistory> {
    const isNew = unsent
    const beginning = await (isOnline
      ? readBeginning(store, database.latest(), unsent)
      : offlineBeginning(database.latest(), kept, unsent))
    const opened = openHistory({
      store,
      beginning,
      send: ({ generation, update }) => store.add({ generation, update }),
      broadcast: (update) => tell({ update }),
      announce: (number) => tell({ number }),
    })
    if (isOnline && isNew && isNew.generation !== opened.generation) {
      // Where the person has to decide, this one takes both.
      const left = await moveToHistory(store, isNew, opened).catch((error) => {
        opened.close()
        throw error
      })
      if (left !== undefined) {
        const missing = left.match(letters)?.filter((one) => !opened.text().includes(one)) ?? []
        changeText(opened.doc, `${opened.text()}\n\n${missing.join('')}\n`)
      }
    }
    unsent = undefined
    if (isOnline) kept = await direct.read()
    history = opened
    return opened
  }

  /** Closes the page. The browser keeps what the database does not have. */
  function close(): void {
    const update = history?.unsent()
    if (history && update)
      unsent = { generation: history.generation, version: history.state().version, update, state: history.wholeState() }
    history?.close()
    history = undefined
  }

  const writer = {
    open,
    close,
    history: async () => history ?? (await open()),
    receive: (update: Uint8Array) => {
      if (isOnline) history?.receive(update)
    },
    setOnline: (online: boolean) => {
      isOnline = online
      losesAnswer = false
    },
    loseNextAnswer: () => {
      losesAnswer = true
    },
    /** Does something that needs the network, which may fail. */
    attempt: async (act: (history: NoteHistory) => Promise<unknown>): Promise<void> => {
      try {
        await act(await writer.history())
      } catch (error) {
        if (error instanceof NetworkError) return
        if (!(error instanceof OtherHistoryError)) throw error
        close()
        await open().catch((failure) => {
          if (!(failure instanceof NetworkError)) throw failure
        })
      }
    },
  }
  return writer
}

/** Changes a note as its editor does: by steps of ProseMirror. */
export function edit(doc: Y.Doc, change: (tr: Transform) => void): void {
  const fragment = fragmentOf(doc)
  const { doc: node, meta } = initProseMirrorDoc(fragment, noteSchema)
  const tr = new Transform(node)
  change(tr)
  doc.transact(() => updateYFragment(doc, fragment, tr.doc, meta))
}

const { paragraph, bulletList, listItem, blockquote, heading } = noteSchema.nodes

/** Where text can be inserted. */
function placesIn(doc: Node): number[] {
  const places: number[] = []
  doc.descendants((node, at) => {
    if (!node.isTextblock) return true
    for (let index = 0; index <= node.content.size; index += 1) places.push(at + 1 + index)
    return false
  })
  return places
}

const pick = <T>(all: readonly T[], number: number): T | undefined => all[number % all.length]

/** The edits of the test, by what they do; `number` chooses the place. */
export const edits = {
  insert: (number: number, letter: string) => (tr: Transform) => {
    const at = pick(placesIn(tr.doc), number)
    if (at === undefined) tr.insert(tr.doc.content.size, paragraph.create(null, noteSchema.text(letter)))
    else tr.insert(at, noteSchema.text(letter))
  },
  split: (number: number) => (tr: Transform) => {
    const at = pick(placesIn(tr.doc), number)
    if (at !== undefined && tr.doc.resolve(at).parent.type === paragraph) tr.split(at)
  },
  join: (number: number) => (tr: Transform) => {
    const index = 1 + (number % Math.max(1, tr.doc.childCount - 1))
    if (index >= tr.doc.childCount) return
    const [left, right] = [tr.doc.child(index - 1), tr.doc.child(index)]
    if (left.type !== paragraph || right.type !== paragraph) return
    tr.join(offsetOf(tr.doc, index))
  },
  wrap: (number: number) => (tr: Transform) => {
    const index = number % tr.doc.childCount
    const block = tr.doc.child(index)
    if (block.type !== paragraph) return
    const inner = number % 2 ? bulletList.create(null, listItem.create(null, block)) : blockquote.create(null, block)
    const at = offsetOf(tr.doc, index)
    tr.replaceWith(at, at + block.nodeSize, inner)
  },
  unwrap: (number: number) => (tr: Transform) => {
    const index = number % tr.doc.childCount
    const block = tr.doc.child(index)
    if (block.type !== blockquote && block.type !== bulletList) return
    const at = offsetOf(tr.doc, index)
    tr.replaceWith(at, at + block.nodeSize, Fragment.from(innerBlocks(block)))
  },
  heading: (number: number) => (tr: Transform) => {
    const index = number % tr.doc.childCount
    const block = tr.doc.child(index)
    const at = offsetOf(tr.doc, index)
    if (block.type === paragraph) tr.setBlockType(at, at + block.nodeSize, heading, { level: 2 })
    else if (block.type === heading) tr.setBlockType(at, at + block.nodeSize, paragraph)
  },
  remove: (letter: string) => (tr: Transform) => {
    tr.doc.descendants((node, at) => {
      const index = node.text?.indexOf(letter) ?? -1
      if (index >= 0 && tr.steps.length === 0) tr.delete(at + index, at + index + 1)
    })
  },
}

function offsetOf(doc: Node, index: number): number {
  let at = 0
  for (let before = 0; before < index; before += 1) at += doc.child(before).nodeSize
  return at
}

const innerBlocks = (block: Node): Node[] =>
  block.type === bulletList ? block.children.flatMap((item) => [...item.children]) : [...block.children]
