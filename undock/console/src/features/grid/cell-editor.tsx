import { useRef, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { FormDialog } from '../../components/form-dialog.tsx'
import type { Cell } from '../../lib/api.ts'
import { indented } from '../../lib/json-source.ts'
import type { Column, RelationDetail } from '../catalog.ts'
import { choicesOf, editorOf, faultOf, isEditedInDialog, referenceOf, shownValue } from './columns.ts'
import { ReferenceInput } from './editors/reference-input.tsx'
import { ValueEditor } from './editors/value-editor.tsx'
import { ValueTool } from './editors/value-tool.tsx'

type CellEditorProps = {
  relation: RelationDetail
  column: Column
  value: Cell
  /** The text typed to start editing; replaces the value. */
  typed: string | null
  as: string | undefined
  onSave: (value: Cell) => void
  onCancel: () => void
}

const NULL = '\u0000null'

/** Edits one value: in its cell, or in a dialog if it needs more room. */
export function CellEditor(props: CellEditorProps) {
  const { relation, column, value, typed, onSave, onCancel } = props
  // Someone typing a foreign key's value already knows it.
  const isReference = typed === null && referenceOf(relation, column) !== null
  if (isReference || isEditedInDialog(column, value)) return <ValueDialog {...props} />
  if (editorOf(column) !== 'choice') return <CellInput {...props} />
  return (
    <select
      autoFocus
      aria-label={column.name}
      className="absolute inset-0 bg-raised px-1 outline-2 outline-accent"
      defaultValue={value ?? NULL}
      onChange={({ target }) => onSave(target.value === NULL ? null : target.value)}
      onBlur={onCancel}
      onKeyDown={(event) => {
        event.stopPropagation()
        if (event.key === 'Escape') onCancel()
      }}
    >
      {column.isNullable || value === null ? <option value={NULL}>null</option> : null}
      {choicesOf(column).map((one) => (
        <option key={one} value={one}>
          {shownValue(one, column)}
        </option>
      ))}
    </select>
  )
}

function CellInput({ column, value, typed, onSave, onCancel }: CellEditorProps) {
  const [text, setText] = useState(typed ?? value ?? '')
  const input = useRef<HTMLInputElement>(null)
  const isPicking = useRef(false)
  const isDone = useRef(false)
  // Returning the focus to the grid also fires the editor's blur.
  const end = (isSaved: boolean) => {
    if (isDone.current) return
    isDone.current = true
    if (!isSaved || text === (value ?? '')) onCancel()
    else onSave(text === '' && column.category !== 'S' && column.isNullable ? null : text)
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it keeps the keys and the focus of the controls in it from the grid
    <div
      className="absolute inset-0 flex items-center bg-raised outline-2 outline-accent"
      onBlur={({ currentTarget, relatedTarget }) => {
        if (isPicking.current || currentTarget.contains(relatedTarget)) isPicking.current = false
        else end(true)
      }}
      onKeyDown={(event) => {
        event.stopPropagation()
        if (event.key === 'Escape') end(false)
        else if (event.key === 'Tab' || (event.key === 'Enter' && event.target === input.current)) {
          event.preventDefault()
          end(true)
        }
      }}
    >
      <input
        ref={input}
        autoFocus
        aria-label={column.name}
        spellCheck={false}
        inputMode={column.category === 'N' ? 'decimal' : undefined}
        className="h-full min-w-0 flex-1 bg-transparent px-2 outline-none"
        value={text}
        onChange={({ target }) => setText(target.value)}
      />
      <ValueTool
        column={column}
        text={text}
        onOpen={() => {
          isPicking.current = true
        }}
        onPick={(picked) => {
          setText(picked)
          input.current?.focus()
        }}
      />
    </div>
  )
}

function ValueDialog({ relation, column, value, typed, as, onSave, onCancel }: CellEditorProps) {
  const isJson = editorOf(column) === 'json'
  const [initial] = useState<Cell>(() => (isJson && value !== null ? indented(value) : value))
  const [text, setText] = useState<Cell>(typed ?? initial)
  const reference = referenceOf(relation, column)
  const fault = faultOf(column, text)
  const props = { id: 'value', column, value: text, onChange: setText }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it keeps the keys and clicks of the dialog from the grid around it
    <div
      onKeyDown={(event) => event.stopPropagation()}
      onClick={(event) => event.stopPropagation()}
      onDoubleClick={(event) => event.stopPropagation()}
    >
      <FormDialog
        title={`${column.name} (${column.type})`}
        action="Save"
        wide
        isReady={fault === null}
        more={column.isNullable ? <Button onClick={() => onSave(null)}>Set to null</Button> : null}
        mutation={{ mutate: () => (text === initial ? onCancel() : onSave(text)) }}
        onClose={onCancel}
      >
        <label htmlFor="value" className="sr-only">
          {column.name}
        </label>
        {reference ? (
          <ReferenceInput {...props} reference={reference} as={as} isOpen />
        ) : (
          <ValueEditor {...props} relation={relation} as={as} />
        )}
      </FormDialog>
    </div>
  )
}
