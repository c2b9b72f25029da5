import { useQuery } from '@tanstack/react-query'
import { FileUp } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Checkbox, Select } from '../../components/field.tsx'
import { Failure, Loading } from '../../components/states.tsx'
import type { RelationDetail } from '../catalog.ts'
import type { EmptyField } from './cells.ts'
import { type CsvSettings, readCsv } from './csv-table.ts'
import { readText } from './file-table.ts'
import { ImportForm } from './import-form.tsx'
import { readJsonTable } from './json-table.ts'

const DELIMITERS = [
  ['', 'detected'],
  [',', 'comma'],
  [';', 'semicolon'],
  ['\t', 'tab'],
  ['|', 'bar'],
] as const

type ImportDialogProps = { relation: RelationDetail; as: string | undefined; onClose: () => void }

/** Chooses a file, and imports its rows into a table. */
export function ImportDialog({ relation, as, onClose }: ImportDialogProps) {
  const [file, setFile] = useState<File | null>(null)
  const [settings, setSettings] = useState<CsvSettings>({ hasHeader: true, delimiter: '' })
  const [empty, setEmpty] = useState<EmptyField>('null')
  const text = useQuery({
    queryKey: ['file', file?.name, file?.size, file?.lastModified],
    queryFn: () => (file ? readText(file) : null),
    enabled: file !== null,
    gcTime: 0,
    retry: false,
  })
  const isJson = file !== null && /\.(?:json|jsonl|ndjson)$/i.test(file.name)
  const table = useQuery({
    queryKey: ['file', file?.name, file?.size, file?.lastModified, settings],
    queryFn: () => (isJson ? readJsonTable(text.data?.text ?? '') : readCsv(text.data?.text ?? '', settings)),
    enabled: text.isSuccess,
    gcTime: 0,
    retry: false,
    // Tables contain functions, which can't be compared.
    structuralSharing: false,
  })
  const fault = text.error ?? table.error
  const title = `Import into ${relation.name}`
  const chooser = <FileChooser file={file} onChoose={setFile} />
  if (!table.data)
    return (
      <Dialog title={title} onClose={onClose} wide actions={<Button onClick={onClose}>Cancel</Button>}>
        {chooser}
        {fault ? <Failure error={fault} /> : file ? <Loading label="Reading the file" /> : null}
      </Dialog>
    )
  return (
    <ImportForm
      // New columns must be matched again.
      key={table.data.columns.join('\u0000')}
      title={title}
      relation={relation}
      as={as}
      table={table.data}
      empty={empty}
      onClose={onClose}
    >
      {chooser}
      {text.data && text.data.encoding !== 'UTF-8' ? (
        <p className="text-ink-soft text-xs">The file is not in UTF-8. It was read as {text.data.encoding}.</p>
      ) : null}
      {isJson ? null : (
        <div className="flex flex-wrap items-end gap-4">
          <Select
            label="Delimiter"
            value={settings.delimiter}
            onValue={(delimiter) => setSettings({ ...settings, delimiter })}
            options={DELIMITERS}
          />
          <Select
            label="Empty fields of text columns become"
            value={empty}
            onValue={(value) => setEmpty(value as EmptyField)}
            options={[
              ['null', 'null'],
              ['text', 'empty text'],
            ]}
          />
          <div className="flex h-8 items-center">
            <Checkbox
              label="The first line has the names of the columns"
              checked={settings.hasHeader}
              onChecked={(isChecked) => setSettings({ ...settings, hasHeader: isChecked })}
            />
          </div>
        </div>
      )}
    </ImportForm>
  )
}

type FileChooserProps = { file: File | null; onChoose: (file: File) => void }

function FileChooser({ file, onChoose }: FileChooserProps) {
  const [isOver, setIsOver] = useState(false)
  return (
    <label
      className={`flex cursor-pointer items-center justify-center gap-2 rounded-md border border-dashed px-4 text-ink-soft text-[13px] focus-within:border-accent hover:bg-panel ${file ? 'py-2' : 'py-10'} ${isOver ? 'bg-accent-soft' : ''}`}
      onDragOver={(event) => {
        event.preventDefault()
        setIsOver(true)
      }}
      onDragLeave={() => setIsOver(false)}
      onDrop={(event) => {
        event.preventDefault()
        setIsOver(false)
        const [dropped] = event.dataTransfer.files
        if (dropped) onChoose(dropped)
      }}
    >
      <FileUp aria-hidden className="size-4 shrink-0" />
      {file ? `${file.name}. Choose another file` : 'Choose a file of CSV, TSV, JSON or JSON lines, or drop it here'}
      <input
        type="file"
        accept=".csv,.tsv,.tab,.txt,.json,.jsonl,.ndjson"
        className="sr-only"
        onChange={({ target }) => {
          const [chosen] = target.files ?? []
          if (chosen) onChoose(chosen)
        }}
      />
    </label>
  )
}
