import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ArrowLeft, Download, ExternalLink, History, MessageCircleQuestion, PencilLine } from 'lucide-react'
import { Button } from '../../components/button.tsx'
import { countPages } from '../../domain/counts.ts'
import { showFailure } from '../../domain/failure-toast.ts'
import { isScan } from '../../domain/recognition.ts'
import { IndexingStatus } from '../../features/documents/indexing-status.tsx'
import { saveFile } from '../../features/reader/download.ts'
import type { OpenDocument } from '../../features/reader/queries.ts'
import { ShareButton } from '../../features/sharing/share-button.tsx'
import { formatDate } from '../../lib/i18n/format.ts'
import { t } from '../../lib/i18n/i18n.ts'
import { ReadersHere } from '../library/readers-here.tsx'

type DocumentHeaderProps = {
  library: string
  document: OpenDocument
  /** The words of the search that led here. */
  q: string | undefined
  page: number | undefined
  canEdit: boolean
  canAsk: boolean
  editing: boolean
  following: string | undefined
  onFollow: (person: string | undefined) => void
  onReadAgain: () => void
  onEdit: () => void
  onVersions: () => void
}

export function DocumentHeader(props: DocumentHeaderProps) {
  const { library, document, q, page, canEdit, canAsk, editing, following, onFollow, onReadAgain, onEdit, onVersions } =
    props
  const download = useMutation({ mutationFn: saveFile, onError: showFailure })
  const path = document.version?.storage_path
  const isNote = document.kind === 'note'
  return (
    <header className="mb-7 border-line border-b pb-5">
      <div className="mb-3 flex items-center gap-2 text-sm">
        <Link
          {...(q
            ? { to: '/l/$library/search', params: { library }, search: { q } }
            : { to: '/l/$library', params: { library } })}
          className="flex items-center gap-1.5 rounded text-ink-soft hover:text-ink"
        >
          <ArrowLeft aria-hidden className="size-4" />
          {q ? t('Back to “{words}”', { words: q }) : t('Shelf')}
        </Link>
        <span className="ml-auto">
          <ReadersHere library={library} document={document.id} following={following} onFollow={onFollow} />
        </span>
      </div>
      <h1 className="font-semibold font-serif text-[1.75rem] leading-tight tracking-tight sm:text-[2.125rem]">
        {document.title}
      </h1>
      <div className="mt-3 flex flex-wrap items-center gap-x-4 gap-y-2 text-ink-faint text-sm">
        <span>
          {document.author?.display_name ?? t('Somebody who left')}, {formatDate(document.created_at)}
        </span>
        {document.page_count ? (
          <span className="tabular-nums">
            {page ? t('Page {page} of {pages}', { page, pages: document.page_count }) : countPages(document.page_count)}
          </span>
        ) : null}
        {document.width && document.height ? (
          <span className="tabular-nums">
            {t('{width} × {height} pixels', { width: document.width, height: document.height })}
          </span>
        ) : null}
        {isNote && canEdit && !editing ? (
          <Button size="small" onClick={onEdit}>
            <PencilLine aria-hidden />
            {t('Edit')}
          </Button>
        ) : null}
        {isNote && document.version && document.version.number > 1 ? (
          <Button size="small" look="quiet" onClick={onVersions}>
            <History aria-hidden />
            {t('{count, plural, one {# version} other {# versions}}', { count: document.version.number })}
          </Button>
        ) : null}
        {canAsk ? (
          <Button size="small" look="quiet" asChild>
            <Link to="/l/$library/ask" params={{ library }} search={{ documents: [document.id] }}>
              <MessageCircleQuestion aria-hidden />
              {t('Ask this document')}
            </Link>
          </Button>
        ) : null}
        <ShareButton library={library} document={document} canShare={canEdit} />
        {path ? (
          <Button
            size="small"
            look="quiet"
            busy={download.isPending}
            onClick={() => download.mutate({ path, name: document.version?.file_name ?? document.title })}
          >
            <Download aria-hidden />
            {t('Download')}
          </Button>
        ) : null}
        {document.url ? (
          <Button size="small" look="quiet" asChild>
            <a href={document.url} target="_blank" rel="noopener noreferrer">
              <ExternalLink aria-hidden />
              {t('Open the page')}
            </a>
          </Button>
        ) : null}
      </div>
      {document.state === 'ready' || isScan(document) ? null : (
        <div className="mt-4 max-w-md">
          <IndexingStatus library={library} document={document} onRetry={canEdit ? onReadAgain : undefined} />
        </div>
      )}
    </header>
  )
}
