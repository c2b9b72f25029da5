import { Area, AreaChart, CartesianGrid, ResponsiveContainer, Tooltip, XAxis, YAxis } from 'recharts'
import { formatDate, formatNumber } from '../../lib/i18n/format.ts'
import { formattingLocale, isRightToLeft, t } from '../../lib/i18n/i18n.ts'
import type { Point } from './growth.ts'

const AXIS = { fontSize: 11, fill: 'var(--ink-faint)' }
const TOOLTIP = {
  background: 'var(--surface)',
  border: '1px solid var(--line)',
  borderRadius: 8,
  fontSize: 13,
}

const shortDate = (week: string): string =>
  new Date(`${week}T00:00:00`).toLocaleDateString(formattingLocale(), { day: 'numeric', month: 'short' })

/** The number of documents week by week. A module of its own, because it imports the chart library. */
export function GrowthChart({ points }: { points: readonly Point[] }) {
  const reversed = isRightToLeft()
  return (
    <div
      role="img"
      aria-label={t('Number of documents by week; the table has every number.')}
      // The directions of the axes are given below: the chart's own layout knows only one.
      dir="ltr"
      className="h-64"
    >
      <ResponsiveContainer>
        <AreaChart
          data={[...points]}
          margin={{ top: 8, bottom: 0, ...(reversed ? { left: 8, right: -16 } : { left: -16, right: 8 }) }}
          accessibilityLayer={false}
        >
          <CartesianGrid stroke="var(--line)" vertical={false} />
          <XAxis
            dataKey="week"
            reversed={reversed}
            tickFormatter={shortDate}
            tick={AXIS}
            tickLine={false}
            stroke="var(--line)"
            minTickGap={32}
          />
          <YAxis
            orientation={reversed ? 'right' : 'left'}
            allowDecimals={false}
            tickFormatter={formatNumber}
            tick={AXIS}
            tickLine={false}
            axisLine={false}
          />
          <Tooltip
            contentStyle={{ ...TOOLTIP, direction: reversed ? 'rtl' : 'ltr' }}
            labelFormatter={(week) => t('Week of {date}', { date: formatDate(`${String(week)}T00:00:00`) })}
            formatter={(value) => [formatNumber(Number(value)), t('Documents')]}
          />
          <Area
            type="monotone"
            dataKey="total"
            stroke="var(--accent)"
            strokeWidth={2}
            fill="var(--accent-soft)"
            isAnimationActive={false}
          />
        </AreaChart>
      </ResponsiveContainer>
    </div>
  )
}
