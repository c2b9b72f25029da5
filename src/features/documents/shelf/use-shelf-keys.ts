import { type RefObject, useEffect, useEffectEvent, useState } from 'react'
import { useShortcut } from '../../../lib/ui/shortcut.ts'
import { useListKeys } from '../../../lib/ui/use-list-keys.ts'
import type { Selection } from './use-selection.ts'

const FRAMES = 60

/** Shelf shortcuts: j and k move, x selects, mod+a selects all, Escape clears. Scrolls to entries that aren't rendered,
 *  then focuses them.
 *  @param reveal Scrolls to an index. */
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
    // x may be pressed before the focus has followed j.
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
