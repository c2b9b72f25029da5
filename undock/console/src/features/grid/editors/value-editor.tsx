import { Fragment, type ReactNode, useState } from 'react'
import { Button } from '../../../components/button.tsx'
import { Checkbox, Input, Select, TextArea } from '../../../components/field.tsx'
import { counted } from '../../../lib/format.ts'
import { indented, parseNumbers } from '../../../lib/json-source.ts'
import { type PgRange, rangeLiteral, readRange } from '../../../lib/sql.ts'
import type { RelationDetail } from '../../catalog.ts'
import { choicesOf, type EditorProps, editorOf, faultOf, referenceOf, shownValue } from '../columns.ts'
import { readVector, Sparkline } from '../sparkline.tsx'
import { ArrayEditor } from './array-editor.tsx'
import { BytesEditor } from './bytes-editor.tsx'
import { GeometryEditor } from './geometry-editor.tsx'
import { ReferenceInput } from './reference-input.tsx'
import { ValueTool } from './value-tool.tsx'

type ValueEditorProps = EditorProps & {
  relation: RelationDetail
  /** The caller whose rights apply to rows of another table. */
  as: string | undefined
}

/** Edits a value by its column's kind, in forms and dialogs. */
export function ValueEditor({ relation, as, ...props }: ValueEditorProps) {
  const { id, column, value, onChange } = props
  const reference = referenceOf(relation, column)
  if (reference) return <ReferenceInput {...props} reference={reference} as={as} />
  switch (editorOf(column)) {
    case 'choice':
      return (
        <Select
          id={id}
          value={value ?? ''}
          onValue={onChange}
          none=""
          options={choicesOf(column).map((one) => [one, shownValue(one, column)])}
        />
      )
    case 'array':
      return <ArrayEditor {...props} />
    case 'bytes':
      return <BytesEditor {...props} />
    case 'json':
      return <JsonEditor {...props} />
    case 'range':
      return <RangeEditor {...props} />
    case 'vector':
      return <VectorEditor {...props} />
    case 'geometry':
      return <GeometryEditor {...props} />
    case 'long':
      return <LongText {...props} rows={8} />
    case 'moment':
    case 'uuid':
      return (
        <div className="flex items-center gap-1">
          <Input id={id} value={value ?? ''} onValue={onChange} />
          <ValueTool column={column} text={value ?? ''} onPick={onChange} />
        </div>
      )
    case 'text':
      if (value?.includes('\n')) return <LongText {...props} rows={Math.min(16, value.split('\n').length + 2)} />
      return <Input id={id} value={value ?? ''} onValue={onChange} />
  }
}

const LongText = ({ id, value, onChange, rows }: EditorProps & { rows: number }) => (
  <TextArea id={id} rows={rows} className="font-mono text-xs" value={value ?? ''} onValue={onChange} />
)

