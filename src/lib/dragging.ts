import { type DragEvent, useState } from 'react'
import * as z from 'zod/mini'

/** What can be dragged within the app, under media types of our own: other programs neither see nor send them. */
const TYPES = { documents: 'application/x-carrel-documents', collection: 'application/x-carrel-collection' } as const
export type Dragged = keyof typeof TYPES

const Ids = z.array(z.guid())

/** Puts ids on what is being dragged. */
export function drag(event: DragEvent, what: Dragged, ids: readonly string[]): void {
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

/** Makes an element a place to drop on.
 *  @param takes What happens with what it takes; kinds left out go past it.
 *  @returns whether something it takes hangs over it, and the handlers for the element. */
export function useDropPlace(takes: { [What in Dragged]?: (ids: string[]) => void }) {
  const [over, setOver] = useState(false)
  const wanted = (event: DragEvent): Dragged | undefined =>
    (Object.keys(TYPES) as Dragged[]).find((what) => takes[what] && event.dataTransfer.types.includes(TYPES[what]))
  return {
    over,
    handlers: {
      onDragOver(event: DragEvent) {
        if (!wanted(event)) return
        event.preventDefault()
        event.dataTransfer.dropEffect = 'move'
        setOver(true)
      },
      onDragLeave: () => setOver(false),
      onDrop(event: DragEvent) {
        const what = wanted(event)
        setOver(false)
        if (!what) return
        event.preventDefault()
        const ids = idsOf(event, what)
        if (ids.length > 0) takes[what]?.(ids)
      },
    },
  }
}
