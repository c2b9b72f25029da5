import { useQuery } from '@tanstack/react-query'
import { createFileRoute } from '@tanstack/react-router'
import { Download, ExternalLink, LinkIcon } from 'lucide-react'
import { lazy, type ReactNode, Suspense } from 'react'
import { Button } from '../components/button.tsx'
import { EmptyState } from '../components/empty-state.tsx'
import { FailureNotice } from '../components/failure-notice.tsx'
import { FailureView } from '../components/failure-view.tsx'
import { PageSkeleton } from '../components/page-skeleton.tsx'
import { Wordmark } from '../components/wordmark.tsx'
import { READ_ONLY } from '../features/reader/anchors.ts'
import { sharedFileQuery, sharedQuery } from '../features/sharing/queries.ts'
import { SharedPassages } from '../features/sharing/shared-passages.tsx'
import { formatDate } from '../lib/format.ts'
import { t } from '../lib/i18n.ts'
import { usePageTitle } from '../lib/page-title.ts'
import { saveBlob } from '../lib/save-blob.ts'

/** A document shown to whoever has its link, read-only and without an account. */
export const Route = createFileRoute('/s/$token')({
  loader: ({ context, params }) => context.queryClient.query({ ...sharedQuery(params.token), staleTime: 'static' }),
  component: Shared,
  errorComponent: ({ error }) => (
    <SharedFrame>
      <FailureView error={error} isPublic />
    </SharedFrame>
  ),
})

const PdfView = lazy(() => import('../features/reader/pdf-view.tsx').then(({ PdfView }) => ({ default: PdfView })))
const ProseView = lazy(() =>
  import('../features/reader/prose-view.tsx').then(({ ProseView }) => ({ default: ProseView })),
)
const ImageView = lazy(() =>
  import('../features/reader/image-view.tsx').then(({ ImageView }) => ({ default: ImageView })),
)

function Shared() {
  const { token } = Route.useParams()
  const shared = Route.useLoaderData()
  const type = shared?.mime_type ?? ''
  const hasFile = shared !== null && shared.body === null && shared.mime_type !== null
  const file = useQuery({ ...sharedFileQuery(token), enabled: hasFile })
  usePageTitle(shared?.title ?? t('Shared document'))
  return (
    <SharedFrame>
      {shared ? (
        <article>
          <header className="mb-7 border-line border-b pb-5">
            <h1 className="font-semibold font-serif text-[1.75rem] leading-tight tracking-tight sm:text-[2.125rem]">
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
              <ProseView text={shared.body} form="markdown" {...READ_ONLY} />
            ) : file.data && type === 'application/pdf' ? (
              <PdfView file={file.data.blob} {...READ_ONLY} onPage={() => {}} goTo={undefined} />
            ) : file.data && type.startsWith('image/') ? (
              <ImageView file={file.data.blob} title={shared.title} />
            ) : (
              <SharedPassages passages={shared.passages} />
            )}
          </Suspense>
        </article>
      ) : (
        <EmptyState icon={LinkIcon} level={1} title={t('This link shows nothing')}>
          {t('It has expired, was revoked, or is incomplete. Ask whoever sent it to you for a new one.')}
        </EmptyState>
      )}
    </SharedFrame>
  )
}

function SharedFrame({ children }: { children: ReactNode }) {
  return (
    <div className="flex min-h-dvh flex-col">
      <header className="flex h-14 items-center justify-between gap-4 border-line border-b px-4 sm:px-8">
        <a href="/" className="rounded" aria-label="Carrel">
          <Wordmark />
        </a>
        <p className="text-ink-faint text-xs">{t('Shared with you, to read')}</p>
      </header>
      <main id="main" className="mx-auto w-full max-w-4xl flex-1 px-4 py-8 sm:px-8">
        {children}
      </main>
      <footer className="border-line border-t px-4 py-4 text-center text-ink-faint text-xs sm:px-8">
        {t('Carrel is a library that a team shares. Only this document is open to you.')}
      </footer>
    </div>
  )
}
