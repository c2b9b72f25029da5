import * as Y from 'yjs'
import { removeForeign } from './foreign-content.ts'
import { fragmentOf, REMOTE } from './shared-text.ts'

type DeleteSet = ReturnType<typeof Y.decodeUpdate>['ds']

/** A letter written in a block that someone else removed or wrapped at the same time.
 *  @property id Its id in the history.
 *  @property before The preceding letters in that block, and after it, used to find its position again.
 *  @property index The block's position among the note's blocks. */
type Orphan = { id: Y.ID; text: string; before: string; after: string; index: number }

const CONTEXT = 24

/** Applies updates and restores concurrent text that they would delete. For example, wrapping a paragraph in a list
 *  removes it and inserts a copy: text typed in it meanwhile is inserted again in the copy, or else as a paragraph in
 *  its place.
 *
 *  Done by the text's author or the person who removed the block; if both have left, by the next reader of the updates.
 *  A map in the document records who did; of two concurrent insertions, one is reverted by its author.
 *  @param ours This writer's client ids in the history. */
export function createRescue(doc: Y.Doc, ours: ReadonlySet<number>) {
  // Yjs knows a root's type only after it's requested.
  const fragment = fragmentOf(doc)
  const rescued = doc.getMap<number>('rescued')
  const inserted = new Map<string, { place: Y.RelativePosition; text: string }>()
  const deletions: DeleteSet[] = []
  const removedByUs: DeleteSet[] = []
  let remaining: Orphan[] = []

  doc.on('afterTransaction', ({ origin, deleteSet }: Y.Transaction) => {
    if (origin === REMOTE) return
    deletions.push(deleteSet)
    removedByUs.push(deleteSet)
  })
  rescued.observe(({ keysChanged }, { origin }) => {
    if (origin !== REMOTE) return
    const doubled = [...keysChanged].filter((key) => inserted.has(key) && rescued.get(key) !== doc.clientID)
    if (doubled.length > 0) queueMicrotask(() => doc.transact(() => doubled.forEach(takeBack)))
  })

  function takeBack(key: string): void {
    const mine = inserted.get(key)
    inserted.delete(key)
    // If the insertion was in a removed block, there is nothing to revert.
    if (!mine?.place.item || Y.getItem(doc.store, mine.place.item).deleted) return
    const place = Y.createAbsolutePositionFromRelativePosition(mine.place, doc)
    if (!place || !(place.type instanceof Y.XmlText)) return
    if (lettersOf(place.type).startsWith(mine.text, place.index)) place.type.delete(place.index, mine.text.length)
  }

  const isMeant = (id: Y.ID) => deletions.some((set) => Y.isDeleted(set, id))
  /** Whether one range of an update deletes the whole item, whose letters need no look then. */
  const isWhollyMeant = ({ id: { client, clock }, length }: Y.Item) =>
    deletions.some(({ clients }) =>
      clients.get(client)?.some((range) => range.clock <= clock && clock + length <= range.clock + range.len),
    )

  /** @throws if it isn't a Yjs update. */
  function receive(update: Uint8Array): void {
    const decoded = Y.decodeUpdate(update)
    deletions.push(decoded.ds)
    const before = Y.decodeStateVector(Y.encodeStateVector(doc))
    // An update may arrive before the one it continues; it's applied together with that one.
    const waiting = doc.store.pendingStructs ? Y.decodeUpdateV2(doc.store.pendingStructs.update).structs : []
    const urgent: Orphan[] = []
    const add = (orphans: readonly Orphan[], isOurs: boolean) => {
      for (const orphan of orphans) if (!isMeant(orphan.id)) (isOurs ? urgent : remaining).push(orphan)
    }
    let foreign: ReadonlySet<Y.Item> = new Set()
    const collect = (transaction: Y.Transaction) => {
      Y.iterateDeletedStructs(transaction, transaction.deleteSet, (struct) => {
        if (!(struct instanceof Y.Item) || !(struct.content instanceof Y.ContentString)) return
        if (isWhollyMeant(struct) || isInside(foreign, struct)) return
        const isOurs = ours.has(struct.id.client) || wasRemovedByUs(struct)
        add(orphansOf(struct, struct.content.str, transaction), isOurs)
      })
      // A block removed before the last version leaves no trace to which its text could belong.
      for (const struct of [...decoded.structs, ...waiting]) {
        if (!(struct instanceof Y.Item) || !(struct.content instanceof Y.ContentString)) continue
        const { client, clock } = struct.id
        if (clock < (before.get(client) ?? 0) || Y.getState(doc.store, client) <= clock) continue
        if (!(Y.getItem(doc.store, struct.id) instanceof Y.GC)) continue
        const around = { before: '', after: '', index: fragmentOf(doc).length }
        add(lettersOfItem(struct, struct.content.str, around), ours.has(client))
      }
    }
    doc.once('afterTransaction', collect)
    try {
      doc.transact((transaction) => {
        Y.applyUpdate(doc, update, REMOTE)
        foreign = removeForeign(fragment, transaction)
      }, REMOTE)
    } finally {
      doc.off('afterTransaction', collect)
    }
    putBack(urgent)
  }

  function wasRemovedByUs(item: Y.Item): boolean {
    for (let block = parentOf(item); block; block = parentOf(block)) {
      const { id } = block
      if (removedByUs.some((set) => Y.isDeleted(set, id))) return true
    }
    return false
  }

  function putBack(orphans: readonly Orphan[]): void {
    const lost = orphans.filter(({ id }) => !rescued.has(keyOf(id)))
    if (lost.length === 0) return
    doc.transact(() => {
      for (const run of runsOf(lost)) {
        const first = insert(fragmentOf(doc), { ...(run[0] as Orphan), text: run.map(({ text }) => text).join('') })
        let offset = 0
        for (const { id, text } of run) {
          const key = keyOf(id)
          rescued.set(key, doc.clientID)
          inserted.set(key, { place: further(first, offset), text })
          offset += text.length
        }
      }
    })
  }

  return {
    receive,
    /** Restores what no one else has. Called once everything stored has been received. */
    settle(): void {
      // A letter's own deletion may have arrived after that of its block.
      putBack(remaining.filter(({ id }) => !isMeant(id)))
      remaining = []
    },
  }
}

