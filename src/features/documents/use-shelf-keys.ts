import { type RefObject, useEffect, useEffectEvent, useState } from 'react'
import { useShortcut } from '../../lib/shortcut.ts'
import { useListKeys } from '../../lib/use-list-keys.ts'
import type { Selection } from './use-selection.ts'

/** How long is waited for an entry to be drawn. */
const FRAMES = 60

/** Walks the shelf with j and k, chooses with x, all with mod+a, and lets go with Escape. A document that is not drawn is
 *  scrolled to first; it gets the focus as soon as it is there.
 *  @param reveal Scrolls to a document by its place. */
export function useShelfKeys(
  list: RefObject<HTMLElement | null>,
  documents: readonly { id: string }[],
  selection: Selection,
  reveal: (index: number) => void,
): void {
  const [wanted, setWanted] = useState<string>()
  useListKeys(documents.length, (index) => {
    reveal(index)
    setWanted(documents[index]?.id)
  })
  useEffect(() => {
    if (!wanted) return
    let frames = 0
    let frame = requestAnimationFrame(function reach() {
      const entry = list.current?.querySelector<HTMLElement>(`[data-document="${wanted}"]`)
      frames += 1
      // What has to be scrolled to is drawn some frames later.
      if (!entry && frames < FRAMES) {
        frame = requestAnimationFrame(reach)
        return
      }
      entry?.focus()
      setWanted(undefined)
    })
    return () => cancelAnimationFrame(frame)
  }, [wanted, list])
  useShortcut('x', () => {
    // Fast fingers press x before the focus has followed j.
    const here = document.activeElement?.closest('li, tr')?.querySelector<HTMLElement>('[data-document]')
    const chosen = wanted ?? here?.dataset.document
    if (chosen) selection.toggle(chosen)
  })
  useShortcut('mod+a', selection.all)
  const letGo = useEffectEvent(() => selection.clear())
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (event.key === 'Escape' && !event.defaultPrevented) letGo()
    }
    addEventListener('keydown', listen)
    return () => removeEventListener('keydown', listen)
  }, [])
}
