import { Input, Select, TextArea } from '../../../components/field.tsx'
import type { Cell } from '../../../lib/api.ts'
import type { Column, RelationDetail } from '../../catalog.ts'
import { choicesOf, editorOf, referenceOf, shownValue } from '../columns.ts'
import { ArrayEditor } from './array-editor.tsx'
import { BytesEditor } from './bytes-editor.tsx'
import { GeometryEditor } from './geometry-editor.tsx'
import { JsonEditor } from './json-editor.tsx'
import { RangeEditor } from './range-editor.tsx'
import { ReferenceInput } from './reference-input.tsx'
import { ValueTool } from './value-tool.tsx'
import { VectorEditor } from './vector-editor.tsx'

/** @property value Null and nothing yet look alike: without a text. */
export type EditorProps = {
  id: string
  column: Column
  value: Cell
  onChange: (value: string) => void
}

type ValueEditorProps = EditorProps & {
  relation: RelationDetail
  /** Whose rights count where rows of another table are shown. */
  as: string | undefined
}

/** Edits a value by the kind of its column, where there is room: in forms and dialogs. */
export function ValueEditor({ relation, as, ...props }: ValueEditorProps) {
  const { id, column, value, onChange } = props
  const reference = referenceOf(relation, column)
  if (reference) return <ReferenceInput {...props} reference={reference} as={as} />
  switch (editorOf(column)) {
    case 'choice':
      return (
        <Select id={id} value={value ?? ''} onChange={({ target }) => onChange(target.value)}>
          <option value="" />
          {choicesOf(column).map((one) => (
            <option key={one} value={one}>
              {shownValue(one, column)}
            </option>
          ))}
        </Select>
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
          <Input id={id} value={value ?? ''} onChange={({ target }) => onChange(target.value)} />
          <ValueTool column={column} text={value ?? ''} onPick={onChange} />
        </div>
      )
    case 'text':
      if (value?.includes('\n')) return <LongText {...props} rows={Math.min(16, value.split('\n').length + 2)} />
      return <Input id={id} value={value ?? ''} onChange={({ target }) => onChange(target.value)} />
  }
}

const LongText = ({ id, value, onChange, rows }: EditorProps & { rows: number }) => (
  <TextArea
    id={id}
    rows={rows}
    className="font-mono text-xs"
    value={value ?? ''}
    onChange={({ target }) => onChange(target.value)}
  />
)
