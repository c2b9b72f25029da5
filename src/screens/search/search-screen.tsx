import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { SearchX, TextSearch } from 'lucide-react'
import { Badge } from '../../components/badge.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { collectionsQuery } from '../../features/collections/queries.ts'
import { membersQuery } from '../../features/members/queries.ts'
import { LEXICAL, modelQuery, searchQuery } from '../../features/search/queries.ts'
import { SavedSearches } from '../../features/search/saved-searches.tsx'
import { SearchField } from '../../features/search/search-field.tsx'
import { SearchFilters } from '../../features/search/search-filters.tsx'
import { SearchResults } from '../../features/search/search-results.tsx'
import { tagsQuery } from '../../features/tags/queries.ts'
import { t } from '../../lib/i18n/i18n.ts'
import { usePageTitle } from '../../lib/ui/page-title.ts'

const route = getRouteApi('/_signed-in/l/$library/search')

export function SearchScreen() {
  const { library } = route.useParams()
  const { q: words = '', ...filters } = route.useSearch()
  const navigate = route.useNavigate()
  const asked = useQuery(modelQuery(library))
  const model = asked.data ?? (asked.isError ? LEXICAL : undefined)
  const { data: collections = [] } = useQuery(collectionsQuery(library))
  const { data: tags = [] } = useQuery(tagsQuery(library))
  const { data: members = [] } = useQuery(membersQuery(library))
  const results = useQuery({
    ...searchQuery(library, words, model ?? LEXICAL, filters),
    enabled: words !== '' && model !== undefined,
    throwOnError: true,
  })
  usePageTitle(words ? t('“{words}”', { words }) : t('Search'))
  const hits = words ? results.data : undefined

  return (
    <div className="mx-auto w-full max-w-3xl px-4 py-6 sm:px-8">
      <h1 className="sr-only">{t('Search')}</h1>
      <SearchField
        words={words}
        onWords={(q) => void navigate({ search: (before) => ({ ...before, q: q || undefined }), replace: true })}
      />
      <div className="mt-3 grid gap-2">
        <SearchFilters
          filters={filters}
          collections={collections}
          tags={tags}
          people={members.map(({ user_id, profile }) => ({ id: user_id, name: profile.display_name }))}
          onFilter={(change) => void navigate({ search: (before) => ({ ...before, ...change }), replace: true })}
        />
        <SavedSearches library={library} words={words} filters={filters} />
      </div>
      <div className="mt-3 mb-6 flex min-h-6 flex-wrap items-center justify-between gap-2 text-ink-faint text-sm">
        <p aria-live="polite">
          {hits
            ? t(
                '{passages, plural, one {# passage} other {# passages}} in {documents, plural, one {# document} other {# documents}}',
                { passages: hits.length, documents: distinctDocuments(hits) },
              )
            : ''}
        </p>
        {model === LEXICAL && words ? (
          <Badge title={t('There is no language model here: passages are found by their words, not by their meaning.')}>
            {t('By words')}
          </Badge>
        ) : null}
      </div>
      {words === '' ? (
        <EmptyState icon={TextSearch} title={t('Find the passage')}>
          {t(
            'Ask in your own words. Put an exact phrase in “quotation marks”, leave a word out with a -minus, accept either with or. Walk the results with j and k, open with Enter.',
          )}
        </EmptyState>
      ) : hits === undefined ? (
        <div role="status" aria-label={t('Searching')} className="grid gap-4">
          <Skeleton className="h-28" />
          <Skeleton className="h-28" />
          <Skeleton className="h-28" />
        </div>
      ) : hits.length === 0 ? (
        <EmptyState icon={SearchX} title={t('No matching passages')}>
          {t('Try fewer or other words. What was added a moment ago can be found once its card says that it is read.')}
        </EmptyState>
      ) : (
        <div className={results.isPlaceholderData ? 'opacity-60 transition-opacity' : undefined}>
          <SearchResults library={library} words={words} hits={hits} />
        </div>
      )}
    </div>
  )
}

const distinctDocuments = (hits: readonly { document_id: string }[]) =>
  new Set(hits.map(({ document_id }) => document_id)).size
