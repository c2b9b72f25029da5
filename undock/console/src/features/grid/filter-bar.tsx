import { ListFilter, X } from 'lucide-react'
import { useState } from 'react'
import { Button, IconButton } from '../../components/button.tsx'
import { Input, Select } from '../../components/field.tsx'
import type { Column } from '../catalog.ts'
import { ANY_TEXT, type Filter, OPERATORS, type Operator } from './row-source.ts'

type FilterBarProps = {
  columns: readonly Column[]
  filters: readonly Filter[]
  onFilter: (filters: readonly Filter[]) => void
}

/** The conditions of a grid, all of which hold. */
export function FilterBar({ columns, filters, onFilter }: FilterBarProps) {
  const [draft, setDraft] = useState<Filter | null>(null)
  const needsValue = draft !== null && !draft[1].startsWith('is ')
  return (
    <div className="flex flex-wrap items-center gap-1.5">
      <FindInput onFind={(text) => onFilter([...filters, [ANY_TEXT, 'ilike', `%${escaped(text)}%`]])} />
      {filters.map(([column, operator, value], index) => (
        <span
          key={`${column} ${operator} ${value}`}
          className="inline-flex h-8 items-center rounded-md border bg-raised pl-2.5 font-mono text-xs"
        >
          {column === ANY_TEXT ? 'any text' : column} {operator} {operator.startsWith('is ') ? '' : value}
          <IconButton
            label={`Remove the filter on ${column === ANY_TEXT ? 'any text' : column}`}
            onClick={() => onFilter(filters.filter((_, n) => n !== index))}
          >
            <X aria-hidden />
          </IconButton>
        </span>
      ))}
      {draft ? (
        <form
          className="flex items-center gap-1.5"
          onSubmit={(event) => {
            event.preventDefault()
            onFilter([...filters, draft])
            setDraft(null)
          }}
        >
          <Select
            aria-label="Column"
            className="w-40"
            value={draft[0]}
            onChange={({ target }) => setDraft([target.value, draft[1], draft[2]])}
          >
            {columns.map(({ name }) => (
              <option key={name}>{name}</option>
            ))}
          </Select>
          <Select
            aria-label="Operator"
            className="w-28"
            value={draft[1]}
            onChange={({ target }) => setDraft([draft[0], target.value as Operator, draft[2]])}
          >
            {OPERATORS.map((one) => (
              <option key={one}>{one}</option>
            ))}
          </Select>
          {needsValue ? (
            <Input
              autoFocus
              aria-label="Value"
              className="w-44"
              value={draft[2]}
              onChange={({ target }) => setDraft([draft[0], draft[1], target.value])}
            />
          ) : null}
          <Button type="submit" look="primary">
            Apply
          </Button>
          <IconButton label="Cancel the filter" onClick={() => setDraft(null)}>
            <X aria-hidden />
          </IconButton>
        </form>
      ) : (
        <Button
          look="quiet"
          disabled={columns.length === 0}
          onClick={() => setDraft([columns[0]?.name ?? '', '=', ''])}
        >
          <ListFilter aria-hidden />
          Filter
        </Button>
      )}
    </div>
  )
}

/** The text itself in a pattern of LIKE. */
const escaped = (text: string): string => text.replace(/[\\%_]/g, '\\$&')

function FindInput({ onFind }: { onFind: (text: string) => void }) {
  const [text, setText] = useState('')
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        if (text !== '') onFind(text)
        setText('')
      }}
    >
      <Input
        type="search"
        aria-label="Find in all texts"
        placeholder="Find, then Enter"
        className="w-36"
        value={text}
        onChange={({ target }) => setText(target.value)}
      />
    </form>
  )
}
