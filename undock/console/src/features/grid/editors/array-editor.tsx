import { ArrowUp, Plus, X } from 'lucide-react'
import { Button, IconButton } from '../../../components/button.tsx'
import { Input, TextArea } from '../../../components/field.tsx'
import { arrayLiteral, readArray } from '../../../lib/sql.ts'
import type { EditorProps } from '../columns.ts'

/** Edits the items of an array as a list; an array of arrays as text. */
export function ArrayEditor({ id, column, value, onChange }: EditorProps) {
  const read = readArray(value || '{}')
  const isFlat = read?.every((item) => item === null || typeof item === 'string') === true
  if (!isFlat) return <TextArea id={id} rows={6} className="font-mono text-xs" value={value ?? ''} onValue={onChange} />
  const items = read as (string | null)[]
  const set = (next: (string | null)[]) => onChange(arrayLiteral(next))
  return (
    <div className="grid gap-1.5">
      <ol aria-label={`Items of ${column.name}`} className="grid gap-1">
        {items.map((item, index) => (
          <li key={index} className="flex items-center gap-1">
            <span className="w-7 shrink-0 text-right text-ink-faint text-xs tabular-nums">{index + 1}</span>
            <ItemInput
              label={`Item ${index + 1} of ${column.name}`}
              item={item}
              onChange={(next) => set(items.with(index, next))}
            />
            <Button
              look="quiet"
              aria-label={`Item ${index + 1} is null`}
              aria-pressed={item === null}
              className="aria-pressed:bg-accent-soft"
              onClick={() => set(items.with(index, item === null ? '' : null))}
            >
              null
            </Button>
            <IconButton
              icon={ArrowUp}
              label={`Move item ${index + 1} up`}
              disabled={index === 0}
              onClick={() => set(items.toSpliced(index, 1).toSpliced(index - 1, 0, item))}
            />
            <IconButton icon={X} label={`Remove item ${index + 1}`} onClick={() => set(items.toSpliced(index, 1))} />
          </li>
        ))}
      </ol>
      <div className="flex items-center gap-2">
        <Button icon={Plus} id={id} aria-label={`Add an item to ${column.name}`} onClick={() => set([...items, ''])}>
          Add an item
        </Button>
        {items.length === 0 ? (
          <span className="text-ink-faint text-xs">{value ? 'The array is empty.' : 'There is no array yet.'}</span>
        ) : null}
      </div>
    </div>
  )
}

type ItemInputProps = { label: string; item: string | null; onChange: (item: string) => void }

function ItemInput({ label, item, onChange }: ItemInputProps) {
  const props = { 'aria-label': label, value: item ?? '', placeholder: item === null ? 'null' : '' }
  // A single-line input would drop line breaks.
  return item?.includes('\n') ? (
    <TextArea {...props} rows={3} onValue={onChange} />
  ) : (
    <Input {...props} onValue={onChange} />
  )
}
