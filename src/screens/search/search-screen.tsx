import { useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { SearchX, TextSearch } from 'lucide-react'
import { useMemo } from 'react'
import { EmptyState } from '../../components/empty-state.tsx'
import { Notice } from '../../components/notice.tsx'
import { FILE_TYPE_NAMES, isFiltered, type SearchFilter } from '../../domain/document-filter.ts'
import { collectionsQuery } from '../../features/collections/queries.ts'
import { facetsQuery } from '../../features/documents/title-queries.ts'
import { libraryFieldsQuery } from '../../features/fields/queries.ts'
import { libraryQuery } from '../../features/libraries/queries.ts'
import { membersQuery } from '../../features/members/queries.ts'
import { Correction } from '../../features/search/correction.tsx'
import { countPassages } from '../../features/search/hits.ts'
import { RESULTS, searchQuery } from '../../features/search/queries.ts'
import {
  FIELDS,
  fieldName,
  formatQuery,
  parseQuery,
  type Vocabulary,
  withTyped,
} from '../../features/search/query-syntax.ts'
import { RecentSearchList } from '../../features/search/recent-search-list.tsx'
import { rememberSearch } from '../../features/search/recent-searches.ts'
import { SavedSearches } from '../../features/search/saved-searches.tsx'
import { SearchField } from '../../features/search/search-field.tsx'
import { SearchFilters } from '../../features/search/search-filters.tsx'
import { SearchResults } from '../../features/search/search-results.tsx'
import { SearchFailure, SearchSkeleton } from '../../features/search/search-states.tsx'
import { useExpandedDocuments } from '../../features/search/use-expanded-documents.ts'
import { tagsQuery } from '../../features/tags/queries.ts'
import { t } from '../../lib/i18n/i18n.ts'
import { useSession } from '../../lib/session/use-session.ts'
import { usePageTitle } from '../../lib/ui/page-title.ts'
import { useResultFocus } from './use-result-focus.ts'

const route = getRouteApi('/_signed-in/l/$library/search')

export function SearchScreen() {
  const { library } = route.useParams()
  const { q = '', exact, more, ...chosen } = route.useSearch()
  const navigate = route.useNavigate()
  const { user } = useSession()
  const { vocabulary, isLoading } = useVocabulary(library)
  // The URL's words may contain fields, as typed or linked.
  const { words, filters: typed, unknown } = parseQuery(q, vocabulary)
  const filter = withTyped(chosen, typed)
  const { data: itself } = useSuspenseQuery(libraryQuery(library))
  const search = { words, filter, hasMeaning: itself.has_meaning === true, exact }
  const isReady = words !== '' && !(isLoading && q.includes(':'))
  const results = useQuery({ ...searchQuery(library, search), enabled: isReady })
  const expanded = useExpandedDocuments(library, search, isReady && results.isSuccess ? more : undefined)
  usePageTitle(words ? t('“{words}”', { words }) : t('Search'))
  const hits = words ? results.data?.hits : undefined
  const isCurrent = hits !== undefined && !results.isPlaceholderData
  const { results: view, field, leaveField, enterField } = useResultFocus(isCurrent)
  const searched = isCurrent ? hits[0]?.searched : undefined
  const query = formatQuery(words, filter, vocabulary)

  const go = (words: string, change: Partial<SearchFilter>) =>
    void navigate({
      search: ({ exact, more, ...before }) => ({
        ...before,
        ...filter,
        ...change,
        q: words || undefined,
        ...(words === q ? { exact, more } : {}),
      }),
      replace: true,
    })
  const remember = (text: string) => rememberSearch(user.id, library, text)

  return (
    <div className="w-full max-w-3xl px-4 py-6 sm:px-8">
      <h1 className="sr-only">{t('Search')}</h1>
      <SearchField
        field={field}
        words={words}
        label={t('Search the passages of this library')}
        vocabulary={vocabulary}
        onSearch={(words, typed) => go(words, withTyped(filter, typed))}
        onLeave={(words, typed) => {
          leaveField()
          remember(formatQuery(words, withTyped(filter, typed), vocabulary))
        }}
      />
      <div className="mt-3 grid gap-2">
        <SearchFilters filter={filter} vocabulary={vocabulary} onFilter={(change) => go(words, change)} />
        <SavedSearches library={library} words={words} filters={filter} isShown={isCurrent} />
      </div>
      {unknown.map(({ field, value }) => (
        <Notice key={fieldName(field) + value} tone="info" className="mt-3">
          {t('No “{field}:” is called “{value}”, so it’s searched as a word.', {
            field: fieldName(field),
            value,
          })}
        </Notice>
      ))}
      <div className="mt-3 mb-4 flex min-h-6 flex-wrap items-center justify-between gap-2 text-ink-faint text-sm">
        <p aria-live="polite">{isCurrent ? countPassages(hits, RESULTS) : ''}</p>
        {isCurrent && !results.data?.by_meaning ? <p>{t('Matched by words, not by meaning')}</p> : null}
      </div>
      {searched !== undefined && !exact && searched !== words ? (
        <Correction
          typed={words}
          searched={searched}
          onExact={() => void navigate({ search: (before) => ({ ...before, exact: true }) })}
        />
      ) : null}
      {results.isError && words !== '' ? (
        <SearchFailure
          error={results.error}
          isAboveResults={hits !== undefined}
          onRetry={() => void results.refetch()}
        />
      ) : null}
      {words === '' ? (
        <Beginning library={library} vocabulary={vocabulary} onChoose={(recent) => go(recent, {})} />
      ) : hits === undefined ? (
        results.isError ? null : (
          <SearchSkeleton />
        )
      ) : hits.length === 0 ? (
        <NothingFound isNarrowed={isFiltered(filter)} />
      ) : (
        <div className={results.isPlaceholderData ? 'opacity-60 transition-opacity delay-300' : undefined}>
          <SearchResults
            ref={view}
            hits={hits}
            library={library}
            query={query}
            expanded={expanded}
            onMore={(document) =>
              void navigate({
                search: (before) => ({ ...before, more: [...(before.more ?? []), document] }),
                replace: true,
                resetScroll: false,
              })
            }
            onOpen={() => remember(query)}
            onLeave={enterField}
          />
        </div>
      )}
    </div>
  )
}

type BeginningProps = { library: string; vocabulary: Vocabulary; onChoose: (words: string) => void }

function Beginning({ library, vocabulary, onChoose }: BeginningProps) {
  const { user } = useSession()
  return (
    <>
      <RecentSearchList person={user.id} place={library} onChoose={onChoose} />
      <EmptyState icon={TextSearch} title={t('Find the passage')}>
        {t(
          'Ask in your own words. Put an exact phrase in “quotation marks”, exclude a word with a -minus, accept either with or. Move through the results with j and k, open with Enter.',
        )}
        <p className="mt-2">
          {t('Narrow the search while you type: {fields}', {
            fields: [...FIELDS, ...vocabulary.fields.slice(0, 8)].map((field) => `${fieldName(field)}:`).join(' '),
          })}
        </p>
      </EmptyState>
    </>
  )
}

function NothingFound({ isNarrowed }: { isNarrowed: boolean }) {
  return (
    <EmptyState icon={SearchX} title={t('No matching passages')}>
      {isNarrowed
        ? t('Remove a filter, or try fewer or other words.')
        : t('Try fewer or other words. New documents are searchable once their card says they’ve been read.')}
    </EmptyState>
  )
}

/** What a library's filters can refer to, and whether it's completely loaded. */
function useVocabulary(library: string): { vocabulary: Vocabulary; isLoading: boolean } {
  const { user } = useSession()
  const collections = useQuery(collectionsQuery(library))
  const tags = useQuery(tagsQuery(library))
  const members = useQuery(membersQuery(library))
  const fields = useQuery(libraryFieldsQuery(library))
  // Only for completions, so not needed for parsing.
  const facets = useQuery(facetsQuery(library))
  const vocabulary = useMemo(
    () => ({
      collections: collections.data ?? [],
      tags: tags.data ?? [],
      people: (members.data ?? []).map(({ user_id, profile }) => ({ id: user_id, name: profile.display_name })),
      authors: facets.data?.authors.map(({ name }) => name) ?? [],
      years: facets.data?.years.map(({ year }) => year) ?? [],
      types: FILE_TYPE_NAMES,
      hasVerified: false,
      states: [],
      fields: fields.data ?? [],
      me: user.id,
    }),
    [collections.data, tags.data, members.data, facets.data, fields.data, user.id],
  )
  return { vocabulary, isLoading: collections.isPending || tags.isPending || members.isPending || fields.isPending }
}
