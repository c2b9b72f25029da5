import { Fragment, type Node } from '@tiptap/pm/model'
import { Transform } from '@tiptap/pm/transform'
import { initProseMirrorDoc, updateYFragment } from '@tiptap/y-tiptap'
import fc from 'fast-check'
import { toBase64 } from 'lib0/buffer'
import { expect, test, vi } from 'vitest'
import * as Y from 'yjs'
import { noteSchema } from '../document/extensions.ts'
import { beginningOf, NewerFormatError, offlineBeginning, openCopy } from './note-copy.ts'
import { FORMAT, firstState, fragmentOf, textOf } from './shared-text.ts'
import type { StoredState } from './stored-state.ts'

/** Yjs draws client ids from here, so that a failure can be repeated with its seed. */
const random = vi.hoisted(() => {
  const state = { seed: 1 }
  crypto.getRandomValues = (array) => {
    if (array instanceof Uint32Array)
      for (const index of array.keys()) {
        state.seed = (Math.imul(state.seed, 1_664_525) + 1_013_904_223) >>> 0
        array[index] = state.seed
      }
    return array
  }
  return state
})

/** `npm run test:nightly notes` runs more. */
const RUNS = Number(process.env.NOTE_RUNS ?? 10)
const STEPS = Number(process.env.NOTE_STEPS ?? 120)

const FIRST = firstState('The lamp burns.\n\nThe sea is dark.\n\n- One\n- Two\n')

/** A person with a page that can be closed and reopened. `stored` are the database's updates, in order. */
function createWriter(stored: Uint8Array[], tell: (update: Uint8Array) => void) {
  let heard: Uint8Array[] = []
  let unsent: Uint8Array[] = []
  let read = 0
  const merged = () => (unsent.length > 0 ? Y.mergeUpdates(unsent) : undefined)
  const open = () => {
    const kept = merged()
    unsent = []
    heard = []
    read = stored.length
    const beginning = { generation: 'g', updates: [FIRST, ...stored], version: 'v0', lastUpdate: read, unsent: kept }
    return openCopy(beginning, (update) => {
      unsent.push(update)
      tell(update)
    })
  }
  let copy = open()
  return {
    doc: () => copy.doc,
    text: () => textOf(copy.doc),
    receive(update: Uint8Array): void {
      if (copy.receive(update)) heard.push(update)
    },
    send(): void {
      if (unsent.length > 0) stored.push(Y.mergeUpdates([...heard, ...unsent]))
      heard = []
      unsent = []
    },
    pull(): void {
      for (const update of stored.slice(read)) copy.receive(update)
      read = stored.length
      copy.settle()
    },
    reopen(): void {
      copy.doc.destroy()
      copy = open()
    },
  }
}

const times = <Kind extends string>(count: number, kind: Kind): Kind[] => Array(count).fill(kind)
const WHAT = [
  ...times(8, 'insert'),
  ...times(2, 'remove'),
  ...(['split', 'split', 'join', 'wrap', 'unwrap', 'heading'] as const),
  ...times(10, 'deliver'),
  ...times(2, 'lose'),
  ...times(4, 'send'),
  ...(['pull', 'pull', 'reopen'] as const),
]
const someSteps = fc.array(fc.tuple(fc.constantFrom(...WHAT), fc.nat(2), fc.nat(1_000_000)), {
  minLength: STEPS,
  maxLength: STEPS,
})
/** Each inserted letter is unique, so that it can be found again. */
const letter = (count: number): string => String.fromCharCode(0x4e00 + count)
const lettersIn = (text: string): string[] => text.match(/[\u4e00-\u9fff]/g) ?? []

