import type { KeyboardEvent, RefObject } from 'react'
import { useShortcut } from '../../lib/ui/shortcut.ts'

/** Rows are marked `data-row`, in the order in which they are. */
const rowsOf = (list: HTMLElement | null): HTMLElement[] => [
  ...(list?.querySelectorAll<HTMLElement>('[data-row]') ?? []),
]

/** The position of the row that has the focus; -1 for none. */
const positionIn = (rows: readonly Element[]): number =>
  document.activeElement ? rows.indexOf(document.activeElement) : -1

/** Focuses the first row of a list of results. @returns whether there is one. */
export function focusFirstRow(list: HTMLElement | null): boolean {
  const [first] = rowsOf(list)
  first?.focus()
  return first !== undefined
}

/** Moves through the rows of a list: with j and k from anywhere but a field, with the arrows, Home and End from a row. The focus
 *  moves along, so that Enter opens the row and a screen reader reads it.
 *  @param onLeave Escape on a row, or the arrow that goes up from the first one.
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