const keyOf = ({ client, clock }: Y.ID): string => `${client}:${clock}`

/** Yields an item's letters, which have their own ids, with their left neighbours. */
function lettersOfItem(
  { id: { client, clock } }: Y.Item,
  text: string,
  { before, after, index }: Pick<Orphan, 'before' | 'after' | 'index'>,
): Orphan[] {
  let offset = 0
  return [...text].map((letter) => {
    const orphan = {
      id: Y.createID(client, clock + offset),
      text: letter,
      before: (before + text.slice(Math.max(0, offset - CONTEXT), offset)).slice(-CONTEXT),
      after,
      index,
    }
    offset += letter.length
    return orphan
  })
}

const parentOf = (item: Y.Item): Y.Item | null => (item.parent instanceof Y.AbstractType ? item.parent._item : null)

function isInside(items: ReadonlySet<Y.Item>, item: Y.Item): boolean {
  for (let at: Y.Item | null = item; at && items.size > 0; at = parentOf(at)) if (items.has(at)) return true
  return false
}

function orphansOf(item: Y.Item, text: string, { deleteSet }: Y.Transaction): Orphan[] {
  const letters = (one: Y.Item) =>
    one.content instanceof Y.ContentString && (!one.deleted || Y.isDeleted(deleteSet, one.id)) ? one.content.str : ''
  let before = ''
  for (let left = item.left; left && before.length < CONTEXT; left = left.left) before = letters(left) + before
  let after = ''
  for (let right = item.right; right && after.length < CONTEXT; right = right.right) after += letters(right)
  let block = item
  for (let parent = parentOf(item); parent; parent = parentOf(parent)) block = parent
  let index = 0
  for (let left = block.left; left; left = left.left) if (!left.deleted) index += left.length
  return lettersOfItem(item, text, { before, after: after.slice(0, CONTEXT), index })
}

/** Groups adjacent letters, because finding a position takes time proportional to the note's length. */
function runsOf(orphans: readonly Orphan[]): Orphan[][] {
  const runs: Orphan[][] = []
  let previous: Orphan | undefined
  for (const orphan of orphans) {
    const follows =
      previous &&
      orphan.before === (previous.before + previous.text).slice(-CONTEXT) &&
      orphan.after === previous.after &&
      orphan.index === previous.index
    if (follows) runs.at(-1)?.push(orphan)
    else runs.push([orphan])
    previous = orphan
  }
  return runs
}

/** Returns a position some letters after another, in text inserted as one block. */
const further = ({ type, tname, item, assoc }: Y.RelativePosition, letters: number): Y.RelativePosition =>
  new Y.RelativePosition(type, tname, item && Y.createID(item.client, item.clock + letters), assoc)

function insert(fragment: Y.XmlFragment, { text, before, after, index }: Orphan): Y.RelativePosition {
  const place = placeOf(fragment, before, after)
  if (place) {
    place.text.insert(place.index, text)
    return Y.createRelativePositionFromTypeIndex(place.text, place.index)
  }
  const paragraph = new Y.XmlElement('paragraph')
  const content = new Y.XmlText(text)
  paragraph.insert(0, [content])
  fragment.insert(Math.min(index, fragment.length), [paragraph])
  return Y.createRelativePositionFromTypeIndex(content, 0)
}

/** Returns the only position with this surrounding text; the text before counts more. */
function placeOf(
  fragment: Y.XmlFragment,
  before: string,
  after: string,
): { text: Y.XmlText; index: number } | undefined {
  const texts = [...textsIn(fragment)].map((text) => ({ text, letters: lettersOf(text) }))
  const ways = [
    { wanted: before + after, offset: before.length },
    { wanted: before, offset: before.length },
    { wanted: after, offset: 0 },
  ]
  for (const { wanted, offset } of ways) {
    if (wanted === '') continue
    const found = texts.flatMap(({ text, letters }) =>
      indexesOf(letters, wanted).map((at) => ({ text, index: at + offset })),
    )
    if (found.length === 1) return found[0]
  }
  return undefined
}

function* textsIn(type: Y.XmlFragment): Generator<Y.XmlText> {
  for (const child of type.toArray()) {
    if (child instanceof Y.XmlText) yield child
    else if (child instanceof Y.XmlFragment) yield* textsIn(child)
  }
}

/** One character per position: embedded objects count as one. */
const lettersOf = (text: Y.XmlText): string =>
  text
    .toDelta()
    .map(({ insert }: { insert: unknown }) => (typeof insert === 'string' ? insert : '\uFFFC'))
    .join('')

function indexesOf(text: string, wanted: string): number[] {
  const all: number[] = []
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + 1)) all.push(at)
  return all
}
