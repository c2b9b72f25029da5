import { Fragment } from 'react'
import { Checkbox, Input, Select } from '../../../components/field.tsx'
import { type PgRange, rangeLiteral, readRange } from '../../../lib/sql.ts'
import type { EditorProps } from '../columns.ts'

const NO_BOUNDS: PgRange = { lower: '', upper: '', hasLower: true, hasUpper: false }

const BOUNDS = [
  { bound: 'lower', has: 'hasLower', word: 'from' },
  { bound: 'upper', has: 'hasUpper', word: 'to' },
] as const

/** Edits the bounds of a range. */
export function RangeEditor({ id, column, value, onChange }: EditorProps) {
  const read = value ? readRange(value) : null
  const isEmpty = read === 'empty'
  const range = read === null || read === 'empty' ? NO_BOUNDS : read
  const set = (part: Partial<PgRange>) => onChange(rangeLiteral({ ...range, ...part }))
  return (
    <div className="grid gap-2">
      <fieldset disabled={isEmpty} className="grid grid-cols-[4rem_9rem_1fr] items-center gap-2 disabled:opacity-50">
        {BOUNDS.map(({ bound, has, word }) => (
          <Fragment key={bound}>
            <span className="text-ink-soft text-xs">{word}</span>
            <Select
              aria-label={`Whether ${column.name} includes its ${bound} bound`}
              value={range[has] ? 'including' : 'excluding'}
              onChange={({ target }) => set({ [has]: target.value === 'including' })}
            >
              <option>including</option>
              <option>excluding</option>
            </Select>
            <Input
              {...(bound === 'lower' ? { id } : { 'aria-label': `Upper bound of ${column.name}` })}
              placeholder={`no ${bound} bound`}
              value={range[bound]}
              onChange={({ target }) => set({ [bound]: target.value })}
            />
          </Fragment>
        ))}
      </fieldset>
      <Checkbox
        label="The range is empty: it contains no value"
        checked={isEmpty}
        onChange={({ target }) => onChange(target.checked ? 'empty' : rangeLiteral(range))}
      />
    </div>
  )
}
