import { type RefObject, useEffect, useEffectEvent, useState } from 'react'
import { useShortcut } from '../../lib/shortcut.ts'
import { useListKeys } from '../../lib/use-list-keys.ts'
import type { Selection } from './use-selection.ts'

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
    const frame = requestAnimationFrame(() => {
      list.current?.querySelector<HTMLElement>(`[data-document="${wanted}"]`)?.focus()
      setWanted(undefined)
    })
    return () => cancelAnimationFrame(frame)
  }, [wanted, list])
  useShortcut('x', () => {
    const here = document.activeElement?.closest('li, tr')?.querySelector<HTMLElement>('[data-document]')
    if (here?.dataset.document) selection.toggle(here.dataset.document)
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
