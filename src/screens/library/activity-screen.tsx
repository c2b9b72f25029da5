import { useInfiniteQuery, useMutation, useQuery, useSuspenseInfiniteQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { History, ScrollText } from 'lucide-react'
import { lazy, type ReactNode, Suspense, useEffect } from 'react'
import { Button } from '../../components/button.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { FailureNotice } from '../../components/notice.tsx'
import { PageHeading } from '../../components/page-heading.tsx'
import { Segmented } from '../../components/segmented.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { ActivityFilters } from '../../features/activity/activity-filters.tsx'
import { ActivityList } from '../../features/activity/activity-list.tsx'
import { auditPeopleQuery, auditQuery } from '../../features/activity/audit-queries.ts'
import { ExportButtons } from '../../features/activity/export-buttons.tsx'
import type { ActivityFilter } from '../../features/activity/filter.ts'
import { markSeen } from '../../features/activity/mutations.ts'
import { activityQuery, seenQuery } from '../../features/activity/queries.ts'
import { libraryQuery } from '../../features/libraries/queries.ts'
import { useRole } from '../../features/members/use-role.ts'
import { t } from '../../lib/i18n/i18n.ts'
import { useSession } from '../../lib/session/use-session.ts'
import { usePageTitle } from '../../lib/ui/page-title.ts'

const route = getRouteApi('/_signed-in/l/$library/activity')

const AuditList = lazy(() =>
  import('../../features/activity/audit-list.tsx').then(({ AuditList }) => ({ default: AuditList })),
)

export function ActivityScreen() {
  const { library } = route.useParams()
  const { audit, ...filter } = route.useSearch()
  const role = useRole(library)
  const isOwner = role === 'owner'
  const isLog = isOwner && audit === true
  usePageTitle(isLog ? t('Audit log') : t('Activity'))
  return (
    <div className="grid w-full max-w-3xl grid-cols-1 gap-6 px-4 py-6 sm:px-8">
      <PageHeading title={t('Activity')}>
        {isLog
          ? t('Who did what in this library. Entries can’t be changed or removed, and each export is logged.')
          : t('Who did what in this library. Entries are never removed.')}
      </PageHeading>
      {isOwner ? <Choices library={library} isLog={isLog} filter={filter} /> : null}
      {isLog ? (
        <Log library={library} filter={filter} />
      ) : audit && role === undefined ? null : (
        <News library={library} filter={filter} />
      )}
    </div>
  )
}

type LogProps = { library: string; filter: ActivityFilter }

/** Owners choose between activity and log, and filter it. */
function Choices({ library, isLog, filter }: LogProps & { isLog: boolean }) {
  const navigate = route.useNavigate()
  const { data: people = [] } = useQuery(auditPeopleQuery(library))
  return (
    <>
      <Segmented
        label={t('Entries')}
        value={isLog ? 'log' : 'news'}
        onChange={(shown) =>
          void navigate({ search: (before) => ({ ...before, audit: shown === 'log' || undefined }), replace: true })
        }
        options={[
          { value: 'news', label: t('Activity'), icon: History },
          { value: 'log', label: t('Audit log'), icon: ScrollText },
        ]}
      />
      <ActivityFilters
        filter={filter}
        people={people}
        onChange={(change) => void navigate({ search: (before) => ({ ...before, ...change }), replace: true })}
      />
    </>
  )
}

function News({ library, filter }: LogProps) {
  const { user } = useSession()
  const { data, ...more } = useSuspenseInfiniteQuery(activityQuery(library, filter))
  const { data: seen } = useQuery(seenQuery(library))
  const { mutate: mark } = useMutation(markSeen)
  const happenings = data.pages.flat()
  const newest = happenings[0]?.id
  const isFiltered = Object.values(filter).some(Boolean)
  useEffect(() => {
    // Entries count as seen once they are on screen and the previous mark is known.
    if (seen !== undefined && newest !== undefined && newest > seen && !isFiltered) mark({ library, upTo: newest })
  }, [seen, newest, isFiltered, library, mark])
  if (happenings.length === 0 && !isFiltered)
    return (
      <EmptyState icon={History} title={t('Nothing has happened yet')}>
        {t('Add a document or invite someone, and it appears here.')}
      </EmptyState>
    )
  return (
    <Pages count={happenings.length} {...more}>
      <ActivityList library={library} person={user.id} happenings={happenings} seen={seen} />
    </Pages>
  )
}

function Log({ library, filter }: LogProps) {
  const { data: itself } = useQuery(libraryQuery(library))
  const { data, error, ...more } = useInfiniteQuery(auditQuery(library, filter))
  const entries = data?.pages.flat()
  return (
    <>
      {itself ? <ExportButtons library={itself} filter={filter} /> : null}
      <FailureNotice error={error} />
      {entries ? (
        <Pages count={entries.length} {...more}>
          <Suspense fallback={<Skeleton className="h-64" />}>
            <AuditList entries={entries} />
          </Suspense>
        </Pages>
      ) : error ? null : (
        <Skeleton className="h-64" />
      )}
    </>
  )
}

type PagesProps = {
  count: number
  hasNextPage: boolean
  isFetchingNextPage: boolean
  fetchNextPage: () => unknown
  children: ReactNode
}

function Pages({ count, hasNextPage, isFetchingNextPage, fetchNextPage, children }: PagesProps) {
  if (count === 0)
    return (
      <EmptyState icon={ScrollText} title={t('No matching entries')}>
        {t('Remove a filter, or choose a longer period.')}
      </EmptyState>
    )
  return (
    <>
      {children}
      {hasNextPage ? (
        <Button className="justify-self-center" busy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          {t('Show earlier')}
        </Button>
      ) : null}
    </>
  )
}
