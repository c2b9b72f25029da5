import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import {
  ArrowLeft,
  Download,
  ExternalLink,
  History,
  MessageCircleQuestion,
  MoonStar,
  PanelRight,
  PencilLine,
} from 'lucide-react'
import { Button } from '../../components/button.tsx'
import { Tooltip } from '../../components/tooltip.tsx'
import { showFailure } from '../../domain/failure-toast.ts'
import { isScan } from '../../domain/recognition.ts'
import { IndexingStatus } from '../../features/documents/indexing-status.tsx'
import { describeKind } from '../../features/documents/kinds.ts'
import { StarButton } from '../../features/favorites/star-button.tsx'
import { saveFile } from '../../features/reader/download.ts'
import type { OpenDocument } from '../../features/reader/queries.ts'
import { setReadingOptions, useReadingOptions } from '../../features/reader/reading-options.ts'
import { ShareButton } from '../../features/sharing/share-button.tsx'
import { t } from '../../lib/i18n/i18n.ts'
import { ReadersHere } from '../library/readers-here.tsx'

type DocumentHeaderProps = {
  library: string
  document: OpenDocument
  /** The words of the search that led here. */
  q: string | undefined
  canEdit: boolean
  canAsk: boolean
  editing: boolean
  following: string | undefined
  onFollow: (person: string | undefined) => void
  isFavorite: boolean
  onStar: () => void
  onReadAgain: () => void
  onEdit: () => void
  onVersions: () => void
  /** Brings the details below the document into view, where there is no room for them beside it. */
  onDetails: () => void
}

/** One line above the text: what it is, and what people do with it. Everything else is in the panel of details. */
export function DocumentHeader(props: DocumentHeaderProps) {
  const { library, document, q, canEdit, canAsk, editing, following, onFollow } = props
  const { onReadAgain, onEdit, onVersions, onDetails } = props
  const download = useMutation({ mutationFn: saveFile, onError: showFailure })
  const { details, dimmed } = useReadingOptions()
  const { version } = document
  const path = version?.storage_path
  const isNote = document.kind === 'note'
  const { label: kind, icon: KindIcon } = describeKind({
    kind: document.kind,
    mime_type: version?.mime_type ?? null,
  })
  const back = q ? t('Back to “{words}”', { words: q }) : t('Shelf')
  const versions = t('{count, plural, one {# version} other {# versions}}', { count: version?.number ?? 0 })
  return (
    <header className="mb-2">
      <div className="flex min-h-9 items-center gap-1 sm:gap-2">
        <Tooltip text={back}>
          <Button look="quiet" size="small-icon" className="-ms-2" asChild>
            <Link
              aria-label={back}
              {...(q
                ? { to: '/l/$library/search', params: { library }, search: { q } }
                : { to: '/l/$library', params: { library } })}
            >
              <ArrowLeft aria-hidden className="rtl:-scale-x-100" />
            </Link>
          </Button>
        </Tooltip>
        <Tooltip text={kind}>
          <span role="img" aria-label={kind} className="text-accent max-sm:hidden">
            <KindIcon aria-hidden className="size-4.5" />
          </span>
        </Tooltip>
        <h1
          dir="auto"
          title={document.title}
          className="line-clamp-2 min-w-0 flex-1 font-semibold font-serif text-base leading-tight sm:line-clamp-1 sm:text-lg"
        >
          {document.title}
        </h1>
        <ReadersHere library={library} document={document.id} following={following} onFollow={onFollow} />
        <StarButton isFavorite={props.isFavorite} onToggle={props.onStar} />
        {isNote && canEdit && !editing ? (
          <Button size="small" onClick={onEdit}>
            <PencilLine aria-hidden />
            <span className="max-sm:sr-only">{t('Edit')}</span>
          </Button>
        ) : null}
        {isNote && version && version.number > 1 ? (
          <Tooltip text={versions}>
            <Button look="quiet" size="small-icon" aria-label={versions} onClick={onVersions}>
              <History aria-hidden />
            </Button>
          </Tooltip>
        ) : null}
        {canAsk ? (
          <Tooltip text={t('Ask this document')}>
            <Button look="quiet" size="small-icon" asChild>
              <Link
                to="/l/$library/ask"
                params={{ library }}
                search={{ documents: [document.id] }}
                aria-label={t('Ask this document')}
              >
                <MessageCircleQuestion aria-hidden />
              </Link>
            </Button>
          </Tooltip>
        ) : null}
        <ShareButton library={library} document={document} canShare={canEdit} />
        {path ? (
          <Tooltip text={t('Download')}>
            <Button
              look="quiet"
              size="small-icon"
              aria-label={t('Download')}
              busy={download.isPending}
              onClick={() => download.mutate({ path, name: version.file_name ?? document.title })}
            >
              {download.isPending ? null : <Download aria-hidden />}
            </Button>
          </Tooltip>
        ) : null}
        {document.url ? (
          <Tooltip text={t('Open the page')}>
            <Button look="quiet" size="small-icon" asChild>
              <a href={document.url} target="_blank" rel="noopener noreferrer" aria-label={t('Open the page')}>
                <ExternalLink aria-hidden />
              </a>
            </Button>
          </Tooltip>
        ) : null}
        {path ? (
          <Tooltip text={t('Darker pages')}>
            <Button
              look="quiet"
              size="small-icon"
              aria-label={t('Darker pages')}
              aria-pressed={dimmed}
              className="not-dark:hidden aria-pressed:text-accent-strong"
              onClick={() => setReadingOptions({ dimmed: !dimmed })}
            >
              <MoonStar aria-hidden />
            </Button>
          </Tooltip>
        ) : null}
        <Tooltip text={t('Details and comments')}>
          <Button
            look="quiet"
            size="small-icon"
            aria-label={t('Details and comments')}
            aria-pressed={details}
            className="-me-2 max-xl:hidden aria-pressed:text-accent-strong"
            onClick={() => setReadingOptions({ details: !details })}
          >
            <PanelRight aria-hidden className="rtl:-scale-x-100" />
          </Button>
        </Tooltip>
        <Button
          look="quiet"
          size="small-icon"
          aria-label={t('To the details and comments')}
          className="-me-2 xl:hidden"
          onClick={onDetails}
        >
          <PanelRight aria-hidden className="rtl:-scale-x-100" />
        </Button>
      </div>
      {document.state === 'ready' || isScan(document) ? null : (
        <div className="mt-3 max-w-md">
          <IndexingStatus library={library} document={document} onRetry={canEdit ? onReadAgain : undefined} />
        </div>
      )}
    </header>
  )
}
