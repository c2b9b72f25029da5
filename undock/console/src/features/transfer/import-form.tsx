import { useMutation, useQuery } from '@tanstack/react-query'
import clsx from 'clsx'
import { type ReactNode, useRef, useState } from 'react'
import { Select } from '../../components/field.tsx'
import { FormDialog } from '../../components/form-dialog.tsx'
import { Failure } from '../../components/states.tsx'
import { tellDone } from '../../components/toast.tsx'
import { refresh } from '../../lib/api.ts'
import { counted } from '../../lib/format.ts'
import type { Column, RelationDetail } from '../catalog.ts'
import { type EmptyField, isWritable, matchColumns } from './cells.ts'
import type { FileTable } from './file-table.ts'
import { checkPreview, importFile, type OnConflict, type PreviewFault, type Progress } from './import-file.ts'

type ImportFormProps = {
  title: string
  relation: RelationDetail
  as: string | undefined
  table: FileTable
  empty: EmptyField
  onClose: () => void
  /** The file and how to read it. */
  children: ReactNode
}

/** Maps a file's columns, and imports it. */
export function ImportForm({ title, relation, as, table, empty, onClose, children }: ImportFormProps) {
  const [targets, setTargets] = useState<readonly (Column | null)[]>(() =>
    matchColumns(table.columns, relation.columns),
  )
  const [onConflict, setOnConflict] = useState<OnConflict>('refuse')
  const [progress, setProgress] = useState<Progress | null>(null)
  const abort = useRef<AbortController>(null)
  const mapping = { table, targets, empty }
  const check = useQuery({
    queryKey: ['preview', relation.schema, relation.name, targets.map((one) => one?.name), table.preview, empty],
    queryFn: ({ signal }) => checkPreview(mapping, signal),
    gcTime: 0,
  })
  const run = useMutation({
    mutationFn: () => {
      abort.current = new AbortController()
      return importFile(mapping, { relation, onConflict, as, signal: abort.current.signal, onProgress: setProgress })
    },
    onSuccess: ({ rows, count }) => {
      const skipped = rows === count ? '' : ` ${counted(rows - count, 'row')} skipped.`
      tellDone(`${counted(count, 'row')} imported into ${relation.name}.${skipped}`)
      onClose()
    },
    onSettled: () => {
      setProgress(null)
      void refresh(['rows', relation.schema, relation.name])
    },
  })
  const cancel = () => {
    if (run.isPending) abort.current?.abort()
    else onClose()
  }
  const faults = check.data ?? []
  const obstacle = obstacleOf(targets) ?? (onConflict === 'update' ? missingKey(relation, targets) : null)
  const missing = relation.columns.filter((column) => isRequired(column) && !targets.includes(column))
  return (
    <FormDialog
      title={title}
      action="Import"
      wide
      isReady={obstacle === null && faults.length === 0 && !check.isPending}
      mutation={{ isPending: run.isPending, mutate: run.mutate }}
      onClose={cancel}
    >
      {children}
      <PreviewTable
        table={table}
        targets={targets}
        faults={faults}
        columns={relation.columns}
        onTarget={(index, column) => setTargets(targets.with(index, column))}
      />
      {relation.key.length > 0 ? (
        <Select
          label="A row whose key is taken"
          className="w-fit"
          value={onConflict}
          onValue={(value) => setOnConflict(value as OnConflict)}
          options={[
            ['refuse', 'refuses the import'],
            ['skip', 'is skipped'],
            ['update', 'updates the row of the table'],
          ]}
        />
      ) : null}
      {obstacle ? <p className="text-danger text-xs">{obstacle}</p> : null}
      {missing.length > 0 ? (
        <p className="text-warn text-xs">
          {missing.map(({ name }) => name).join(', ')} {missing.length === 1 ? 'needs' : 'need'} a value, and the file
          gives none.
        </p>
      ) : null}
      {faults.length > 0 ? (
        <ul aria-label="Rejected values" className="text-danger text-xs">
          {faults.slice(0, 5).map(({ row, column, message }) => (
            <li key={`${row} ${column}`}>
              {table.unit} {table.preview[row]?.place}, column {targets[column]?.name}: {message}
            </li>
          ))}
          {faults.length > 5 ? <li>and {counted(faults.length - 5, 'other value')}</li> : null}
        </ul>
      ) : null}
      <Failure error={check.error} />
      {progress ? <ProgressLine progress={progress} /> : null}
      {run.error ? <ImportFailure error={run.error} /> : null}
    </FormDialog>
  )
}

