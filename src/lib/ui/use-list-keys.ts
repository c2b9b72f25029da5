import { useState } from 'react'
import { useShortcut } from './shortcut.ts'

/** Moves through a list with j and k, including the focus, so that Enter opens the entry and screen readers read it.
 *  @param focus Focuses the entry at an index. */
export function useListKeys(length: number, focus: (index: number) => void): number {
  const [current, setCurrent] = useState(-1)
  const go = (step: 1 | -1) => {
    if (length === 0) return
    const next = Math.min(length - 1, Math.max(0, current + step))
    setCurrent(next)
    focus(next)
  }
  useShortcut('j', () => go(1))
  useShortcut('k', () => go(-1))
  return current
}
