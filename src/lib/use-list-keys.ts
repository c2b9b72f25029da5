import { useState } from 'react'
import { useShortcut } from './shortcut.ts'

/** Walks a list with j and k. The focus moves along, so Enter opens and a screen reader reads what is reached.
 *  @param focus Puts the focus on the entry of that place. */
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
