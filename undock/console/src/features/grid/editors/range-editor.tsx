import { Checkbox, Input, Select } from '../../../components/field.tsx'
import { type PgRange, rangeLiteral, readRange } from '../../../lib/pg-range.ts'
import type { EditorProps } from './editor-props.ts'

const NO_BOUNDS: PgRange = { lower: '', upper: '', hasLower: true, hasUpper: false }

/** Edits the bounds of a range. */
export function RangeEditor({ id, column, value, onChange }: EditorProps) {
  const read = value ? readRange(value) : null
  const isEmpty = read === 'empty'
  const range = read === null || read === 'empty' ? NO_BOUNDS : read
  const set = (part: Partial<PgRange>) => onChange(rangeLiteral({ ...range, ...part }))
  return (
    <div className="grid gap-2">
      <fieldset disabled={isEmpty} className="grid grid-cols-[4rem_9rem_1fr] items-center gap-2 disabled:opacity-50">
        <span className="text-ink-soft text-xs">from</span>
        <Select
          aria-label={`Whether ${column.name} includes its lower bound`}
          value={range.hasLower ? '[' : '('}
          onChange={({ target }) => set({ hasLower: target.value === '[' })}
        >
          <option value="[">including</option>
          <option value="(">excluding</option>
        </Select>
        <Input
          id={id}
          placeholder="no lower bound"
          value={range.lower}
          onChange={({ target }) => set({ lower: target.value })}
        />
        <span className="text-ink-soft text-xs">to</span>
        <Select
          aria-label={`Whether ${column.name} includes its upper bound`}
          value={range.hasUpper ? ']' : ')'}
          onChange={({ target }) => set({ hasUpper: target.value === ']' })}
        >
          <option value="]">including</option>
          <option value=")">excluding</option>
        </Select>
        <Input
          aria-label={`Upper bound of ${column.name}`}
          placeholder="no upper bound"
          value={range.upper}
          onChange={({ target }) => set({ upper: target.value })}
        />
      </fieldset>
      <Checkbox
        label="The range is empty: it contains no value"
        checked={isEmpty}
        onChange={({ target }) => onChange(target.checked ? 'empty' : rangeLiteral(range))}
      />
    </div>
  )
}
