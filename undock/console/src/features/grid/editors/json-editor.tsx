import { Button } from '../../../components/button.tsx'
import { TextArea } from '../../../components/field.tsx'
import { faultOf } from '../columns.ts'
import { indented } from './indented.ts'
import type { EditorProps } from './value-editor.tsx'

/** Edits JSON, and says where it is none. */
export function JsonEditor({ id, column, value, onChange }: EditorProps) {
  const text = value ?? ''
  const fault = text === '' ? null : faultOf(column, text)
  const formatted = fault === null ? indented(text) : text
  return (
    <div className="grid gap-1">
      <TextArea
        id={id}
        rows={Math.max(4, Math.min(18, text.split('\n').length + 1))}
        className="font-mono text-xs"
        aria-invalid={fault !== null}
        value={text}
        onChange={({ target }) => onChange(target.value)}
      />
      <div className="flex items-center justify-between gap-2">
        <p role="status" className="text-danger text-xs">
          {fault}
        </p>
        <Button look="quiet" disabled={formatted === text} onClick={() => onChange(formatted)}>
          Format
        </Button>
      </div>
    </div>
  )
}
