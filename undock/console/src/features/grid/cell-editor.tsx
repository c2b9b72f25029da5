import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { TextArea } from '../../components/field.tsx'
import type { Cell } from '../../lib/api.ts'
import type { Column } from '../catalog.ts'
import { choicesOf, editorOf, shownValue } from './columns.ts'

type CellEditorProps = {
  column: Column
  value: Cell
  /** What was typed to begin; replaces the value. */
  typed: string | null
  onSave: (value: Cell) => void
  onCancel: () => void
}

const NULL = '\u0000null'

/** Edits one value: in its cell, or in a dialog if it can have lines. */
export function CellEditor({ column, value, typed, onSave, onCancel }: CellEditorProps) {
  const kind = editorOf(column)
  const isLong = kind === 'long' || (kind === 'text' && value !== null && /\n/.test(value))
  if (isLong) return <LongEditor column={column} value={value} typed={typed} onSave={onSave} onCancel={onCancel} />
  if (kind === 'choice')
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
  return (
    <input
      autoFocus
      aria-label={column.name}
      spellCheck={false}
      className="absolute inset-0 bg-raised px-2 outline-2 outline-accent"
      defaultValue={typed ?? value ?? ''}
      onBlur={({ target }) => (target.value === (value ?? '') ? onCancel() : onSave(target.value))}
      onKeyDown={(event) => {
        event.stopPropagation()
        if (event.key === 'Enter' || event.key === 'Tab') {
          event.preventDefault()
          event.currentTarget.blur()
        } else if (event.key === 'Escape') {
          event.currentTarget.value = value ?? ''
          onCancel()
        }
      }}
    />
  )
}

function LongEditor({ column, value, typed, onSave, onCancel }: CellEditorProps) {
  const isJson = /^jsonb?$/.test(column.baseType)
  const [text, setText] = useState(() => typed ?? (isJson ? indented(value) : (value ?? '')))
  const fault = isJson && text.trim() !== '' ? jsonFault(text) : null
  return (
    <Dialog
      title={`${column.name} (${column.type})`}
      wide
      onClose={onCancel}
      onSubmit={() => (fault ? undefined : onSave(text))}
      actions={
        <>
          {column.isNullable ? <Button onClick={() => onSave(null)}>Set to null</Button> : null}
          <Button onClick={onCancel}>Cancel</Button>
          <Button type="submit" look="primary" disabled={fault !== null}>
            Save
          </Button>
        </>
      }
    >
      <TextArea
        autoFocus
        aria-label={column.name}
        rows={16}
        className="font-mono text-xs"
        value={text}
        onKeyDown={(event) => event.stopPropagation()}
        onChange={({ target }) => setText(target.value)}
      />
      {fault ? (
        <p role="alert" className="text-danger text-xs">
          {fault}
        </p>
      ) : null}
    </Dialog>
  )
}

/** JSON with its lines indented, unless that would change a number that JavaScript cannot hold. */
function indented(value: Cell): string {
  if (value === null) return ''
  if (/\d{16,}|\d[eE]/.test(value)) return value
  try {
    return JSON.stringify(JSON.parse(value), null, 2)
  } catch {
    return value
  }
}

function jsonFault(text: string): string | null {
  try {
    JSON.parse(text)
    return null
  } catch (error) {
    return `This is not JSON: ${(error as Error).message}`
  }
}
