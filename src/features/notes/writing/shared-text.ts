import { initProseMirrorDoc, updateYFragment } from '@tiptap/y-tiptap'
import * as Y from 'yjs'
import { noteSchema } from '../document/extensions.ts'
import { readMarkdown } from '../document/read-markdown.ts'
import { writeMarkdown } from '../document/write-markdown.ts'

/** Of the documents in a history. It changes with the nodes and marks of a note: an app that does not know a node deletes it, so it
 *  refuses histories of a newer format. */
export const FORMAT = 1

/** The origin of changes that are in the database or come from other writers. */
export const REMOTE = Symbol('remote')

/** What the editor is bound to. */
export const fragmentOf = (doc: Y.Doc): Y.XmlFragment => doc.getXmlFragment('note')

/** The note as Markdown. Equal histories give equal texts. */
export const textOf = (doc: Y.Doc): string => writeMarkdown(initProseMirrorDoc(fragmentOf(doc), noteSchema).doc)

/** Changes a note to another text, by the blocks and letters that differ.
 *  @param origin Who makes the change, for the observers of the document. */
export function changeText(doc: Y.Doc, text: string, origin?: unknown): void {
  const fragment = fragmentOf(doc)
  const { meta } = initProseMirrorDoc(fragment, noteSchema)
  doc.transact(() => updateYFragment(doc, fragment, readMarkdown(text), meta), origin)
}

/** The first state of a history. The same text gives the same bytes, so that two people who begin to write without network share
 *  one history. */
export function firstState(text: string): Uint8Array {
  const doc = new Y.Doc()
  doc.clientID = 0
  changeText(doc, text)
  const state = Y.encodeStateAsUpdate(doc)
  doc.destroy()
  return state
}

/** The name of the history that begins with a state: a UUID of its bytes (version 8 of RFC 9562). */
export async function generationOf(state: Uint8Array): Promise<string> {
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', new Uint8Array(state))).slice(0, 16)
  hash[6] = ((hash[6] ?? 0) & 0x0f) | 0x80
  hash[8] = ((hash[8] ?? 0) & 0x3f) | 0x80
  const hex = Array.from(hash, (byte) => byte.toString(16).padStart(2, '0')).join('')
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}

/** A document of updates, without what was deleted. */
export function docOf(...updates: readonly Uint8Array[]): Y.Doc {
  const doc = new Y.Doc()
  doc.transact(() => {
    for (const update of updates) Y.applyUpdate(doc, update)
  }, REMOTE)
  return doc
}

/** The whole document as one update, without the text that was deleted. */
export function stateOf(doc: Y.Doc): Uint8Array {
  const copy = docOf(Y.encodeStateAsUpdate(doc))
  const state = Y.encodeStateAsUpdate(copy)
  copy.destroy()
  return state
}

/** The update that changes a document's text, without changing the document. */
export function updateToText(doc: Y.Doc, text: string): Uint8Array {
  const copy = docOf(Y.encodeStateAsUpdate(doc))
  const before = Y.encodeStateVector(copy)
  changeText(copy, text)
  const update = Y.encodeStateAsUpdate(copy, before)
  copy.destroy()
  return update
}
