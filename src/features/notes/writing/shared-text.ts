import { initProseMirrorDoc, updateYFragment } from '@tiptap/y-tiptap'
import * as Y from 'yjs'
import { noteSchema } from '../document/extensions.ts'
import { readMarkdown } from '../document/read-markdown.ts'
import { writeMarkdown } from '../document/write-markdown.ts'

/** Increase it when a note's nodes or marks change: apps delete unknown nodes, so they refuse newer formats. */
export const FORMAT = 1

/** The origin of changes from the database or other writers. */
export const REMOTE = Symbol('remote')

export const fragmentOf = (doc: Y.Doc): Y.XmlFragment => doc.getXmlFragment('note')

/** Returns the note as Markdown. Equal histories give equal texts. */
export const textOf = (doc: Y.Doc): string => writeMarkdown(initProseMirrorDoc(fragmentOf(doc), noteSchema).doc)

/** Changes a note to another text with minimal edits. @param origin For the document's observers. */
export function changeText(doc: Y.Doc, text: string, origin?: unknown): void {
  const fragment = fragmentOf(doc)
  const { meta } = initProseMirrorDoc(fragment, noteSchema)
  doc.transact(() => updateYFragment(doc, fragment, readMarkdown(text), meta), origin)
}

/** Returns a history's first state. Equal texts give equal bytes, so that two people starting offline share one. */
export function firstState(text: string): Uint8Array {
  const doc = new Y.Doc()
  doc.clientID = 0
  changeText(doc, text)
  const state = Y.encodeStateAsUpdate(doc)
  doc.destroy()
  return state
}

/** Returns the id of the history that starts with a state: a UUID of its bytes (version 8, RFC 9562). */
export async function generationOf(state: Uint8Array): Promise<string> {
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', new Uint8Array(state))).slice(0, 16)
  hash[6] = ((hash[6] ?? 0) & 0x0f) | 0x80
  hash[8] = ((hash[8] ?? 0) & 0x3f) | 0x80
  const hex = Array.from(hash, (byte) => byte.toString(16).padStart(2, '0')).join('')
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}

export function docOf(...updates: readonly Uint8Array[]): Y.Doc {
  const doc = new Y.Doc()
  doc.transact(() => {
    for (const update of updates) Y.applyUpdate(doc, update)
  }, REMOTE)
  return doc
}

export function stateOf(doc: Y.Doc): Uint8Array {
  const copy = docOf(Y.encodeStateAsUpdate(doc))
  const state = Y.encodeStateAsUpdate(copy)
  copy.destroy()
  return state
}

/** Returns the update that changes a document's text, without applying it. */
export function updateToText(doc: Y.Doc, text: string): Uint8Array {
  const copy = docOf(Y.encodeStateAsUpdate(doc))
  const before = Y.encodeStateVector(copy)
  changeText(copy, text)
  const update = Y.encodeStateAsUpdate(copy, before)
  copy.destroy()
  return update
}
