import { useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { ChartNoAxesColumn } from 'lucide-react'
import { lazy, Suspense } from 'react'
import { EmptyState } from '../../components/empty-state.tsx'
import { PageHeading } from '../../components/page-heading.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { Figure, Shares } from '../../features/insights/figure.tsx'
import { growth } from '../../features/insights/growth.ts'
import { insightsQuery, mostReadQuery } from '../../features/insights/queries.ts'
import { formatBytes, formatDate, formatNumber, formatRelativeTime } from '../../lib/i18n/format.ts'
import { t } from '../../lib/i18n/i18n.ts'
import { usePageTitle } from '../../lib/ui/page-title.ts'

const route = getRouteApi('/_signed-in/l/$library/insights')

const GrowthChart = lazy(() =>
  import('../../features/insights/growth-chart.tsx').then(({ GrowthChart }) => ({ default: GrowthChart })),
)

export function InsightsScreen() {
  const { library } = route.useParams()
  const { data: insights } = useSuspenseQuery(insightsQuery(library))
  const { data: read = [] } = useQuery(mostReadQuery(library))
  usePageTitle(t('Insights'))
  const points = growth(insights.weeks)
  const kinds = [
    { name: t('Files'), count: insights.kinds.file ?? 0 },
    { name: t('Notes'), count: insights.kinds.note ?? 0 },
    { name: t('Links'), count: insights.kinds.link ?? 0 },
  ]
  const working = (insights.states.queued ?? 0) + (insights.states.extracting ?? 0) + (insights.states.embedding ?? 0)
  const health = [
    { name: t('Searchable'), count: insights.states.ready ?? 0 },
    { name: t('Being read'), count: working, color: 'var(--amber)' },
    { name: t('Could not be read'), count: insights.states.failed ?? 0, color: 'var(--danger)' },
  ]
  const models = Object.entries(insights.models).map(([name, count]) => ({ name, count }))

  return (
    <div className="grid w-full max-w-5xl grid-cols-1 gap-6 px-4 py-6 sm:px-8">
      <PageHeading title={t('Insights')}>{t('Figures for everything you can see in this library.')}</PageHeading>
      {insights.documents === 0 ? (
        <EmptyState icon={ChartNoAxesColumn} title={t('No figures yet')}>
          {t('Once there are documents, this page shows how they grow.')}
        </EmptyState>
      ) : (
        <>
          <dl className="grid grid-cols-2 gap-px overflow-hidden rounded-lg border border-line bg-line sm:grid-cols-4">
            {[
              [t('Documents'), formatNumber(insights.documents)],
              [t('Passages'), formatNumber(insights.passages)],
              [t('Pages'), formatNumber(insights.pages)],
              [t('Stored'), formatBytes(insights.bytes)],
            ].map(([name, value]) => (
              <div key={name} className="flex flex-col-reverse bg-surface px-5 py-4">
                <dt className="text-ink-faint text-xs">{name}</dt>
                <dd className="font-semibold font-serif text-2xl tabular-nums">{value}</dd>
              </div>
            ))}
          </dl>
          <Figure
            title={t('Growth')}
            lead={t('Documents on the shelf, week by week')}
            columns={[t('Week'), t('Added'), t('Documents')]}
            rows={points.map(({ week, added, total }) => [formatDate(`${week}T00:00:00`), added, total])}
          >
            <Suspense fallback={<Skeleton className="h-64" />}>
              <GrowthChart points={points} />
            </Suspense>
          </Figure>
          <div className="grid gap-6 lg:grid-cols-2">
            <Figure
              title={t('Kinds')}
              columns={[t('Kind'), t('Documents')]}
              rows={kinds.map(({ name, count }) => [name, count])}
            >
              <Shares shares={kinds} />
            </Figure>
            <Figure
              title={t('Index')}
              lead={models
                .map(({ name, count }) => t('{count} passages by {name}', { count: formatNumber(count), name }))
                .join(', ')}
              columns={[t('State'), t('Documents')]}
              rows={health.map(({ name, count }) => [name, count])}
            >
              <Shares shares={health} />
            </Figure>
          </div>
          <section aria-labelledby="most-read" className="rounded-lg border border-line bg-surface p-5">
            <h2 id="most-read" className="font-semibold font-serif text-lg">
              {t('Most read')}
            </h2>
            {read.length > 0 ? (
              <ol className="mt-3 divide-y divide-line">
                {read.map(({ document_id, title, readers, share, last_read }) => (
                  <li
                    key={document_id}
                    className="flex flex-wrap items-baseline justify-between gap-x-6 gap-y-1 py-2.5"
                  >
                    <Link
                      dir="auto"
                      to="/l/$library/d/$document"
                      params={{ library, document: document_id }}
                      className="min-w-0 rounded font-serif hover:text-accent-strong"
                    >
                      {title}
                    </Link>
                    <span className="text-ink-faint text-xs tabular-nums">
                      {t('{readers, plural, one {# reader} other {# readers}}, {share}% read, last {when}', {
                        readers,
                        share: Math.round(share * 100),
                        when: formatRelativeTime(last_read),
                      })}
                    </span>
                  </li>
                ))}
              </ol>
            ) : (
              <p className="mt-1 text-ink-soft text-sm">{t('No one has opened anything yet.')}</p>
            )}
          </section>
        </>
      )}
    </div>
  )
}
