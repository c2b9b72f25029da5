import { useInfiniteQuery, useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { ScrollText } from 'lucide-react'
import { Button } from '../../components/button.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { FailureNotice } from '../../components/failure-notice.tsx'
import { Notice } from '../../components/notice.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { AuditFilters } from '../../features/audit/audit-filters.tsx'
import { AuditList } from '../../features/audit/audit-list.tsx'
import { ExportButtons } from '../../features/audit/export-buttons.tsx'
import { auditPeopleQuery, auditQuery } from '../../features/audit/queries.ts'
import { libraryQuery } from '../../features/libraries/queries.ts'
import { useRole } from '../../features/members/use-role.ts'
import { t } from '../../lib/i18n/i18n.ts'
import { SettingsPage } from './settings-page.tsx'

const route = getRouteApi('/_signed-in/l/$library/settings_/audit')

/** Who did what in a library, for owners: filtered, looked at, and exported. */
export function AuditScreen() {
  const { library } = route.useParams()
  const role = useRole(library)
  return (
    <SettingsPage
      library={library}
      title={t('Audit log')}
      lead={t('Who did what in this library. Nobody can change or remove an entry, and each export is one.')}
      isWide
    >
      {role === 'owner' ? (
        <Log library={library} />
      ) : role ? (
        <Notice tone="info">{t('Only owners see the audit log of a library.')}</Notice>
      ) : null}
    </SettingsPage>
  )
}

function Log({ library }: { library: string }) {
  const filter = route.useSearch()
  const navigate = route.useNavigate()
  const { data: itself } = useSuspenseQuery(libraryQuery(library))
  const { data: people = [] } = useQuery(auditPeopleQuery(library))
  const { data, error, fetchNextPage, hasNextPage, isFetchingNextPage } = useInfiniteQuery(auditQuery(library, filter))
  const entries = data?.pages.flat()
  return (
    <>
      <AuditFilters
        filter={filter}
        people={people}
        onChange={(change) => void navigate({ search: (before) => ({ ...before, ...change }), replace: true })}
      />
      <ExportButtons library={itself} filter={filter} />
      <FailureNotice error={error} />
      {entries === undefined ? (
        error ? null : (
          <Skeleton className="h-64" />
        )
      ) : entries.length > 0 ? (
        <AuditList entries={entries} />
      ) : (
        <EmptyState icon={ScrollText} title={t('No matching entries')}>
          {t('Remove a filter, or choose a longer period.')}
        </EmptyState>
      )}
      {hasNextPage ? (
        <Button className="justify-self-center" busy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          {t('Show earlier')}
        </Button>
      ) : null}
    </>
  )
}