function ProgressLine({ progress: { step, rows, share } }: { progress: Progress }) {
  const amount = counted(rows, 'row')
  const says =
    step === 'reading'
      ? `${amount} read`
      : share < 1
        ? `Importing ${amount}: ${Math.floor(share * 100)} %`
        : `${amount} sent. The database inserts the last of them.`
  return (
    <div className="grid gap-1">
      <progress
        aria-label="Import"
        max={1}
        {...(step === 'sending' ? { value: share } : {})}
        className="w-full accent-accent"
      />
      <p role="status" className="text-ink-soft text-xs tabular-nums">
        {says}
      </p>
    </div>
  )
}

function ImportFailure({ error }: { error: Error }) {
  if (error.name === 'AbortError')
    return (
      <p role="status" className="text-ink-soft text-xs">
        The import was cancelled. No row was imported.
      </p>
    )
  return (
    <>
      <Failure error={error} />
      <p className="text-ink-soft text-xs">No row was imported.</p>
    </>
  )
}

const isRequired = ({ isNullable, default: fallback, identity, isGenerated }: Column): boolean =>
  !isNullable && fallback === null && identity === '' && !isGenerated

/** Returns why rows can't be updated. */
function missingKey({ key }: RelationDetail, targets: readonly (Column | null)[]): string | null {
  const missing = key.filter((name) => !targets.some((column) => column?.name === name))
  return missing.length === 0
    ? null
    : `Rows are updated by their primary key, and the file gives no ${missing.join(', ')}.`
}

/** Returns why nothing can be imported yet. */
function obstacleOf(targets: readonly (Column | null)[]): string | null {
  const chosen = targets.filter((column) => column !== null)
  if (chosen.length === 0) return 'Choose at least one column to import into.'
  const twice = chosen.find((column, n) => chosen.indexOf(column) !== n)
  return twice ? `Two columns of the file go to ${twice.name}.` : null
}

type PreviewTableProps = {
  table: FileTable
  targets: readonly (Column | null)[]
  faults: readonly PreviewFault[]
  columns: readonly Column[]
  onTarget: (index: number, column: Column | null) => void
}

/** The first rows of a file, with the target column above each column. */
function PreviewTable({ table, targets, faults, columns, onTarget }: PreviewTableProps) {
  const faultOf = new Map(faults.map(({ row, column, message }) => [`${row} ${column}`, message]))
  return (
    <section
      aria-label="The first rows of the file"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
      tabIndex={0}
      className="max-h-72 overflow-auto rounded-md border"
    >
      <table className="w-full text-xs">
        <thead className="sticky top-0 z-1 bg-panel">
          <tr>
            <th className="px-2 text-left font-normal text-ink-faint">{table.unit}</th>
            {table.columns.map((name, index) => (
              <th key={index} className="min-w-36 p-1 text-left font-normal">
                <span className="block truncate px-1 pb-1 font-medium">{name}</span>
                <Select
                  aria-label={`Column for ${name}`}
                  value={targets[index]?.name ?? ''}
                  onValue={(value) => onTarget(index, columns.find((one) => one.name === value) ?? null)}
                  none="leave out"
                  options={columns.filter(isWritable).map(({ name, type }) => [name, `${name} (${type})`])}
                />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {table.preview.map(({ place, values }, row) => (
            <tr key={place} className="border-t">
              <td className="px-2 text-ink-faint tabular-nums">{place}</td>
              {table.columns.map((_, column) => {
                const fault = faultOf.get(`${row} ${column}`)
                return (
                  <td
                    key={column}
                    title={fault}
                    className={clsx(
                      'max-w-60 truncate px-2 py-1',
                      fault && 'bg-danger-soft text-danger',
                      targets[column] === null && 'text-ink-faint',
                    )}
                  >
                    {shown(values[column])}
                  </td>
                )
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

const shown = (value: unknown): string =>
  value === undefined || value === null ? '' : (typeof value === 'string' ? value : JSON.stringify(value)).slice(0, 200)
