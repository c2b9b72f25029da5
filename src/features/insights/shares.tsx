import { formatNumber } from '../../lib/i18n/format.ts'

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
