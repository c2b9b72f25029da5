import { useMutation } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { FormDialog } from '../../components/form-dialog.tsx'
import { tellDone, tellFailure } from '../../components/toast.tsx'
import { saveFile } from '../../lib/browser.ts'
import { counted } from '../../lib/format.ts'
import type { RowRequest } from '../grid/row-source.ts'
import { type ExportFormat, exportRows } from './export-rows.ts'

const FORMATS: readonly { format: ExportFormat; type: string; name: string; hint: string }[] = [
  {
    format: 'csv',
    type: 'text/csv',
    name: 'CSV',
    hint: 'with the names of the columns in its first line; null is an empty field',
  },
  { format: 'json', type: 'application/json', name: 'JSON', hint: 'an array of objects, as Postgres writes them' },
  { format: 'sql', type: 'application/sql', name: 'SQL', hint: 'insert statements, for a seed or another database' },
]

type ExportDialogProps = { request: RowRequest; onClose: () => void }

/** Saves all filtered rows of a grid as a file. */
export function ExportDialog({ request, onClose }: ExportDialogProps) {
  const { relation, filters, as } = request
  const [format, setFormat] = useState<ExportFormat>('csv')
  const [rows, setRows] = useState(0)
  const abort = useRef<AbortController>(null)
  const run = useMutation({
    mutationFn: () => {
      abort.current = new AbortController()
      return exportRows(request, format, { signal: abort.current.signal, onRows: setRows })
    },
    onSuccess: ({ file, rows, isWhole }) => {
      const type = FORMATS.find((one) => one.format === format)?.type ?? ''
      saveFile(`${relation.name}.${format}`, type, file)
      if (isWhole) tellDone(`${counted(rows, 'row')} saved as ${relation.name}.${format}.`)
      else tellFailure(new Error(`${relation.name}.${format} has only ${counted(rows, 'row')}: ${NO_ORDER}`))
      onClose()
    },
  })
  const cancel = () => {
    abort.current?.abort()
    onClose()
  }
  return (
    <FormDialog title={`Export ${relation.name}`} action="Export" mutation={run} onClose={cancel}>
      <p>
        The file contains all rows{filters.length === 0 ? '' : ' that pass the filters'}
        {as === undefined ? '' : `${filters.length === 0 ? '' : ' and'} that ${as} may read`}, in the order of the grid.
      </p>
      <fieldset className="grid gap-2" disabled={run.isPending}>
        <legend className="mb-1 font-medium text-[13px] text-ink-soft">Format</legend>
        {FORMATS.map((one) => (
          <label key={one.format} className="flex items-baseline gap-2 text-[13px]">
            <input
              type="radio"
              name="format"
              className="accent-accent"
              checked={format === one.format}
              onChange={() => setFormat(one.format)}
            />
            <span className="w-10 shrink-0 font-medium">{one.name}</span>
            <span className="text-ink-soft text-xs">{one.hint}</span>
          </label>
        ))}
      </fieldset>
      {run.isPending ? (
        <p role="status" className="text-ink-soft text-xs tabular-nums">
          {counted(rows, 'row')} read
        </p>
      ) : null}
    </FormDialog>
  )
}

const NO_ORDER = 'a view has no key to read more rows by. Filter it, or use SQL.'
