import clsx from 'clsx'
import { ArrowDown, ArrowUp } from 'lucide-react'
import { type ReactNode, useState } from 'react'

/** @property value To sort by. @property show The displayed value, if different. @property isNumber Right-aligned, and sorted largest
 *  first. */
export type FigureColumn<Row> = {
  readonly name: string
  readonly value: (row: Row) => number | string | null
  readonly show?: (row: Row) => ReactNode
  readonly isNumber?: boolean
  readonly className?: string
}

type FigureTableProps<Row> = {
  label: string
  columns: readonly FigureColumn<Row>[]
  rows: readonly Row[]
  rowKey: (row: Row) => string | number
  actions?: (row: Row) => ReactNode
}

type Sorting = { readonly column: number; readonly descending: boolean }

const CELL = 'px-3 py-1.5 align-top'

/** Rows in the given order until the user sorts them by a column. */
export function FigureTable<Row>({ label, columns, rows, rowKey, actions }: FigureTableProps<Row>) {
  const [sorting, setSorting] = useState<Sorting | null>(null)
  const sorted = sorting ? sortRows(rows, columns[sorting.column]?.value, sorting.descending) : rows
  return (
    <table aria-label={label} className="w-full text-[13px]">
      <thead className="sticky top-0 z-1 bg-page">
        <tr className="border-b text-left text-ink-faint text-xs">
          {columns.map(({ name, isNumber = false }, index) => {
            const isSorted = sorting?.column === index
            const Arrow = sorting?.descending ? ArrowDown : ArrowUp
            return (
              <th
                key={name}
                scope="col"
                aria-sort={isSorted ? (sorting.descending ? 'descending' : 'ascending') : undefined}
                className={clsx('whitespace-nowrap font-normal', isNumber && 'text-right')}
              >
                <button
                  type="button"
                  className="inline-flex items-center gap-1 px-3 py-1.5 hover:text-ink"
                  onClick={() => setSorting({ column: index, descending: isSorted ? !sorting.descending : isNumber })}
                >
                  {name}
                  {isSorted ? <Arrow aria-hidden className="size-3" /> : null}
                </button>
              </th>
            )
          })}
          {actions ? (
            <th scope="col" className="font-normal">
              <span className="sr-only">Actions</span>
            </th>
          ) : null}
        </tr>
      </thead>
      <tbody>
        {sorted.map((row) => (
          <tr key={rowKey(row)} className="border-b">
            {columns.map(({ name, value, show, isNumber, className }) => (
              <td
                key={name}
                className={clsx(CELL, isNumber && 'whitespace-nowrap text-right text-ink-soft tabular-nums', className)}
              >
                {show ? show(row) : (value(row) ?? '–')}
              </td>
            ))}
            {actions ? (
              <td className="sticky right-0 bg-page px-3 py-1 align-top">
                <div className="flex justify-end gap-1">{actions(row)}</div>
              </td>
            ) : null}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function sortRows<Row>(
  rows: readonly Row[],
  value: FigureColumn<Row>['value'] | undefined,
  descending: boolean,
): readonly Row[] {
  if (!value) return rows
  const sign = descending ? -1 : 1
  return rows.toSorted((a, b) => {
    const [one, other] = [value(a), value(b)]
    if (one === null || other === null) return Number(one === null) - Number(other === null)
    return sign * (typeof one === 'number' ? one - Number(other) : one.localeCompare(String(other)))
  })
}

/** A statement in one line that can be expanded. */
export function StatementText({ text }: { text: string }) {
  const line = text.trim().replace(/\s+/g, ' ')
  if (line.length < 60) return <code className="font-mono text-xs">{line}</code>
  return (
    <details className="min-w-0">
      <summary className="max-w-[28rem] cursor-pointer truncate font-mono text-xs 2xl:max-w-[60rem]">{line}</summary>
      <pre className="mt-1 max-h-80 max-w-[28rem] overflow-auto whitespace-pre-wrap break-words rounded-md bg-panel p-2 text-xs 2xl:max-w-[60rem]">
        {text.trim()}
      </pre>
    </details>
  )
}
