import { useSuspenseQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { ArrowLeft, BookA } from 'lucide-react'
import { EmptyState } from '../../components/empty-state.tsx'
import { PageHeading } from '../../components/page-heading.tsx'
import { keys } from '../../domain/keys.ts'
import { IndexingProgress } from '../../features/documents/indexing-progress.tsx'
import { indexingProgressQuery } from '../../features/documents/queries.ts'
import { useIndexingRefresh } from '../../features/documents/use-indexing-refresh.ts'
import { Figure } from '../../features/insights/figure.tsx'
import { indexHealthQuery } from '../../features/insights/queries.ts'
import { type Share, Shares } from '../../features/insights/shares.tsx'
import { Vocabulary } from '../../features/insights/vocabulary.tsx'
import { formatNumber } from '../../lib/i18n/format.ts'
import { formattingLocale, t } from '../../lib/i18n/i18n.ts'
import { usePageTitle } from '../../lib/ui/page-title.ts'

const route = getRouteApi('/_signed-in/l/$library/search-index')

/** What a library's search knows: how much is indexed, in which languages, and its words. */
export function SearchIndexScreen() {
  const { library } = route.useParams()
  const { words = '' } = route.useSearch()
  const navigate = route.useNavigate()
  const { data: health } = useSuspenseQuery(indexHealthQuery(library))
  const { data: progress } = useSuspenseQuery(indexingProgressQuery(library))
  useIndexingRefresh(library, true, keys.search(library))
  usePageTitle(t('Search index'))

  return (
    <div className="mx-auto grid w-full max-w-5xl grid-cols-1 gap-6 px-4 py-6 sm:px-8">
      <div>
        <Link
          to="/l/$library/insights"
          params={{ library }}
          className="mb-3 inline-flex items-center gap-1.5 rounded text-ink-soft text-sm hover:text-ink"
        >
          <ArrowLeft aria-hidden className="size-4 rtl:-scale-x-100" />
          {t('Insights')}
        </Link>
        <PageHeading title={t('Search index')}>{t('What the search of this library knows.')}</PageHeading>
      </div>
      {health === null ? (
        <EmptyState icon={BookA} title={t('Only for members')}>
          {t('The index covers the whole library, so guests are not told of it.')}
        </EmptyState>
      ) : (
        <>
          <IndexingProgress library={library} />
          <dl className="grid grid-cols-2 gap-px overflow-hidden rounded-lg border border-line bg-line sm:grid-cols-4">
            {[
              [t('Passages'), health.passages],
              [t('Different words'), health.words],
              [t('Documents waiting to be read'), progress.waiting + progress.running],
              [t('Documents that could not be read'), progress.failed],
            ].map(([name, value]) => (
              <div key={name} className="flex flex-col-reverse justify-end bg-surface px-5 py-4">
                <dt className="text-ink-faint text-xs">{name}</dt>
                <dd className="font-semibold font-serif text-2xl tabular-nums">{formatNumber(Number(value))}</dd>
              </div>
            ))}
          </dl>
          {health.passages > 0 ? (
            <div className="grid gap-6 lg:grid-cols-2">
              <Counts title={t('Languages')} counts={byName(health.by_language, languageName)} />
              <Counts title={t('Embedding models')} counts={byName(health.by_model, (model) => model)} />
            </div>
          ) : null}
          <Vocabulary
            library={library}
            prefix={words}
            onPrefix={(prefix) => void navigate({ search: { words: prefix || undefined }, replace: true })}
          />
        </>
      )}
    </div>
  )
}

function Counts({ title, counts }: { title: string; counts: readonly Share[] }) {
  return (
    <Figure
      title={title}
      columns={[title, t('Passages')]}
      rows={counts.map(({ name, count }) => [name, formatNumber(count)])}
    >
      <Shares shares={counts} />
    </Figure>
  )
}

const byName = (counts: Record<string, number>, nameOf: (key: string) => string): Share[] =>
  Object.entries(counts)
    .map(([key, count]) => ({ name: nameOf(key), count }))
    .toSorted((one, other) => other.count - one.count)

/** @param code ISO 639-1, or "unknown". */
const languageName = (code: string): string =>
  code === 'unknown'
    ? t('Unknown')
    : (new Intl.DisplayNames([formattingLocale()], { type: 'language' }).of(code) ?? code)
