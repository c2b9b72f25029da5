import { type ClipboardEvent, type KeyboardEvent, type RefObject, useState } from 'react'
import { tellFailure } from '../../components/toast.tsx'
import type { Cell } from '../../lib/api.ts'
import { clearRange, copy, type Edit, editOf, type Grid, paste } from './cell-edits.ts'
import { whyReadOnly } from './changes.ts'
import { gridAction } from './grid-keys.ts'
import type { CellPosition, GridSelection } from './use-grid-selection.ts'

type GridCommands = {
  readonly box: RefObject<HTMLElement | null>
  readonly grid: Grid
  readonly selection: GridSelection
  /** Whether there are rows before and after those that are loaded. */
  readonly hasPrevious: boolean
  readonly hasNext: boolean
  readonly scrollTo: (place: CellPosition) => void
  readonly onPart: (part: 'end' | null) => void
  readonly onMark: (row: number) => void
  readonly onSave: (edits: readonly Edit[]) => void
}

/** What keys and the clipboard do in a grid, and the edit of its active cell. */
export function useGridCommands(options: GridCommands) {
  const { box, grid, selection, hasPrevious, hasNext, scrollTo, onPart, onMark, onSave } = options
  const { relation, columns, rows } = grid
  const [editing, setEditing] = useState<{ typed: string | null } | null>(null)
  const readOnly = whyReadOnly(relation)
  const save = (edits: () => readonly Edit[]) => {
    if (readOnly) return tellFailure(new Error(readOnly))
    const changes = edits()
    if (changes.length > 0) onSave(changes)
  }
  const beginEdit = (typed: string | null) => {
    const column = columns[selection.active.column]
    if (readOnly) return tellFailure(new Error(readOnly))
    if (!column || rows.length === 0) return
    if (column.isGenerated) return tellFailure(new Error(`${column.name} is generated from other columns.`))
    setEditing({ typed })
  }
  const endEdit = () => {
    setEditing(null)
    box.current?.focus()
  }
  return {
    /** The text typed to start editing the active cell; null for its value, undefined if it's not edited. */
    typed: editing?.typed,
    beginEdit,
    endEdit,
    saveCell(place: CellPosition, value: Cell) {
      endEdit()
      save(() => editOf(grid, place, value))
    },
    onKeyDown(event: KeyboardEvent) {
      if (editing || event.target !== box.current) return
      const { key, shiftKey, altKey } = event
      const action = gridAction(
        { key, shiftKey, altKey, isFar: event.metaKey || event.ctrlKey },
        {
          place: shiftKey ? selection.end : selection.active,
          rows: rows.length,
          columns: columns.length,
          hasPrevious,
          hasNext,
        },
      )
      if (!action) return
      event.preventDefault()
      switch (action.kind) {
        case 'move':
          if (action.isRange) selection.extendTo(action.to)
          else selection.moveTo(action.to)
          return scrollTo(action.to)
        case 'part':
          return onPart(action.isEnd ? 'end' : null)
        case 'edit':
          return beginEdit(action.typed)
        case 'mark':
          return onMark(selection.active.row)
        case 'clear':
          return save(() => clearRange(grid, selection.range))
      }
    },
    onCopy(event: ClipboardEvent) {
      if (isInControl(event.target)) return
      event.clipboardData.setData('text/plain', copy(grid, selection.range))
      event.preventDefault()
    },
    onPaste(event: ClipboardEvent) {
      if (isInControl(event.target)) return
      event.preventDefault()
      save(() => paste(grid, selection.active, event.clipboardData.getData('text/plain')))
    },
  }
}

/** A copy or paste in an editor or a dialog is that control's own. */
const isInControl = (target: EventTarget): boolean =>
  target instanceof Element && target.closest('input, textarea, select, dialog') !== null
