import type { CellPosition } from './use-grid-selection.ts'

/** The action of a key in a grid. `part`: shows the first or last rows, which may not be loaded. */
export type GridAction =
  | { readonly kind: 'move'; readonly to: CellPosition; readonly isRange: boolean }
  | { readonly kind: 'part'; readonly isEnd: boolean }
  | { readonly kind: 'edit'; readonly typed: string | null }
  | { readonly kind: 'mark' }
  | { readonly kind: 'clear' }

type Key = { readonly key: string; readonly shiftKey: boolean; readonly altKey: boolean; readonly isFar: boolean }
/** @property place The cell that moves: the active one, or with Shift the end of the range. */
type GridView = {
  readonly place: CellPosition
  readonly rows: number
  readonly columns: number
  readonly hasPrevious: boolean
  readonly hasNext: boolean
}

const PAGE_ROWS = 15

/** Returns the target of a key of WAI-ARIA's grid pattern; undefined for other keys. The caller clamps targets outside of the grid.
 *  @param key `isFar`: with Ctrl or the command key. */
export function gridAction({ key, shiftKey, altKey, isFar }: Key, view: GridView): GridAction | undefined {
  const { place, rows, columns, hasPrevious, hasNext } = view
  const { row, column } = place
  const isUp = key === 'ArrowUp' || key === 'Home'
  const isDown = key === 'ArrowDown' || key === 'End'
  if (isFar && !shiftKey && ((isUp && hasPrevious) || (isDown && hasNext))) return { kind: 'part', isEnd: isDown }
  const targets: Record<string, readonly [number, number]> = {
    ArrowUp: [isFar ? 0 : row - 1, column],
    ArrowDown: [isFar ? rows - 1 : row + 1, column],
    ArrowLeft: [row, isFar ? 0 : column - 1],
    ArrowRight: [row, isFar ? columns - 1 : column + 1],
    PageUp: [row - PAGE_ROWS, column],
    PageDown: [row + PAGE_ROWS, column],
    Home: [isFar ? 0 : row, 0],
    End: [isFar ? rows - 1 : row, columns - 1],
    Tab: [row, column + (shiftKey ? -1 : 1)],
  }
  const target = targets[key]
  // Tab leaves the grid at its edge.
  if (target && key === 'Tab' && (target[1] < 0 || target[1] >= columns)) return undefined
  if (target) return { kind: 'move', to: { row: target[0], column: target[1] }, isRange: shiftKey && key !== 'Tab' }
  if (key === 'Enter' || key === 'F2') return { kind: 'edit', typed: null }
  if (key === ' ') return { kind: 'mark' }
  if (key === 'Delete' || key === 'Backspace') return { kind: 'clear' }
  return key.length === 1 && !isFar && !altKey ? { kind: 'edit', typed: key } : undefined
}
