// Histories with content that no editor writes: a note opens with the existing text, or says why not.
import { toBase64 } from 'lib0/buffer'
import { expect, test } from 'vitest'
import * as Y from 'yjs'
import { beginningOf, openCopy } from '../../../src/features/notes/writing/note-copy.ts'
import { createRescue } from '../../../src/features/notes/writing/rescue.ts'
import {
  docOf,
  FORMAT,
  firstState,
  fragmentOf,
  stateOf,
  textOf,
} from '../../../src/features/notes/writing/shared-text.ts'
import type { StoredState } from '../../../src/features/notes/writing/stored-state.ts'
import { randomFrom } from '../../../undock/tests/support/random.ts'

const TEXT = 'Words that stay.\n\nA second paragraph.\n'

function updateOf(change: (fragment: Y.XmlFragment, doc: Y.Doc) => void): Uint8Array {
  const doc = docOf(firstState(TEXT))
  const before = Y.encodeStateVector(doc)
  change(fragmentOf(doc), doc)
  return Y.encodeStateAsUpdate(doc, before)
}

const paragraphOf = (fragment: Y.XmlFragment) => fragment.get(0) as Y.XmlElement
const textIn = (fragment: Y.XmlFragment) => paragraphOf(fragment).get(0) as Y.XmlText
/** Yjs' format allows what its types don't. */
const foreign = (value: unknown) => [value] as Y.XmlElement[]

function nest(note: Y.XmlFragment, count: number): void {
  let inner = note
  for (let n = 0; n < count; n += 1) {
    const block = new Y.XmlElement('blockquote')
    inner.insert(0, [block])
    inner = block
  }
  inner.insert(0, [new Y.XmlElement('paragraph')])
}

const HOSTILE: Record<string, () => Uint8Array> = {
  nothing: () => new Uint8Array(),
  'invalid bytes': () => new Uint8Array(500).fill(255),
  'a truncated update': () => firstState(TEXT).slice(0, 40),
  // One client with 2^32 structs; one struct with the largest client id and clock.
  'a wrong count': () => Uint8Array.of(1, 255, 255, 255, 255, 15, 0, 0),
  'the largest ids': () =>
    Uint8Array.of(1, 1, ...Array(7).fill(255), 15, ...Array(7).fill(255), 15, 0, ...Array(7).fill(255), 15, 0),
  'a map among the blocks': () => updateOf((note) => note.insert(0, foreign(new Y.Map()))),
  'text among the blocks': () => updateOf((note) => note.insert(0, [new Y.XmlText('x')])),
  'a hook among the blocks': () => updateOf((note) => note.insert(0, foreign(new Y.XmlHook('x')))),
  'an unknown block': () => updateOf((note) => note.insert(0, [new Y.XmlElement('iframe')])),
  'a block called __proto__': () => updateOf((note) => note.insert(0, [new Y.XmlElement('__proto__')])),
  'a map in a paragraph': () => updateOf((note) => paragraphOf(note).insert(0, foreign(new Y.Map()))),
  'a document in a paragraph': () => updateOf((note) => paragraphOf(note).insert(0, foreign(new Y.Doc()))),
  'an object in a text': () => updateOf((note) => textIn(note).insertEmbed(2, { script: 'x' })),
  'an unknown mark': () => updateOf((note) => textIn(note).format(0, 5, { script: { src: 'x' } })),
  'a mark called constructor': () => updateOf((note) => textIn(note).format(0, 5, { constructor: {} as never })),
  'an invalid list of rescued letters': () => updateOf((_, doc) => doc.getMap('rescued').set('0:0', new Y.Map())),
  '1500 nested blocks': () => updateOf((note) => nest(note, 1500)),
}

/** Opens a note's history with these stored bytes. */
async function open({ state = firstState(TEXT), update }: { state?: Uint8Array; update?: Uint8Array } = {}) {
  const stored: StoredState = {
    generation: 'g',
    format: FORMAT,
    version: 'v0',
    current_version: 'v0',
    is_shared: true,
    state_update: 0,
    last_update: update ? 1 : 0,
    updated_at: null,
    state: toBase64(state),
    updates: update ? [toBase64(update)] : [],
  }
  const beginning = await beginningOf(stored, async () => TEXT)
  if (!beginning) throw new Error('The history is empty')
  const unsent: Uint8Array[] = []
  const { doc, receive } = openCopy(beginning, (one) => unsent.push(one))
  return { text: () => textOf(doc), state: () => stateOf(doc), receive, unsent }
}

test.each(Object.entries(HOSTILE))('%s: the text is unchanged, in a new and in an open copy', async (_, make) => {
  const update = make()
  const opened = await open({ update })
  expect(opened.text()).toBe(TEXT)
  const writer = await open()
  writer.receive(update)
  expect(writer.text()).toBe(TEXT)
  // Everyone can read the next version's state.
  expect((await open({ state: opened.state() })).text()).toBe(TEXT)
})

test.each(Object.keys(HOSTILE).slice(5))('%s, in the initial state: the text is unchanged', async (name) => {
  const state = Y.mergeUpdates([firstState(TEXT), HOSTILE[name]?.() ?? new Uint8Array()])
  expect((await open({ state })).text()).toBe(TEXT)
})

test.each(['nothing', 'invalid bytes', 'a truncated update'])(
  "a state of %s: writers start from the version's text, and the next version replaces it",
  async (name) => {
    const state = HOSTILE[name]?.() ?? new Uint8Array()
    const [first, second] = [await open({ state }), await open({ state })]
    expect([first.text(), second.text()]).toEqual([TEXT, TEXT])
    for (const update of first.unsent) second.receive(update)
    expect(second.text()).toBe(TEXT)
    const third = await open({ state: second.state() })
    expect([third.text(), third.unsent]).toEqual([TEXT, []])
  },
)

test('corrupted updates neither fail nor hang', async () => {
  const random = randomFrom(7)
  const whole = updateOf((note) => {
    textIn(note).insert(2, 'more')
    textIn(note).format(0, 4, { bold: {} })
    note.delete(1, 1)
    nest(note, 3)
  })
  for (let run = 0; run < 300; run += 1) {
    const update = whole.slice()
    for (let n = 0; n < 3; n += 1) update[Math.floor(random() * update.length)] = Math.floor(random() * 256)
    const history = await open()
    history.receive(update)
    expect(history.text()).toEqual(expect.any(String))
  }
})

test('long text in a block removed by another writer is restored immediately', () => {
  const doc = docOf(firstState(TEXT))
  const rescue = createRescue(doc, new Set([doc.clientID]))
  const long = 'word '.repeat(10_000)
  textIn(fragmentOf(doc)).insert(5, ` ${long}`)
  rescue.receive(updateOf((note) => note.delete(0, 1)))
  expect(textOf(doc)).toContain(long.trim())
  expect(textOf(doc)).not.toContain('Words')
})