/** Edits JSON, marks syntax errors, and shows it as a tree. */
function JsonEditor({ id, column, value, onChange }: EditorProps) {
  const text = value ?? ''
  const fault = text === '' ? null : faultOf(column, text)
  const formatted = fault === null ? indented(text) : text
  const [isTree, setIsTree] = useState(false)
  const hasTree = fault === null && /^\s*[[{]/.test(text)
  return (
    <div className="grid gap-1">
      {isTree && hasTree ? <JsonTree text={text} /> : null}
      <TextArea
        id={id}
        hidden={isTree && hasTree}
        rows={Math.max(4, Math.min(18, text.split('\n').length + 1))}
        className="font-mono text-xs"
        aria-invalid={fault !== null}
        value={text}
        onValue={onChange}
      />
      <div className="flex items-center justify-between gap-2">
        <p role="status" className="text-danger text-xs">
          {fault}
        </p>
        <div className="flex gap-1">
          <Button look="quiet" aria-pressed={isTree} disabled={!hasTree} onClick={() => setIsTree(!isTree)}>
            {isTree && hasTree ? 'Text' : 'Tree'}
          </Button>
          <Button look="quiet" disabled={formatted === text} onClick={() => onChange(formatted)}>
            Format
          </Button>
        </div>
      </div>
    </div>
  )
}

/** Edits and plots a vector's numbers. */
function VectorEditor({ id, value, onChange }: EditorProps) {
  const numbers = readVector(value ?? '')
  return (
    <div className="grid gap-1.5">
      {numbers.length > 0 ? <Sparkline numbers={numbers} className="h-16 w-full" points={400} /> : null}
      <p role="status" className="text-ink-faint text-xs">
        {counted(numbers.length, 'dimension')}, length {Math.hypot(...numbers).toPrecision(4)}
      </p>
      <TextArea
        id={id}
        rows={6}
        className="font-mono text-xs"
        placeholder="[0.1, 0.2, 0.3]"
        value={value ?? ''}
        onValue={onChange}
      />
    </div>
  )
}

/** A number with all its digits. */
class Digits {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

/** The maximum number of children shown. */
const MAX_CHILDREN = 200
/** Levels that are initially open. */
const OPEN = 2

/** JSON as a collapsible tree. */
function JsonTree({ text }: { text: string }) {
  const value = parseNumbers(text, (_number, source) => new Digits(source))
  return (
    <div className="max-h-96 overflow-auto rounded-md border bg-raised p-2 font-mono text-xs leading-5">
      <Branch value={value} depth={0} />
    </div>
  )
}

function Branch({ name, value, depth }: { name?: string; value: unknown; depth: number }) {
  const label: ReactNode = name === undefined ? null : <span className="text-ink-soft">{name}: </span>
  if (typeof value !== 'object' || value === null || value instanceof Digits)
    return (
      <p className="break-words">
        {label}
        <Leaf value={value} />
      </p>
    )
  const entries = Object.entries(value)
  const kind = Array.isArray(value) ? `[${entries.length}]` : `{${entries.length}}`
  if (entries.length === 0)
    return (
      <p>
        {label}
        <span className="text-ink-faint">{kind}</span>
      </p>
    )
  return (
    <details open={depth < OPEN}>
      <summary className="cursor-pointer">
        {label}
        <span className="text-ink-faint">{kind}</span>
      </summary>
      <div className="border-l pl-4">
        {entries.slice(0, MAX_CHILDREN).map(([key, one]) => (
          <Branch key={key} name={key} value={one} depth={depth + 1} />
        ))}
        {entries.length > MAX_CHILDREN ? (
          <p className="text-ink-faint">and {entries.length - MAX_CHILDREN} more</p>
        ) : null}
      </div>
    </details>
  )
}

function Leaf({ value }: { value: unknown }) {
  if (value instanceof Digits) return <span className="text-danger">{value.text}</span>
  if (typeof value === 'string') return <span className="text-warn">{JSON.stringify(value)}</span>
  return <span className="text-accent">{String(value)}</span>
}

const NO_BOUNDS: PgRange = { lower: '', upper: '', hasLower: true, hasUpper: false }

const BOUNDS = [
  { bound: 'lower', has: 'hasLower', word: 'from' },
  { bound: 'upper', has: 'hasUpper', word: 'to' },
] as const

/** Edits the bounds of a range. */
function RangeEditor({ id, column, value, onChange }: EditorProps) {
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
              onValue={(value) => set({ [has]: value === 'including' })}
              options={['including', 'excluding']}
            />
            <Input
              {...(bound === 'lower' ? { id } : { 'aria-label': `Upper bound of ${column.name}` })}
              placeholder={`no ${bound} bound`}
              value={range[bound]}
              onValue={(value) => set({ [bound]: value })}
            />
          </Fragment>
        ))}
      </fieldset>
      <Checkbox
        label="The range is empty: it contains no value"
        checked={isEmpty}
        onChecked={(isChecked) => onChange(isChecked ? 'empty' : rangeLiteral(range))}
      />
    </div>
  )
}