test('writers who lose messages and pages converge without losing a letter', () => {
  fc.assert(
    fc.property(someSteps, fc.nat(), (steps, seed) => {
      random.seed = seed
      const stored: Uint8Array[] = []
      const air: { to: Writer; update: Uint8Array }[] = []
      type Writer = ReturnType<typeof createWriter>
      const writers: Writer[] = []
      for (let n = 0; n < 3; n += 1) {
        const tell = (update: Uint8Array) => {
          for (const [other, to] of writers.entries()) if (other !== n) air.push({ to, update })
        }
        writers.push(createWriter(stored, tell))
      }
      let count = 0
      const expected = new Set<string>()
      for (const [kind, who, number] of steps) {
        const writer = writers[who] as Writer
        if (kind === 'insert') {
          const inserted = letter(count++)
          edit(writer.doc(), edits.insert(number, inserted))
          expected.add(inserted)
        } else if (kind === 'remove') {
          const removed = lettersIn(writer.text())[number % Math.max(1, count)]
          if (!removed) continue
          edit(writer.doc(), edits.remove(removed))
          expected.delete(removed)
        } else if (kind === 'deliver' || kind === 'lose') {
          const [message] = air.splice(number % Math.max(1, air.length), 1)
          if (kind === 'deliver') message?.to.receive(message.update)
        } else if (kind === 'send' || kind === 'pull' || kind === 'reopen') writer[kind]()
        else edit(writer.doc(), edits[kind](number))
      }
      for (let round = 0; round < 6; round += 1)
        for (const writer of writers) {
          writer.send()
          writer.pull()
          writer.send()
        }
      const texts = writers.map((writer) => writer.text())
      expect(new Set(texts).size).toBe(1)
      const found = new Set(lettersIn(texts[0] ?? ''))
      expect([...expected].filter((inserted) => !found.has(inserted))).toEqual([])
      // Opening the note later gives the same text.
      expect(createWriter(stored, () => {}).text()).toBe(texts[0])
    }),
    { numRuns: RUNS, endOnFailure: true },
  )
}, 3_600_000)

test('of text typed in a removed block, only the letters that were deleted stay away', () => {
  const stored: Uint8Array[] = []
  const [one, other] = [createWriter(stored, () => {}), createWriter(stored, () => {})]
  edit(one.doc(), edits.insert(0, 'abc'))
  edit(one.doc(), edits.remove('a'))
  edit(other.doc(), edits.wrap(0))
  other.send()
  one.reopen()
  expect(one.text()).toMatch(/^> The lamp burns\.\n\nbc\n/)
})

const STORED: StoredState = {
  generation: 'g',
  format: FORMAT,
  version: 'v1',
  current_version: 'v1',
  is_shared: true,
  state_update: 2,
  last_update: 2,
  updated_at: null,
  state: toBase64(FIRST),
  updates: [],
}
const version = { id: 'v1', text: 'The lamp burns.' }
const readVersion = async () => version.text
const mine = { generation: 'g', version: 'v1', update: Uint8Array.of(0, 0), state: FIRST }

test('unsent changes continue only in the same history', async () => {
  expect(await beginningOf({ ...STORED, generation: null }, readVersion)).toBeUndefined()
  expect(await beginningOf(STORED, readVersion, mine)).toMatchObject({ lastUpdate: 2, unsent: mine.update })
  expect((await beginningOf(STORED, readVersion, { ...mine, generation: 'h' }))?.unsent).toBeUndefined()
  await expect(beginningOf({ ...STORED, format: FORMAT + 1 }, readVersion)).rejects.toThrow(NewerFormatError)
})

test('offline, a page starts from unsent changes, else from stored updates, else from the version', async () => {
  expect(await offlineBeginning(version, STORED, mine)).toMatchObject({ updates: [FIRST], lastUpdate: 0 })
  expect(await offlineBeginning(version, STORED)).toMatchObject({ generation: 'g', lastUpdate: 2 })
  const [one, other] = [await offlineBeginning(version), await offlineBeginning(version)]
  expect(one).toEqual(other)
  expect(textOf(openCopy(one, () => {}).doc)).toBe('The lamp burns.')
})

/** Changes a note by ProseMirror steps, like its editor. */
function edit(doc: Y.Doc, change: (tr: Transform) => void): void {
  const fragment = fragmentOf(doc)
  const { doc: node, meta } = initProseMirrorDoc(fragment, noteSchema)
  const tr = new Transform(node)
  change(tr)
  doc.transact(() => updateYFragment(doc, fragment, tr.doc, meta))
}

const { paragraph, bulletList, listItem, blockquote, heading } = noteSchema.nodes

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

const edits = {
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
    const block = tr.doc.maybeChild(index)
    if (block?.type !== paragraph) return
    const inner = number % 2 ? bulletList.create(null, listItem.create(null, block)) : blockquote.create(null, block)
    const at = offsetOf(tr.doc, index)
    tr.replaceWith(at, at + block.nodeSize, inner)
  },
  unwrap: (number: number) => (tr: Transform) => {
    const index = number % tr.doc.childCount
    const block = tr.doc.maybeChild(index)
    if (block?.type !== blockquote && block?.type !== bulletList) return
    const at = offsetOf(tr.doc, index)
    tr.replaceWith(at, at + block.nodeSize, Fragment.from(innerBlocks(block)))
  },
  heading: (number: number) => (tr: Transform) => {
    const index = number % tr.doc.childCount
    const block = tr.doc.maybeChild(index)
    if (!block) return
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
