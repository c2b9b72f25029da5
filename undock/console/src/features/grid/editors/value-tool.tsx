import { CalendarClock, Dices } from 'lucide-react'
import { useRef } from 'react'
import { IconButton } from '../../../components/button.tsx'
import type { Column } from '../../catalog.ts'
import { editorOf } from '../columns.ts'

type PickerType = 'date' | 'time' | 'datetime-local'

/** The browser's picker for a type. */
const pickerType = (baseType: string): PickerType =>
  baseType === 'date' ? 'date' : baseType.startsWith('timestamp') ? 'datetime-local' : 'time'

/** Converts Postgres' text for a picker; empty if the picker can't show it, such as `infinity`. */
export function pickerValue(text: string, type: PickerType): string {
  const [, date, time] = /^(\d{4}-\d\d-\d\d)?[ T]?(\d\d:\d\d(?::\d\d)?)?/.exec(text) ?? []
  if (type === 'date') return date ?? ''
  if (type === 'time') return time ?? ''
  return date ? `${date}T${time ?? '00:00:00'}` : ''
}

/** Converts a picked value for Postgres, in the text's time zone. */
export function pickedText(picked: string, text: string): string {
  const [zone = ''] = /(?<=\d\d:\d\d.*)(?:[+-]\d\d(?::?\d\d)*|Z)$/.exec(text) ?? []
  return picked.replace('T', ' ') + zone
}

type ValueToolProps = {
  column: Column
  text: string
  onPick: (text: string) => void
  /** Called before the browser's calendar opens and takes the focus. */
  onOpen?: () => void
}

/** A button that fills in a value: a new UUID, or a date from the browser's calendar. */
export function ValueTool({ column, text, onPick, onOpen }: ValueToolProps) {
  const picker = useRef<HTMLInputElement>(null)
  const kind = editorOf(column)
  // Browsers offer randomUUID only to localhost and HTTPS pages.
  if (kind === 'uuid' && typeof crypto.randomUUID === 'function')
    return <IconButton icon={Dices} label="Make a new UUID" onClick={() => onPick(crypto.randomUUID())} />
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
        icon={CalendarClock}
        label={`Choose ${type === 'time' ? 'a time' : 'a date'}`}
        onClick={() => {
          onOpen?.()
          picker.current?.showPicker()
        }}
      />
    </span>
  )
}
