import { Download, FileUp } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../../components/button.tsx'
import { Select, TextArea } from '../../../components/field.tsx'
import { saveFile } from '../../../lib/browser.ts'
import { bytesLiteral, bytes as formatBytes, readBytes } from '../../../lib/format.ts'
import type { EditorProps } from '../columns.ts'

/** The maximum number of bytes shown. */
const SHOWN = 64 * 1024

/** Edits bytes as hex or text, and exchanges them with files. */
export function BytesEditor({ id, column, value, onChange }: EditorProps) {
  const [isText, setIsText] = useState(false)
  const bytes = readBytes(value ?? '\\x')
  const text = bytes && bytes.length <= SHOWN ? textOf(bytes) : null
  return (
    <div className="grid gap-1.5">
      <div className="flex flex-wrap items-center gap-2">
        <Select
          aria-label={`How ${column.name} is shown`}
          className="w-24!"
          value={isText ? 'text' : 'hex'}
          onValue={(value) => setIsText(value === 'text')}
        >
          <option value="hex">Hex</option>
          <option value="text" disabled={text === null}>
            Text
          </option>
        </Select>
        <span role="status" className="text-ink-faint text-xs">
          {bytes ? formatBytes(bytes.length) : 'This is not valid hex: each byte needs two digits.'}
        </span>
        <span className="flex-1" />
        <Button
          icon={Download}
          look="quiet"
          disabled={!bytes || bytes.length === 0}
          onClick={() => bytes && saveFile(column.name, 'application/octet-stream', bytes)}
        >
          Download
        </Button>
        <label className="inline-flex h-8 cursor-pointer items-center gap-1.5 rounded-md px-2.5 font-medium text-[13px] text-ink-soft focus-within:outline-2 focus-within:outline-accent hover:bg-panel [&_svg]:size-4">
          <FileUp aria-hidden />
          Choose a file
          <input
            type="file"
            className="sr-only"
            onChange={({ target }) => {
              const [file] = target.files ?? []
              void file?.arrayBuffer().then((content) => onChange(bytesLiteral(new Uint8Array(content))))
            }}
          />
        </label>
      </div>
      {bytes && bytes.length > SHOWN ? (
        <p className="text-ink-soft text-xs">Too long to show. Download it, or replace it with a file.</p>
      ) : (
        <TextArea
          id={id}
          rows={6}
          className="break-all font-mono text-xs"
          aria-invalid={bytes === null}
          value={isText && text !== null ? text : (value ?? '').replace(/^\\x/, '')}
          onValue={(value) => onChange(isText ? bytesLiteral(new TextEncoder().encode(value)) : `\\x${value}`)}
        />
      )}
    </div>
  )
}

/** Decodes bytes as UTF-8; null if they're invalid. */
function textOf(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return null
  }
}
