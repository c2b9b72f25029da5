import { CalendarClock, Dices } from 'lucide-react'
import { useRef } from 'react'
import { IconButton } from '../../../components/button.tsx'
import type { Column } from '../../catalog.ts'
import { editorOf } from '../columns.ts'
import { pickedText, pickerType, pickerValue } from './moments.ts'

type ValueToolProps = {
  column: Column
  text: string
  onPick: (text: string) => void
  /** Called before the browser's own calendar opens, which takes the focus. */
  onOpen?: () => void
}

/** A button beside a text that makes one: a new UUID, or a date from the browser's calendar. */
export function ValueTool({ column, text, onPick, onOpen }: ValueToolProps) {
  const picker = useRef<HTMLInputElement>(null)
  const kind = editorOf(column)
  // Browsers make UUIDs only for pages of this machine and of HTTPS.
  if (kind === 'uuid' && typeof crypto.randomUUID === 'function')
    return (
      <IconButton label="Make a new UUID" onClick={() => onPick(crypto.randomUUID())}>
        <Dices aria-hidden />
      </IconButton>
    )
  if (kind !== 'moment') return null
  const type = pickerType(column.baseType)
  return (
    <span className="relative inline-flex shrink-0">
      <input
        ref={picker}
        type={type}
        step={type === 'date' ? undefined : 1}
        tabIndex={-1}
        aria-hidden
        className="pointer-events-none absolute inset-0 opacity-0"
        value={pickerValue(text, type)}
        onChange={({ target }) => {
          if (target.value !== '') onPick(pickedText(target.value, text))
        }}
      />
      <IconButton
        label={`Choose ${type === 'time' ? 'a time' : 'a date'}`}
        onClick={() => {
          onOpen?.()
          picker.current?.showPicker()
        }}
      >
        <CalendarClock aria-hidden />
      </IconButton>
    </span>
  )
}
