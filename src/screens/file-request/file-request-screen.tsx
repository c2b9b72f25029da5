import { getRouteApi } from '@tanstack/react-router'
import { LinkIcon } from 'lucide-react'
import { lazy, Suspense } from 'react'
import { EmptyState } from '../../components/empty-state.tsx'
import { PageSkeleton } from '../../components/page-skeleton.tsx'
import { t } from '../../lib/i18n/i18n.ts'
import { usePageTitle } from '../../lib/ui/page-title.ts'
import { PublicFrame } from '../shared-document/shared-frame.tsx'

const RequestedFiles = lazy(() =>
  import('./requested-files.tsx').then(({ RequestedFiles }) => ({ default: RequestedFiles })),
)

const route = getRouteApi('/r/$token')

export function FileRequestScreen() {
  const { token } = route.useParams()
  const request = route.useLoaderData()
  usePageTitle(request?.title ?? t('Request for files'))
  return (
    <PublicFrame
      lead={t('You’ve been asked for files')}
      note={t('Carrel is a library that a team shares. This one isn’t open to you.')}
    >
      {request ? (
        <Suspense fallback={<PageSkeleton />}>
          <RequestedFiles token={token} request={request} />
        </Suspense>
      ) : (
        <EmptyState icon={LinkIcon} level={1} title={t('This link doesn’t accept files')}>
          {t('It has expired, was closed, received all its files, or is incomplete. Ask the sender for a new one.')}
        </EmptyState>
      )}
    </PublicFrame>
  )
}
