import type { KeyboardEvent, RefObject } from 'react'
import { useShortcut } from '../../lib/ui/shortcut.ts'

/** Rows are marked `data-row`. */
const rowsOf = (list: HTMLElement | null): HTMLElement[] => [
  ...(list?.querySelectorAll<HTMLElement>('[data-row]') ?? []),
]

const positionIn = (rows: readonly Element[]): number =>
  document.activeElement ? rows.indexOf(document.activeElement) : -1

/** Focuses the first result. @returns whether there is one. */
export function focusFirstRow(list: HTMLElement | null): boolean {
  const [first] = rowsOf(list)
  first?.focus()
  return first !== undefined
}

/** Navigates rows: j and k from anywhere but a field; arrows, Home and End from a row. Moves the focus, so that Enter
 *  opens the row and screen readers read it.
 *  @param onLeave Escape on a row, or up from the first one.
 *  @returns the list's key handler. */
export function useResultKeys(list: RefObject<HTMLElement | null>, onLeave: () => void) {
  const go = (step: 1 | -1) => {
    const rows = rowsOf(list.current)
    const current = positionIn(rows)
    rows[current + step]?.focus()
  }
  useShortcut('j', () => go(1))
  useShortcut('k', () => go(-1))
  return (event: KeyboardEvent) => {
    if (event.metaKey || event.ctrlKey || event.altKey) return
    const rows = rowsOf(list.current)
    const current = positionIn(rows)
    if (current === -1) return
    if (event.key === 'Escape' || (event.key === 'ArrowUp' && current === 0)) onLeave()
    else if (event.key === 'ArrowDown') go(1)
    else if (event.key === 'ArrowUp') go(-1)
    else if (event.key === 'Home') rows[0]?.focus()
    else if (event.key === 'End') rows.at(-1)?.focus()
    else return
    event.preventDefault()
  }
}
