import { getRouteApi } from '@tanstack/react-router'
import { ExternalLink, LinkIcon } from 'lucide-react'
import { lazy, Suspense } from 'react'
import { Button } from '../../components/button.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { PageSkeleton } from '../../components/page-skeleton.tsx'
import { formatDate } from '../../lib/i18n/format.ts'
import { t } from '../../lib/i18n/i18n.ts'
import { usePageTitle } from '../../lib/ui/page-title.ts'
import { SharedFrame } from './shared-frame.tsx'

const route = getRouteApi('/s/$token')

const SharedView = lazy(() => import('./shared-view.tsx').then(({ SharedView }) => ({ default: SharedView })))

export function SharedDocumentScreen() {
  const { token } = route.useParams()
  const shared = route.useLoaderData()
  usePageTitle(shared?.title ?? t('Shared document'))
  return (
    <SharedFrame>
      {shared ? (
        <article>
          <header className="mb-7 border-line border-b pb-5">
            <h1
              dir="auto"
              className="text-start font-semibold font-serif text-[1.75rem] leading-tight tracking-tight sm:text-[2.125rem]"
            >
              {shared.title}
            </h1>
            <div className="mt-3 flex flex-wrap items-center gap-x-4 gap-y-2 text-ink-faint text-sm">
              <span>{t('As of {date}', { date: formatDate(shared.updated_at) })}</span>
              {shared.url ? (
                <Button size="small" look="quiet" asChild>
                  <a href={shared.url} target="_blank" rel="noopener noreferrer">
                    <ExternalLink aria-hidden />
                    {t('Open the page')}
                  </a>
                </Button>
              ) : null}
            </div>
          </header>
          <Suspense fallback={<PageSkeleton />}>
            <SharedView token={token} shared={shared} />
          </Suspense>
        </article>
      ) : (
        <EmptyState icon={LinkIcon} level={1} title={t('This link shows nothing')}>
          {t('It has expired, was revoked, or is incomplete. Ask the sender for a new one.')}
        </EmptyState>
      )}
    </SharedFrame>
  )
}
