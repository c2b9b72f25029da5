import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Download, ExternalLink, LinkIcon } from 'lucide-react'
import { lazy, Suspense, useMemo } from 'react'
import { Button } from '../../components/button.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { FailureNotice } from '../../components/failure-notice.tsx'
import { PageSkeleton } from '../../components/page-skeleton.tsx'
import { READ_ONLY } from '../../features/reader/anchors.ts'
import { sharedFileQuery } from '../../features/sharing/queries.ts'
import { SharedPassages } from '../../features/sharing/shared-passages.tsx'
import { sharedPictureQueries } from '../../features/sharing/shared-pictures.ts'
import { formatDate } from '../../lib/i18n/format.ts'
import { t } from '../../lib/i18n/i18n.ts'
import { usePageTitle } from '../../lib/ui/page-title.ts'
import { saveBlob } from '../../lib/ui/save-blob.ts'
import { SharedFrame } from './shared-frame.tsx'

const route = getRouteApi('/s/$token')

const ProseView = lazy(() =>
  import('../../features/reader/text/prose-view.tsx').then(({ ProseView }) => ({ default: ProseView })),
)
const SharedFile = lazy(() => import('./shared-file.tsx').then(({ SharedFile }) => ({ default: SharedFile })))

export function SharedDocumentScreen() {
  const { token } = route.useParams()
  const shared = route.useLoaderData()
  const hasFile = shared !== null && shared.body === null && shared.mime_type !== null
  const file = useQuery({ ...sharedFileQuery(token), enabled: hasFile })
  const pictures = useMemo(() => sharedPictureQueries(token), [token])
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
              {file.data ? (
                <Button
                  size="small"
                  look="quiet"
                  onClick={() => saveBlob(file.data.blob, file.data.name ?? shared.title)}
                >
                  <Download aria-hidden />
                  {t('Download')}
                </Button>
              ) : null}
            </div>
          </header>
          <FailureNotice error={file.error} />
          <Suspense fallback={<PageSkeleton />}>
            {shared.body !== null ? (
              <ProseView text={shared.body} form="markdown" pictures={pictures} {...READ_ONLY} />
            ) : file.data ? (
              <SharedFile
                file={file.data.blob}
                type={shared.mime_type ?? ''}
                name={file.data.name ?? shared.title}
                title={shared.title}
                passages={shared.passages}
              />
            ) : (
              <SharedPassages passages={shared.passages} />
            )}
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
