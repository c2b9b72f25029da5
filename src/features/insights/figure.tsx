import { type ReactNode, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { formatNumber } from '../../lib/i18n/format.ts'
import { t } from '../../lib/i18n/i18n.ts'

type FigureProps = {
  title: string
  lead?: string
  columns: readonly string[]
  rows: readonly (readonly (string | number)[])[]
  children: ReactNode
}

export function Figure({ title, lead, columns, rows, children }: FigureProps) {
  const [asTable, setAsTable] = useState(false)
  return (
    <section aria-label={title} className="rounded-lg border border-line bg-surface p-5">
      <div className="mb-4 flex flex-wrap items-start justify-between gap-3">
        <div>
          <h2 className="font-semibold font-serif text-lg">{title}</h2>
          {lead ? <p className="text-ink-soft text-sm">{lead}</p> : null}
        </div>
        <Button size="small" look="quiet" aria-pressed={asTable} onClick={() => setAsTable(!asTable)}>
          {asTable ? t('As a picture') : t('As a table')}
        </Button>
      </div>
      {asTable ? (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        <section className="max-h-72 overflow-auto" tabIndex={0} aria-label={title}>
          <table className="w-full text-sm [&_th]:text-start tabular-nums">
            <thead>
              <tr>
                {columns.map((column) => (
                  <th key={column} scope="col" className="border-line border-b py-1.5 pe-4 font-medium">
                    {column}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {rows.map(([name, ...values]) => (
                <tr key={name}>
                  <th scope="row" className="border-line border-b py-1.5 pe-4 font-normal">
                    {name}
                  </th>
                  {values.map((value, index) => (
                    // biome-ignore lint/suspicious/noArrayIndexKey: columns keep their places
                    <td key={index} className="border-line border-b py-1.5 pe-4">
                      {value}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      ) : (
        children
      )}
    </section>
  )
}

type Share = { name: string; count: number; color?: string }

export function Shares({ shares }: { shares: readonly Share[] }) {
  const most = Math.max(1, ...shares.map(({ count }) => count))
  return (
    <dl className="grid gap-3">
      {shares.map(({ name, count, color = 'var(--accent)' }) => (
        <div key={name} className="grid grid-cols-[8rem_minmax(0,1fr)_3.5rem] items-center gap-3 text-sm">
          <dt dir="auto" className="truncate text-ink-soft">
            {name}
          </dt>
          <dd aria-hidden className="h-2.5 overflow-hidden rounded-full bg-sunken">
            <div className="h-full rounded-full" style={{ width: `${(count / most) * 100}%`, background: color }} />
          </dd>
          <dd className="text-end tabular-nums">{formatNumber(count)}</dd>
        </div>
      ))}
    </dl>
  )
}
