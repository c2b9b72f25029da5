import { type ReactNode, useSyncExternalStore } from 'react'
import { createPortal } from 'react-dom'
import type { DocumentReference } from '../../../domain/note-references.ts'

/** The DOM element in which a link's target is drawn. @property isCard The link is a whole paragraph. */
export type LinkFace = { element: HTMLElement; place: DocumentReference; label: string; isCard: boolean }

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

/** @property card Drawn for a link that is a whole paragraph. @property state Drawn after an inline link. */
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
