import { type KeyboardEvent, useRef, useState } from 'react'
import { MAX_LENGTH } from '../../../supabase/functions/_shared/facts.ts'
import { CONTROL } from '../../components/input.tsx'
import type { Person } from '../../domain/field-conditions.ts'
import { type Field, type FieldInput, parseNumber } from '../../domain/fields.ts'
import { t } from '../../lib/i18n/i18n.ts'
import { classNames } from '../../lib/ui/class-names.ts'
import { FieldText, plainText } from './field-text.tsx'
import { ValueMenu } from './value-menu.tsx'

type FieldCellProps = {
  field: Field
  values: readonly (string | number)[]
  people: readonly Person[]
  title: string
  canEdit: boolean
  onSet: (value: FieldInput) => void
}

const CELL =
  '-mx-1.5 -my-0.5 block min-h-7 w-[calc(100%+0.75rem)] cursor-pointer rounded-md px-1.5 py-0.5 text-start hover:bg-hover focus-visible:bg-hover'

/** A value edited in place: Enter or click starts, Enter saves, Escape cancels, Tab moves to the next cell. */
export function FieldCell({ field, values, people, title, canEdit, onSet }: FieldCellProps) {
  const cell = useRef<HTMLDivElement>(null)
  const [isEditing, setEditing] = useState(false)
  if (!canEdit) return <FieldText field={field} values={values} people={people} />
  const label = t('{field} of “{title}”', { field: field.name, title })
  const close = () => {
    setEditing(false)
    // The button is rendered after this change.
    requestAnimationFrame(() => cell.current?.querySelector('button')?.focus())
  }
  const goOn = (event: KeyboardEvent) => {
    setEditing(false)
    if (openNeighbour(cell.current, event.shiftKey ? -1 : 1)) event.preventDefault()
  }
  const value = plainText(field, values, people)
  const trigger = (
    <button
      type="button"
      aria-label={value === '' ? label : `${label}: ${value}`}
      className={CELL}
      onClick={() => setEditing(true)}
    >
      {values.length > 0 ? (
        <FieldText field={field} values={values} people={people} />
      ) : (
        // Only on hover in lists, which have many empty cells.
        <span aria-hidden className="text-ink-faint opacity-0 [dl_&]:opacity-100 [tr:hover_&]:opacity-100">
          —
        </span>
      )}
    </button>
  )
  return (
    <div ref={cell} data-field-cell>
      {field.kind === 'choice' || field.kind === 'person' ? (
        <ValueMenu
          field={field}
          values={values.map(String)}
          people={people}
          open={isEditing}
          onOpen={setEditing}
          onTab={goOn}
          onSet={onSet}
          trigger={trigger}
        />
      ) : isEditing ? (
        <Entry
          field={field}
          label={label}
          initial={values[0]}
          onSet={onSet}
          onClose={close}
          onTab={goOn}
          onLeave={() => setEditing(false)}
        />
      ) : (
        trigger
      )}
    </div>
  )
}

/** Opens the adjacent cell in its list or panel. @returns whether there is one. */
function openNeighbour(cell: HTMLElement | null, by: 1 | -1): boolean {
  const cells = [...(cell?.closest('table, dl')?.querySelectorAll<HTMLElement>('[data-field-cell]') ?? [])]
  const next = cell ? cells[cells.indexOf(cell) + by] : undefined
  const button = next?.querySelector('button')
  if (!button) return false
  requestAnimationFrame(() => {
    button.focus()
    button.click()
  })
  return true
}

type EntryProps = {
  field: Field
  label: string
  initial: string | number | undefined
  onSet: (value: FieldInput) => void
  onClose: () => void
  onTab: (event: KeyboardEvent) => void
  onLeave: () => void
}

/** An input for text, numbers or dates. An invalid number stays until it's fixed or canceled. */
function Entry({ field, label, initial, onSet, onClose, onTab, onLeave }: EntryProps) {
  const [typed, setTyped] = useState(initial === undefined ? '' : String(initial))
  const isOver = useRef(false)
  const isWrong = field.kind === 'number' && typed.trim() !== '' && parseNumber(typed) === undefined
  /** @returns whether it was saved. */
  const keep = (): boolean => {
    if (isOver.current) return true
    if (isWrong) return false
    isOver.current = true
    const text = typed.trim()
    const value = text === '' ? null : field.kind === 'number' ? (parseNumber(text) ?? null) : text
    if (value !== (initial ?? null)) onSet(value)
    return true
  }
  const giveUp = () => {
    isOver.current = true
    onClose()
  }
  return (
    <>
      <input
        // biome-ignore lint/a11y/noAutofocus: it takes the place of the button that had the focus
        autoFocus
        type={field.kind === 'date' ? 'date' : 'text'}
        inputMode={field.kind === 'number' ? 'decimal' : undefined}
        aria-label={label}
        aria-invalid={isWrong || undefined}
        maxLength={field.kind === 'text' ? MAX_LENGTH['field_values.text_value'] : undefined}
        max={field.kind === 'date' ? '9999-12-31' : undefined}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
        onBlur={() => {
          if (keep()) onLeave()
          else giveUp()
        }}
        onKeyDown={(event) => {
          if (event.nativeEvent.isComposing) return
          if (event.key === 'Escape') {
            // Otherwise the list would clear the selection.
            event.preventDefault()
            giveUp()
          } else if (event.key === 'Enter') {
            event.preventDefault()
            if (keep()) onClose()
          } else if (event.key === 'Tab' && keep()) onTab(event)
        }}
        className={classNames(CONTROL, 'h-7 min-w-28 px-1.5 text-sm')}
      />
      {isWrong ? (
        <p role="alert" className="mt-1 text-danger text-xs">
          {t('Enter a number.')}
        </p>
      ) : null}
    </>
  )
}
