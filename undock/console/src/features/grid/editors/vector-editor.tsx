import { TextArea } from '../../../components/field.tsx'
import { counted } from '../../../lib/format.ts'
import { readVector, Sparkline } from '../sparkline.tsx'
import type { EditorProps } from './value-editor.tsx'

/** Edits the numbers of a vector, and draws them. */
export function VectorEditor({ id, value, onChange }: EditorProps) {
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
        onChange={({ target }) => onChange(target.value)}
      />
    </div>
  )
}
