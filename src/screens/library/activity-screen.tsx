import { useMutation, useQuery, useSuspenseInfiniteQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { History } from 'lucide-react'
import { useEffect } from 'react'
import { Button } from '../../components/button.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { PageHeading } from '../../components/page-heading.tsx'
import { ActivityFilters } from '../../features/activity/activity-filters.tsx'
import { ActivityList } from '../../features/activity/activity-list.tsx'
import { markSeen } from '../../features/activity/mutations.ts'
import { activityQuery, seenQuery } from '../../features/activity/queries.ts'
import { membersQuery } from '../../features/members/queries.ts'
import { useRole } from '../../features/members/use-role.ts'
import { t } from '../../lib/i18n/i18n.ts'
import { useSession } from '../../lib/session/use-session.ts'
import { usePageTitle } from '../../lib/ui/page-title.ts'

const route = getRouteApi('/_signed-in/l/$library/activity')

export function ActivityScreen() {
  const { library } = route.useParams()
  const filter = route.useSearch()
  const navigate = route.useNavigate()
  const { user } = useSession()
  const isOwner = useRole(library) === 'owner'
  const { data, fetchNextPage, hasNextPage, isFetchingNextPage } = useSuspenseInfiniteQuery(
    activityQuery(library, filter),
  )
  const { data: seen } = useQuery(seenQuery(library))
  const { data: members = [] } = useQuery({ ...membersQuery(library), enabled: isOwner })
  const { mutate: mark } = useMutation(markSeen)
  usePageTitle(t('Activity'))

  const happenings = data.pages.flat()
  const newest = happenings[0]?.id
  const isFiltered = Object.values(filter).some(Boolean)
  useEffect(() => {
    // Entries count as seen when they are on screen, and only after the previous mark is known.
    if (seen !== undefined && newest !== undefined && newest > seen && !isFiltered) mark({ library, upTo: newest })
  }, [seen, newest, isFiltered, library, mark])

  return (
    <div className="mx-auto grid w-full max-w-3xl grid-cols-1 gap-6 px-4 py-6 sm:px-8">
      <PageHeading title={t('Activity')}>{t('Who did what in this library. Entries are never removed.')}</PageHeading>
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
        <EmptyState icon={History} title={isFiltered ? t('No matching activity') : t('Nothing has happened yet')}>
          {isFiltered
            ? t('Remove a filter, or choose a longer period.')
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
