import { type PointerEvent, useState } from 'react'
import { formatDate, formatNumber } from '../../lib/i18n/format.ts'
import { formattingLocale, isRightToLeft, t } from '../../lib/i18n/i18n.ts'
import { type Point, ticks } from './growth.ts'

const shortDate = (week: string): string =>
  new Date(`${week}T00:00:00`).toLocaleDateString(formattingLocale(), { day: 'numeric', month: 'short' })

const NAMED = 6

const percent = (part: number): string => `${100 * part}%`

/** Documents per week. The drawing is stretched, so labels are separate, which also supports right-to-left. */
export function GrowthChart({ points }: { points: readonly Point[] }) {
  const [hovered, setHovered] = useState<number | null>(null)
  const scale = ticks(Math.max(...points.map(({ total }) => total)))
  const top = scale.at(-1) ?? 1
  const last = points.length - 1
  const line = points.map(({ total }, index) => `${index},${top - total}`).join(' ')
  const every = Math.ceil(points.length / NAMED)
  const point = hovered === null ? undefined : points[hovered]

  const hover = ({ clientX, currentTarget }: PointerEvent<HTMLDivElement>) => {
    const { left, width } = currentTarget.getBoundingClientRect()
    const part = Math.min(1, Math.max(0, (clientX - left) / width))
    setHovered(Math.round((isRightToLeft() ? 1 - part : part) * last))
  }

  return (
    <div
      role="img"
      aria-label={t('Number of documents by week. The table lists every number.')}
      className="flex h-64 gap-2 pt-2 text-ink-faint text-xs tabular-nums"
    >
      <div className="-mt-1.5 flex flex-col-reverse justify-between pb-4.5 text-end leading-none">
        {scale.map((value) => (
          <span key={value}>{formatNumber(value)}</span>
        ))}
      </div>
      <div className="relative mb-6 min-w-0 flex-1" onPointerMove={hover} onPointerLeave={() => setHovered(null)}>
        <svg
          viewBox={`0 0 ${last} ${top}`}
          aria-hidden="true"
          preserveAspectRatio="none"
          className="absolute inset-0 size-full overflow-visible rtl:-scale-x-100"
        >
          <g stroke="var(--line)">
            {scale.map((value) => (
              <line key={value} x2={last} y1={value} y2={value} vectorEffect="non-scaling-stroke" />
            ))}
          </g>
          <polygon points={`0,${top} ${line} ${last},${top}`} fill="var(--accent-soft)" />
          <polyline
            points={line}
            fill="none"
            stroke="var(--accent)"
            strokeWidth={2}
            strokeLinejoin="round"
            vectorEffect="non-scaling-stroke"
          />
        </svg>
        {points.map(({ week }, index) =>
          index % every === 0 && index <= 0.9 * last ? (
            <span
              key={week}
              className="absolute top-full whitespace-nowrap pt-2"
              style={{ insetInlineStart: percent(index / last) }}
            >
              {shortDate(week)}
            </span>
          ) : null,
        )}
        {point && hovered !== null && (
          <div
            className="pointer-events-none absolute inset-y-0 border-edge border-s"
            style={{ insetInlineStart: percent(hovered / last) }}
          >
            <p
              className={`absolute top-2 whitespace-nowrap rounded-lg border border-line bg-surface px-3 py-2 text-ink text-sm ${hovered > last / 2 ? 'end-2' : 'start-2'}`}
            >
              <span className="block text-ink-faint text-xs">
                {t('Week of {date}', { date: formatDate(`${point.week}T00:00:00`) })}
              </span>
              {t('Documents')}: {formatNumber(point.total)}
            </p>
          </div>
        )}
      </div>
    </div>
  )
}
