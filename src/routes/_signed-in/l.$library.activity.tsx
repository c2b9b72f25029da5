import { useMutation, useQuery, useQueryClient, useSuspenseInfiniteQuery } from '@tanstack/react-query'
import { createFileRoute, useNavigate } from '@tanstack/react-router'
import { History } from 'lucide-react'
import { useEffect } from 'react'
import { Button } from '../../components/button.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { PageHeading } from '../../components/page-heading.tsx'
import { ActivityFilters } from '../../features/activity/activity-filters.tsx'
import { ActivityList } from '../../features/activity/activity-list.tsx'
import { ActivityFilter } from '../../features/activity/filter.ts'
import { markSeen } from '../../features/activity/mutations.ts'
import { activityQuery, seenQuery } from '../../features/activity/queries.ts'
import { membersQuery } from '../../features/members/queries.ts'
import { t } from '../../lib/i18n.ts'
import { keys } from '../../lib/keys.ts'
import { usePageTitle } from '../../lib/page-title.ts'
import { useSession } from '../../lib/use-session.ts'
import { useRole } from './-role.ts'

export const Route = createFileRoute('/_signed-in/l/$library/activity')({
  validateSearch: ActivityFilter,
  loaderDeps: ({ search }) => search,
  loader: ({ context, params, deps }) =>
    context.queryClient.infiniteQuery({ ...activityQuery(params.library, deps), staleTime: 'static' }),
  component: Activity,
})

function Activity() {
  const { library } = Route.useParams()
  const filter = Route.useSearch()
  const navigate = useNavigate({ from: Route.fullPath })
  const { user } = useSession()
  const queryClient = useQueryClient()
  const isOwner = useRole(library) === 'owner'
  const { data, fetchNextPage, hasNextPage, isFetchingNextPage } = useSuspenseInfiniteQuery(
    activityQuery(library, filter),
  )
  const { data: seen } = useQuery(seenQuery(library))
  const { data: members = [] } = useQuery({ ...membersQuery(library), enabled: isOwner })
  const { mutate: mark } = useMutation({
    ...markSeen,
    onSuccess: () => queryClient.invalidateQueries({ queryKey: keys.unread }),
  })
  usePageTitle(t('Activity'))

  const happenings = data.pages.flat()
  const newest = happenings[0]?.id
  const isFiltered = Object.values(filter).some(Boolean)
  useEffect(() => {
    // Only what is on screen has been seen, and only once it is known what had been before.
    if (seen !== undefined && newest !== undefined && newest > seen && !isFiltered) mark({ library, upTo: newest })
  }, [seen, newest, isFiltered, library, mark])

  return (
    <div className="mx-auto grid w-full max-w-3xl grid-cols-1 gap-6 px-4 py-6 sm:px-8">
      <PageHeading title={t('Activity')}>
        {t('What happened here, and who did it. Nothing is ever taken out.')}
      </PageHeading>
      {isOwner ? (
        <ActivityFilters
          filter={filter}
          people={members.map(({ user_id, profile }) => ({ id: user_id, name: profile.display_name }))}
          onChange={(change) => void navigate({ search: (before) => ({ ...before, ...change }), replace: true })}
        />
      ) : null}
      {happenings.length > 0 ? (
        <ActivityList library={library} person={user.id} happenings={happenings} seen={seen} />
      ) : (
        <EmptyState icon={History} title={isFiltered ? t('Nothing of that kind') : t('Nothing has happened yet')}>
          {isFiltered
            ? t('Take a condition away, or look over a longer time.')
            : t('Add a document or invite somebody: it will be written down here.')}
        </EmptyState>
      )}
      {hasNextPage ? (
        <Button className="justify-self-center" busy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          {t('Show earlier')}
        </Button>
      ) : null}
    </div>
  )
}
