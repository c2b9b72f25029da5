import { type ReactNode, useSyncExternalStore } from 'react'
import { createPortal } from 'react-dom'
import type { DocumentReference } from '../../../domain/note-references.ts'

/** An element of the text in which it is drawn what a link leads to. @property isCard The link is a paragraph of its own. */
export type LinkFace = { element: HTMLElement; place: DocumentReference; label: string; isCard: boolean }

/** The faces that are in the text, for React. */
export function createFaceStore() {
  let faces: readonly LinkFace[] = []
  const listeners = new Set<() => void>()
  const set = (next: readonly LinkFace[]) => {
    faces = next
    for (const listener of listeners) listener()
  }
  return {
    get: () => faces,
    add: (face: LinkFace) => set([...faces, face]),
    remove: (element: Node) => set(faces.filter((face) => face.element !== element)),
    subscribe: (listener: () => void) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}
export type FaceStore = ReturnType<typeof createFaceStore>

/** @property card What a link that is a paragraph of its own shows.
 *  @property state What a link within a sentence shows after it. */
export type LinkDrawing = {
  card: (place: DocumentReference, label: string) => ReactNode
  state: (place: DocumentReference) => ReactNode
}

const keys = new WeakMap<HTMLElement, string>()
let count = 0
function keyOf(element: HTMLElement): string {
  const key = keys.get(element) ?? String(count++)
  keys.set(element, key)
  return key
}

export function LinkFaces({ store, drawing }: { store: FaceStore; drawing: LinkDrawing }) {
  const faces = useSyncExternalStore(store.subscribe, store.get)
  return faces.map(({ element, place, label, isCard }) =>
    createPortal(isCard ? drawing.card(place, label) : drawing.state(place), element, keyOf(element)),
  )
}
