import { type DragEvent, useState } from 'react'
import * as z from 'zod/mini'

/** Media types of our own, so that other programs neither see nor send them. */
const TYPES = {
  documents: 'application/x-carrel-documents',
  collection: 'application/x-carrel-collection',
  favorite: 'application/x-carrel-favorite',
} as const
export type Dragged = keyof typeof TYPES

/** Whether a clipboard has text, which office programs add a picture of. A web page's picture has HTML, but no text. */
export const isFormattedText = (clipboard: DataTransfer): boolean =>
  clipboard.getData('text/html') !== '' && clipboard.getData('text/plain').trim() !== ''

const Ids = z.array(z.guid())

export function startDrag(event: DragEvent, what: Dragged, ids: readonly string[]): void {
  event.dataTransfer.setData(TYPES[what], JSON.stringify(ids))
  event.dataTransfer.effectAllowed = 'move'
}

function idsOf(event: DragEvent, what: Dragged): string[] {
  try {
    return Ids.parse(JSON.parse(event.dataTransfer.getData(TYPES[what])))
  } catch {
    return []
  }
}

/** Returns props that make an element a drop target, with `data-over` while an accepted drag is over it.
 *  @param accepts A handler per accepted kind. */
export function useDropTarget(accepts: { [What in Dragged]?: ((ids: string[]) => void) | undefined }) {
  const [isOver, setOver] = useState(false)
  const acceptedKind = (event: DragEvent): Dragged | undefined =>
    (Object.keys(TYPES) as Dragged[]).find((what) => accepts[what] && event.dataTransfer.types.includes(TYPES[what]))
  return {
    'data-over': isOver || undefined,
    onDragOver(event: DragEvent) {
      if (!acceptedKind(event)) return
      event.preventDefault()
      event.dataTransfer.dropEffect = 'move'
      setOver(true)
    },
    onDragLeave: () => setOver(false),
    onDrop(event: DragEvent) {
      const what = acceptedKind(event)
      setOver(false)
      if (!what) return
      event.preventDefault()
      const ids = idsOf(event, what)
      if (ids.length > 0) accepts[what]?.(ids)
    },
  }
}
