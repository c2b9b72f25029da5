import clsx from 'clsx'
import { Select } from '../../components/field.tsx'
import type { Column } from '../catalog.ts'
import { isWritable } from './cells.ts'
import type { FileTable } from './file-table.ts'
import type { PreviewFault } from './import-file.ts'

type PreviewTableProps = {
  table: FileTable
  targets: readonly (Column | null)[]
  faults: readonly PreviewFault[]
  columns: readonly Column[]
  onTarget: (index: number, column: Column | null) => void
}

/** The first rows of a file, with the target column above each column. */
export function PreviewTable({ table, targets, faults, columns, onTarget }: PreviewTableProps) {
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
                  onChange={({ target }) => onTarget(index, columns.find((one) => one.name === target.value) ?? null)}
                >
                  <option value="">leave out</option>
                  {columns.filter(isWritable).map((column) => (
                    <option key={column.name} value={column.name}>
                      {column.name} ({column.type})
                    </option>
                  ))}
                </Select>
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
