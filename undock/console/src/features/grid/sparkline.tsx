import clsx from 'clsx'

/** Parses a vector as pgvector writes it. */
export const readVector = (text: string): number[] =>
  text
    .replaceAll(/[[\]\s]/g, '')
    .split(',')
    .filter((part) => part !== '')
    .map(Number)
    .filter(Number.isFinite)

type SparklineProps = { numbers: readonly number[]; points: number; className?: string }

/** Plots numbers as a line. If there are more than `points`, each point is the largest magnitude of its part. */
export function Sparkline({ numbers, points, className }: SparklineProps) {
  const step = Math.max(1, numbers.length / points)
  const values = Array.from({ length: Math.min(points, numbers.length) }, (_, n) =>
    numbers
      .slice(Math.floor(n * step), Math.floor((n + 1) * step))
      .reduce((most, one) => (Math.abs(one) > Math.abs(most) ? one : most), 0),
  )
  const most = Math.max(...values.map(Math.abs)) || 1
  const path = values.map((one, n) => `${n},${(1 - one / most).toFixed(3)}`).join(' ')
  return (
    <svg
      aria-hidden
      viewBox={`0 -0.05 ${Math.max(1, values.length - 1)} 2.1`}
      preserveAspectRatio="none"
      className={clsx('text-accent', className)}
    >
      <polyline points={path} fill="none" stroke="currentColor" strokeWidth={1} vectorEffect="non-scaling-stroke" />
    </svg>
  )
}
