import { useMutation, useQuery, useSuspenseInfiniteQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Download, FilterX, Highlighter } from 'lucide-react'
import { useCallback, useMemo } from 'react'
import { Button } from '../../components/button.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { Menu, MenuItem } from '../../components/menu.tsx'
import { PageHeading } from '../../components/page-heading.tsx'
import { showFailure } from '../../domain/failure-toast.ts'
import { collectionsQuery } from '../../features/collections/queries.ts'
import type { FilterChange } from '../../features/highlights/filter.ts'
import type { HighlightFormat } from '../../features/highlights/format.ts'
import { HighlightFilters, NO_FILTER } from '../../features/highlights/highlight-filters.tsx'
import { HighlightList } from '../../features/highlights/highlight-list.tsx'
import { highlightsQuery } from '../../features/highlights/queries.ts'
import { libraryQuery } from '../../features/libraries/queries.ts'
import { membersQuery } from '../../features/members/queries.ts'
import { documentQuery } from '../../features/reader/queries.ts'
import { t } from '../../lib/i18n/i18n.ts'
import { useSession } from '../../lib/session/use-session.ts'
import { usePageTitle } from '../../lib/ui/page-title.ts'

const route = getRouteApi('/_signed-in/l/$library/highlights')

export function HighlightsScreen() {
  const { library } = route.useParams()
  const filter = route.useSearch()
  const navigate = route.useNavigate()
  const { user } = useSession()
  const { data: members = [] } = useQuery(membersQuery(library))
  const { data: collections = [] } = useQuery(collectionsQuery(library))
  const { data: document } = useQuery({
    ...documentQuery(library, filter.document ?? ''),
    enabled: filter.document !== undefined,
  })
  const { data, fetchNextPage, hasNextPage, isFetchingNextPage } = useSuspenseInfiniteQuery(
    highlightsQuery(library, filter),
  )
  usePageTitle(t('Highlights'))
  const highlights = useMemo(() => data.pages.flat(), [data.pages])
  const narrow = useCallback(
    (change: FilterChange) => void navigate({ search: (before) => ({ ...before, ...change }), replace: true }),
    [navigate],
  )
  const only = useCallback((one: string) => narrow({ document: one }), [narrow])
  const more = useCallback(() => {
    if (!isFetchingNextPage) void fetchNextPage()
  }, [fetchNextPage, isFetchingNextPage])
  const isFiltered = Object.values(filter).some(Boolean)
  const others = members.filter(({ user_id }) => user_id !== user.id)
  const people = [
    { id: user.id, name: t('Me') },
    ...others.map(({ user_id, profile }) => ({ id: user_id, name: profile.display_name })),
  ]
  return (
    <div className="grid w-full max-w-3xl grid-cols-1 gap-4 px-4 py-6 sm:px-8">
      <PageHeading title={t('Highlights')}>{t('What you and others have highlighted here, newest first.')}</PageHeading>
      {highlights.length > 0 || isFiltered ? (
        <HighlightFilters
          filter={filter}
          people={people}
          collections={collections}
          title={document?.title}
          onFilter={narrow}
        >
          {highlights.length > 0 ? <ExportMenu library={library} filter={filter} /> : null}
        </HighlightFilters>
      ) : null}
      {highlights.length > 0 ? (
        <HighlightList
          library={library}
          highlights={highlights}
          hasMore={hasNextPage}
          onMore={more}
          onDocument={only}
        />
      ) : isFiltered ? (
        <EmptyState
          icon={FilterX}
          title={t('No highlight matches')}
          action={<Button onClick={() => narrow(NO_FILTER)}>{t('Show all highlights')}</Button>}
        >
          {t('Use other words, or remove a filter.')}
        </EmptyState>
      ) : (
        <EmptyState icon={Highlighter} title={t('No highlights yet')}>
          {t('Open a document, select some text and choose a colour. Your highlights and other people’s appear here.')}
        </EmptyState>
      )}
      {isFetchingNextPage ? (
        <p role="status" className="py-4 text-center text-ink-faint text-sm">
          {t('Loading more…')}
        </p>
      ) : null}
    </div>
  )
}

/** Exports the filtered highlights. The code is loaded on first use. */
function ExportMenu({ library, filter }: { library: string; filter: ReturnType<typeof route.useSearch> }) {
  const { data: itself } = useQuery(libraryQuery(library))
  const exporting = useMutation({
    mutationFn: async (format: HighlightFormat) => {
      const [{ exportHighlights }, { citeDocuments }] = await Promise.all([
        import('../../features/highlights/export.ts'),
        import('./cite-documents.ts'),
      ])
      const name = t('Highlights in {title}', { title: itself?.name ?? '' })
      await exportHighlights({
        library: { id: library, name: itself?.name ?? '' },
        filter,
        format,
        name,
        cite: citeDocuments,
      })
    },
    onError: showFailure,
  })
  return (
    <Menu
      label={t('With citations')}
      trigger={
        <Button icon={Download} size="small" busy={exporting.isPending}>
          {t('Export')}
        </Button>
      }
    >
      <MenuItem onSelect={() => exporting.mutate('md')}>{t('Markdown')}</MenuItem>
      <MenuItem onSelect={() => exporting.mutate('csv')}>{t('Table (CSV)')}</MenuItem>
    </Menu>
  )
}
