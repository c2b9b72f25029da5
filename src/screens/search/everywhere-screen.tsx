import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { ArrowLeft, SearchX, TextSearch } from 'lucide-react'
import { EmptyState } from '../../components/empty-state.tsx'
import { Correction } from '../../features/search/correction.tsx'
import { everywhereQuery } from '../../features/search/queries.ts'
import { RecentSearchList } from '../../features/search/recent-search-list.tsx'
import { EVERYWHERE, rememberSearch } from '../../features/search/recent-searches.ts'
import { SearchField } from '../../features/search/search-field.tsx'
import { SearchResults } from '../../features/search/search-results.tsx'
import { SearchFailure, SearchSkeleton } from '../../features/search/search-states.tsx'
import { t } from '../../lib/i18n/i18n.ts'
import { useSession } from '../../lib/session/use-session.ts'
import { usePageTitle } from '../../lib/ui/page-title.ts'
import { useResultFocus } from './use-result-focus.ts'

const route = getRouteApi('/_signed-in/search')

export function EverywhereScreen() {
  const { q: words = '' } = route.useSearch()
  const navigate = route.useNavigate()
  const { user } = useSession()
  const query = useQuery({ ...everywhereQuery(words), enabled: words !== '' })
  const hits = words ? query.data : undefined
  const isCurrent = hits !== undefined && !query.isPlaceholderData
  // Uncorrected if at least one library has the typed words.
  const searched = isCurrent ? (hits.find((hit) => hit.searched === words) ?? hits[0])?.searched : undefined
  const { results, field, leaveField, enterField } = useResultFocus(isCurrent)
  usePageTitle(words ? t('“{words}”', { words }) : t('Search all libraries'))
  const go = (q: string) => void navigate({ search: { q: q || undefined }, replace: true })
  const remember = (text: string) => rememberSearch(user.id, EVERYWHERE, text)

  return (
    <main id="main" className="mx-auto w-full max-w-6xl px-4 py-8 *:max-w-3xl sm:px-8 sm:py-12">
      <Link to="/" className="mb-3 inline-flex items-center gap-1.5 rounded text-ink-soft text-sm hover:text-ink">
        <ArrowLeft aria-hidden className="size-4 rtl:-scale-x-100" />
        {t('My libraries')}
      </Link>
      <h1 className="sr-only">{t('Search all libraries')}</h1>
      <SearchField
        field={field}
        words={words}
        label={t('Search the passages of all libraries')}
        onSearch={go}
        onLeave={(words) => {
          leaveField()
          remember(words)
        }}
      />
      <p aria-live="polite" className="mt-3 mb-4 min-h-6 text-ink-faint text-sm">
        {isCurrent
          ? t(
              '{passages, plural, one {# passage} other {# passages}} in {libraries, plural, one {# library} other {# libraries}}',
              { passages: hits.length, libraries: new Set(hits.map(({ library_id }) => library_id)).size },
            )
          : ''}
      </p>
      {searched !== undefined && searched !== words ? <Correction typed={words} searched={searched} /> : null}
      {query.isError && words !== '' ? (
        <SearchFailure error={query.error} isAboveResults={hits !== undefined} onRetry={() => void query.refetch()} />
      ) : null}
      {words === '' ? (
        <>
          <RecentSearchList person={user.id} place={EVERYWHERE} onChoose={go} />
          <EmptyState icon={TextSearch} title={t('Find the passage')}>
            {t('Search all your libraries at once. Each library also has its own search, with filters.')}
          </EmptyState>
        </>
      ) : hits === undefined ? (
        query.isError ? null : (
          <SearchSkeleton />
        )
      ) : hits.length === 0 ? (
        <EmptyState icon={SearchX} title={t('No matching passages')}>
          {t('None of your libraries has a passage for this. Try fewer or other words.')}
        </EmptyState>
      ) : (
        <div className={query.isPlaceholderData ? 'opacity-60 transition-opacity delay-300' : undefined}>
          <SearchResults ref={results} hits={hits} query={words} onOpen={() => remember(words)} onLeave={enterField} />
        </div>
      )}
    </main>
  )
}
