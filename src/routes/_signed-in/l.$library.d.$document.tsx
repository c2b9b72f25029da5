import { useMutation, useQuery, useQueryClient, useSuspenseQuery } from '@tanstack/react-query'
import { createFileRoute, Link } from '@tanstack/react-router'
import { ArrowLeft, Download, ExternalLink } from 'lucide-react'
import { useEffect, useState } from 'react'
import * as z from 'zod/mini'
import { Button } from '../../components/button.tsx'
import { IndexingState } from '../../features/documents/indexing-state.tsx'
import { indexDocument } from '../../features/documents/mutations.ts'
import { useLibraryLive } from '../../features/live/library-live.tsx'
import { Comments } from '../../features/reader/comments.tsx'
import { DocumentView } from '../../features/reader/document-view.tsx'
import { saveFile } from '../../features/reader/download.ts'
import { documentQuery, passageQuery, relatedQuery } from '../../features/reader/queries.ts'
import { ShareButton } from '../../features/sharing/share-button.tsx'
import { formatDate, plural } from '../../lib/format.ts'
import { keys } from '../../lib/keys.ts'
import { usePageTitle } from '../../lib/page-title.ts'
import { sayFailure } from '../../lib/toast.ts'
import { ReadersHere } from './-readers-here.tsx'
import { useRole } from './-role.ts'

const absent = <Shape extends z.ZodMiniType>(shape: Shape) => z.catch(z.optional(shape), undefined)
const Params = z.object({ document: z.guid() })

export const Route = createFileRoute('/_signed-in/l/$library/d/$document')({
  params: { parse: ({ document }) => Params.parse({ document }) },
  validateSearch: z.object({ passage: absent(z.guid()), q: absent(z.coerce.string()) }),
  loader: ({ context, params }) =>
    context.queryClient.query({ ...documentQuery(params.library, params.document), staleTime: 'static' }),
  component: Reader,
})

function Reader() {
  const { library, document: id } = Route.useParams()
  const { passage: wanted, q } = Route.useSearch()
  const queryClient = useQueryClient()
  const { report } = useLibraryLive()
  const role = useRole(library)
  const { data: document } = useSuspenseQuery(documentQuery(library, id))
  const { data: passage } = useQuery({ ...passageQuery(library, id, wanted ?? ''), enabled: wanted !== undefined })
  const { data: related = [] } = useQuery(relatedQuery(library, id))
  const [page, setPage] = useState<number>()
  usePageTitle(document.title)
  useEffect(() => {
    report({ document: id, page: page ?? null })
  }, [report, id, page])
  useEffect(() => () => report({ document: null, page: null }), [report])

  const indexing = useMutation({
    ...indexDocument,
    onError: sayFailure,
    onSettled: () => queryClient.invalidateQueries({ queryKey: keys.document(library, id) }),
  })
  const download = useMutation({ mutationFn: saveFile, onError: sayFailure })
  const path = document.version?.storage_path
  const isPdf = document.version?.mime_type === 'application/pdf'
  const open = passage ?? undefined

  return (
    <div className="mx-auto grid w-full max-w-[84rem] gap-x-10 px-4 py-6 sm:px-8 xl:grid-cols-[minmax(0,1fr)_19rem]">
      <article className={isPdf ? 'min-w-0' : 'mx-auto w-full min-w-0 max-w-[44rem]'}>
        <header className="mb-7 border-line border-b pb-5">
          <div className="mb-3 flex items-center gap-2 text-sm">
            {q ? (
              <Link
                to="/l/$library/search"
                params={{ library }}
                search={{ q }}
                className="flex items-center gap-1.5 rounded text-ink-soft hover:text-ink"
              >
                <ArrowLeft aria-hidden className="size-4" />
                Back to “{q}”
              </Link>
            ) : (
              <Link
                to="/l/$library"
                params={{ library }}
                className="flex items-center gap-1.5 rounded text-ink-soft hover:text-ink"
              >
                <ArrowLeft aria-hidden className="size-4" />
                Shelf
              </Link>
            )}
            <span className="ml-auto">
              <ReadersHere library={library} document={id} />
            </span>
          </div>
          <h1 className="font-semibold font-serif text-[1.75rem] leading-tight tracking-tight sm:text-[2.125rem]">
            {document.title}
          </h1>
          <div className="mt-3 flex flex-wrap items-center gap-x-4 gap-y-2 text-ink-faint text-sm">
            <span>
              {document.author?.display_name ?? 'Somebody who left'}, {formatDate(document.created_at)}
            </span>
            {document.page_count ? (
              <span className="tabular-nums">
                {page ? `Page ${page} of ${document.page_count}` : plural(document.page_count, 'page')}
              </span>
            ) : null}
            {path ? (
              <Button
                size="small"
                look="quiet"
                busy={download.isPending}
                onClick={() => download.mutate({ path, name: document.version?.file_name ?? document.title })}
              >
                <Download aria-hidden />
                Download
              </Button>
            ) : null}
            <ShareButton library={library} document={document} canShare={role === 'editor' || role === 'owner'} />
            {document.url ? (
              <Button size="small" look="quiet" asChild>
                <a href={document.url} target="_blank" rel="noopener noreferrer">
                  <ExternalLink aria-hidden />
                  Open the page
                </a>
              </Button>
            ) : null}
          </div>
          {document.state === 'ready' ? null : (
            <div className="mt-4 max-w-md">
              <IndexingState document={document} onRetry={() => indexing.mutate(document)} />
            </div>
          )}
        </header>
        <DocumentView document={document} passage={open} onPage={setPage} />
      </article>
      <aside
        aria-label="About this document"
        className="mt-10 grid content-start gap-8 border-line border-t pt-6 xl:sticky xl:top-20 xl:mt-0 xl:max-h-[calc(100dvh-6rem)] xl:overflow-y-auto xl:border-t-0 xl:border-l xl:pt-0 xl:pl-6"
      >
        {open ? (
          <section aria-labelledby="passage">
            <h2 id="passage" className="eyebrow mb-2">
              The passage
            </h2>
            <blockquote className="line-clamp-6 border-mark-strong border-l-2 pl-3 font-serif text-[0.9375rem] text-ink-soft leading-relaxed">
              {open.content}
            </blockquote>
            <p className="mt-2 text-ink-faint text-xs">
              {[open.page ? `Page ${open.page}` : '', open.heading ?? ''].filter(Boolean).join(' · ')}
            </p>
          </section>
        ) : null}
        <Comments library={library} document={id} passage={open} />
        {related.length > 0 ? (
          <section aria-labelledby="related">
            <h2 id="related" className="eyebrow mb-2">
              Close to this
            </h2>
            <ul className="grid gap-1">
              {related.map(({ document_id, title }) => (
                <li key={document_id}>
                  <Link
                    to="/l/$library/d/$document"
                    params={{ library, document: document_id }}
                    className="block rounded py-1 font-serif text-[0.9375rem] hover:text-accent-strong"
                  >
                    {title}
                  </Link>
                </li>
              ))}
            </ul>
          </section>
        ) : null}
      </aside>
    </div>
  )
}
