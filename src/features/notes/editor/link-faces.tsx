import type { ReactNode } from 'react'
import { createPortal } from 'react-dom'
import type { DocumentReference } from '../../../domain/note-references.ts'
import { createStore, useStore } from '../../../lib/store.ts'

/** The DOM element in which a link's target is drawn. @property isCard The link is a whole paragraph. */
export type LinkFace = { element: HTMLElement; place: DocumentReference; label: string; isCard: boolean }

export function createFaceStore() {
  const { get, set, subscribe } = createStore<readonly LinkFace[]>([])
  return {
    get,
    add: (face: LinkFace) => set([...get(), face]),
    remove: (element: Node) => set(get().filter((face) => face.element !== element)),
    subscribe,
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
  const faces = useStore(store)
  return faces.map(({ element, place, label, isCard }) =>
    createPortal(isCard ? drawing.card(place, label) : drawing.state(place), element, keyOf(element)),
  )
}
